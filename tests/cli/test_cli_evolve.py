"""schedlab learn evolve: a policy file from a model or a trace, interrupted and resumed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cma")

Run = Callable[..., Any]

SMALL = ("--jobs-per-episode", "15", "--generations", "2", "--population", "4", "--episodes", "2",
         "--pool", "4", "--test", "4", "--threads", "1", "--seed", "3")  # fmt: skip
MODEL = ("lublin:nodes=8", "--transform", "load=1.2:8")


def test_evolve_and_simulate(run: Run, head_blocked: str, tmp_path: Path) -> None:
    """The file is a policy like any other."""
    out = tmp_path / "evolved.toml"
    done = run("learn", "evolve", *MODEL, *SMALL, "--metric", "wait", "--out", out, "--json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["policy"] == f"evolved:{out}"
    assert set(result["formulas"]) == {"head", "backfill"}
    assert len(result["rules"]["wait"]) == 11
    policy = ("--policy", result["policy"])
    simulated = run("simulate", head_blocked, "--nodes", "8", *policy, "--json")
    assert json.loads(simulated.stdout)[0]["policy"] == f"evolved:{out}"


def test_the_tables_are_for_people(run: Run, tmp_path: Path) -> None:
    """Formulas come first, then for each metric the rules, best first, with paired differences."""
    out = tmp_path / "evolved.toml"
    metrics = ("--metric", "0.5*utilisation", "--metric", "0.5*wait")
    shown = run("learn", "evolve", *MODEL, *SMALL, *metrics, "--out", out).stdout
    assert "head: smallest first" in shown
    assert "backfill: smallest first" in shown
    assert "utilisation, mean of 4 held-out episodes" in shown
    assert "wait (s), mean of 4 held-out episodes" in shown
    assert shown.count("unicef+easy") == 2
    assert f"written: {out}" in shown


def test_windows_of_a_trace(run: Run, tmp_path: Path) -> None:
    """The size of the machine comes from the header, or from ``--nodes``."""
    trace, out = tmp_path / "trace.swf", tmp_path / "evolved.toml"
    run("workload", "generate", "lublin", "--set", "nodes=8", "--jobs", "100", "--out", trace)
    made = run("learn", "evolve", trace, *SMALL, "--metric", "response", "--out", out)
    assert made.exit_code == 0, made.output
    assert 'workload = "trace.swf"' in out.read_text()
    assert "nodes = [8]" in out.read_text()
    wider = tmp_path / "wider.toml"
    run("learn", "evolve", trace, *SMALL, "--nodes", "9", "--metric", "response", "--out", wider)
    assert "nodes = [9]" in wider.read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["lublin:nodes=8", "--metric", "weight"], 'unknown metric "weight"; did you mean "wait"?'),
        (["lublinn", "--metric", "wait"], 'unknown generator "lublinn"; did you mean "lublin"?'),
        (["nowhere.swf", "--metric", "wait"], "nowhere.swf: no such file"),
        (["wl1", "--metric", "wait", "--nodes", "4"], "nodes but the cluster has 4"),
        (["wl1", "--metric", "wait", "--predictor", "last"], 'unknown predictor "last"'),
        (["wl1", "--metric", "wait", "--episodes", "9", "--pool", "3"], "needs a pool as large"),
        (["wl1", "--metric", "wait", "--out", "nowhere/x.toml"], "folder nowhere does not exist"),
        (["wl1", "--metric", "wait", "--resume"], "evolved.generations.json: no such file"),
    ],
)
def test_mistakes_take_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    """Exit code 2, and one sentence."""
    monkeypatch.chdir(tmp_path)
    out = () if "--out" in arguments else ("--out", "evolved.toml")
    done = run("learn", "evolve", *arguments, *out)
    assert done.exit_code == 2
    assert sentence in " ".join(done.stderr.split())


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_and_resume_gives_the_same(tmp_path: Path, run: Run) -> None:
    """The message says how to go on, and the exit code is 130."""
    halting, straight = tmp_path / "halting.toml", tmp_path / "straight.toml"
    command = (
        "learn",
        "evolve",
        *MODEL,
        *SMALL,
        "--generations",
        "40",
        "--metric",
        "wait",
        "--out",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "schedlab", *command, str(halting)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not halting.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=300)
    assert (process.returncode, stdout) == (130, "")
    assert f"the best so far is in {halting}; run again with --resume to go on" in stderr
    assert run(*command, halting, "--resume").exit_code == 0
    assert run(*command, straight).exit_code == 0
    assert halting.read_text() == straight.read_text()
