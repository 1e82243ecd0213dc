"""The training of one network for all machines, in miniature."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from benchmarks import generalist
from benchmarks.lookahead import RULES, TRACES, slowdowns

from schedlab import Workload, simulate
from schedlab.policies.evolved import read_evolved
from schedlab.policies.network import Network
from schedlab.testing.instances import crowd
from schedlab.workload import write_workload

NODES, COUNT = 16, 60


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two small traces with the slowdowns of the rules, as the script expects them."""
    rows = []
    for name in ("one", "other"):
        jobs: Workload = crowd(count=COUNT)
        write_workload(jobs, tmp_path / f"{name}.swf")
        monkeypatch.setitem(TRACES, name, (f"{name}.swf", NODES))
        monkeypatch.setitem(generalist.JOBS, name, 20)
        for rule in RULES:
            slowdown = slowdowns(simulate(jobs, NODES, rule)).mean()
            rows.append({"trace": name, "policy": rule, "bounded_slowdown": slowdown})
    for name in [name for name in TRACES if name not in ("one", "other")]:
        monkeypatch.delitem(TRACES, name)
    whole = tmp_path / "whole.csv"
    with whole.open("w", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    monkeypatch.setattr(generalist, "WHOLE", whole)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, data: Path, *words: str) -> None:
    """Run the command with these words."""
    files = ["--data", str(data), "--windows", str(data / "windows.csv"), "--threads", "1"]
    monkeypatch.setattr("sys.argv", ["generalist", *files, *words])
    generalist.main()


def test_a_network_is_trained_on_other_traces_and_tested_on_the_one_left_out(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The steps are those of the experiment: windows, training and test."""
    run(monkeypatch, data, "--trace", "one", "--trace", "other", "windows")
    sources = {
        row["source"] for row in csv.DictReader((data / "windows.csv").read_text().splitlines())
    }
    assert sources == {"one", "other"}
    assert set(generalist.read_windows(data / "windows.csv", "one")) == {"other"}
    for name in ("one", "other"):
        small = ["--units", "1", "--population", "4", "--generations", "2", "--every", "1"]
        out = str(data / f"{name}.toml")
        run(monkeypatch, data, "train", "--leave-out", name, "--out", out, *small)
    network = read_evolved(data / "one.toml")
    assert isinstance(network, Network)
    assert network.provenance["sources"] == ["other"]
    capsys.readouterr()
    run(monkeypatch, data, "test", "--networks", str(data))
    found = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    for name in ("one", "other"):
        jobs, nodes = generalist.trace(data, name)
        slowdown = slowdowns(simulate(jobs, nodes, f"evolved:{data / name}.toml")).mean()
        (row,) = [r for r in found if (r["trace"], r["policy"]) == (name, "network without it")]
        assert float(row["bounded_slowdown"]) == pytest.approx(slowdown, abs=1e-4)


def test_the_best_fixed_rule_is_near_the_best_everywhere() -> None:
    """The mean of ratios to the best is geometric: no trace makes up for a bad one on another."""
    rules = {
        "a": dict.fromkeys(RULES, 4.0) | {"saf+easy": 1.0, "unicef+easy": 1.5},
        "b": dict.fromkeys(RULES, 9.0) | {"saf+easy": 3.0, "unicef+easy": 1.0},
    }
    assert generalist.best_fixed(rules) == "unicef+easy"
