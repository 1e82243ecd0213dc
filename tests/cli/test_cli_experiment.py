"""schedlab experiment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SMALL = """
[experiment]
name = "small"
policies = ["fcfs", "easy"]
metrics = ["wait"]
seeds = [1, 2]

[[workload]]
name = "lublin"
generate = "lublin:nodes=32"
jobs = 50
nodes = 32
"""

LONG = """
[experiment]
name = "long"
policies = ["fcfs", "sjf", "easy", "wfp3+conservative"]
metrics = ["wait", "makespan"]
seeds = [1, 2]

[[workload]]
name = "lublin"
generate = "lublin:nodes=64"
jobs = 20000
transforms = ["load=1.5:64"]
nodes = 64
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of an experiment of four cells, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL)
    return "small.toml"


def test_run_shows_the_results_and_says_where_they_are(small: str, run: Run) -> None:
    """By default the results are in out/NAME."""
    result = run("experiment", "run", small, "--workers", "1")
    assert result.exit_code == 0, result.output
    assert "mean wait (s)" in result.stdout
    assert "4 of 4 cells finished, 4 computed now" in result.stdout
    assert Path("out/small/report.html").is_file()
    again = run("experiment", "run", small)
    assert "4 of 4 cells finished, 0 computed now" in again.stdout


def test_json_is_the_summary(small: str, run: Run) -> None:
    """Nothing else is on stdout."""
    result = run("experiment", "run", small, "--workers", "1", "--json")
    rows = json.loads(result.stdout)
    assert [row["policy"] for row in rows] == ["fcfs", "easy"]
    assert rows[0]["seeds"] == 2


def test_quick_and_only(small: str, run: Run) -> None:
    """A quick run has its own folder, so no one takes its numbers for those of a full run."""
    result = run("experiment", "run", small, "--quick", "--only", "easy")
    assert "1 of 1 cells finished" in result.stdout
    assert "A quick run" in Path("out/small-quick/report.md").read_text()


MODEL = """
[[model]]
name = "Net"
training = "train/net.toml"
on = ["lublin/original"]
"""
NET = """
[environment]
nodes = 32
visible_jobs = 4
sim_step_s = 1
max_steps = 100
[train]
algorithm = "maskable-ppo"
network = [4]
envs = 1
steps = 8

[ppo]
n_steps = 8
batch_size = 8
n_epochs = 1
[evaluation]
episodes = 1
"""


def test_models_are_trained_when_asked_for(small: str, run: Run) -> None:
    """A run without the models says how to train them."""
    pytest.importorskip("sb3_contrib")
    Path(small).write_text(SMALL.replace("seeds =", "tick = 1\nseeds =") + MODEL)
    Path("train").mkdir()
    Path("train/net.toml").write_text(NET)
    plain = run("experiment", "run", small, "--workers", "1")
    assert "4 of 4 cells finished" in plain.stdout
    assert "--models trains and runs them" in plain.stdout
    result = run("experiment", "run", small, "--workers", "1", "--models")
    assert result.exit_code == 0, result.output
    assert "mean wait (s), Net: trained on" in result.stdout
    assert "6 of 6 cells finished, 2 computed now\nmodels trained now: 2\n" in result.stdout


def test_a_failing_cell_gives_exit_code_1(small: str, run: Run) -> None:
    """Its name and reason are on stderr, the others' results on stdout."""
    Path("bad_order_of_cli_test.py").write_text(
        "from schedlab import Order\n\nclass Bad(Order):\n    pass\n"
    )
    Path(small).write_text(SMALL.replace('"easy"', '"bad_order_of_cli_test:Bad"'))
    result = run("experiment", "run", small, "--workers", "1")
    assert result.exit_code == 1
    assert "failed: lublin/original/32 nodes/bad_order_of_cli_test:Bad/seed 1:" in result.stderr
    assert "2 of 4 cells finished" in result.stdout


def test_missing_data_is_told_with_what_to_fetch(
    small: str, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit code 2, before anything runs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    generated = 'generate = "lublin:nodes=32"\njobs = 50'
    Path(small).write_text(SMALL.replace(generated, 'catalog = "RICC-2010-2"'))
    result = run("experiment", "run", small)
    assert result.exit_code == 2
    assert "schedlab workload fetch RICC-2010-2" in result.stderr
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run", "clasic"), 'unknown experiment "clasic"; did you mean "classic"?'),
        (("run", "absent.toml"), "absent.toml: no such file"),
        (("run", "small.toml", "--only", "eazy"), 'no cell\'s name contains "eazy"'),
        (("run", "small.toml", "--data", "absent"), "absent: no such folder"),
        (("report", "absent"), "absent: is not the folder of a run"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...], sentence: str, small: str, run: Run
) -> None:
    """Exit code 2."""
    result = run("experiment", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_list(run: Run) -> None:
    """The list shows titles; the JSON names the files."""
    assert "Textbook policies" in run("experiment", "list").stdout
    listed = json.loads(run("experiment", "list", "--json").stdout)
    assert any(each["name"] == "classic" and Path(each["file"]).is_file() for each in listed)


def test_report_is_made_anew(small: str, run: Run) -> None:
    """The report needs only the folder of the run, not the file of the experiment."""
    run("experiment", "run", small, "--workers", "1")
    before = Path("out/small/report.html").read_text()
    Path("out/small/report.html").unlink()
    Path(small).unlink()
    result = run("experiment", "report", "out/small")
    assert "out/small/report.html" in result.stdout.splitlines()
    assert Path("out/small/report.html").read_text() == before


COMMAND = (sys.executable, "-m", "schedlab", "experiment", "run", "long.toml", "--workers", "2")


def start_and_wait_for_cells(folder: Path, cells: int) -> subprocess.Popen[str]:
    """Start the long experiment and wait until this many cells are finished."""
    (folder / "long.toml").write_text(LONG)
    process = subprocess.Popen(
        [*COMMAND, "--out", "halves"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 300
    while len(list(folder.glob("halves/cells/*.json"))) < cells and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


@pytest.mark.slow
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    """A batch system gives no time to tidy up; workers must not stay behind."""
    process = start_and_wait_for_cells(tmp_path, 1)
    process.kill()
    # Returns only when no worker holds the pipes any more.
    process.communicate(timeout=300)


@pytest.mark.slow
def test_ctrl_c_at_half_and_again(tmp_path: Path) -> None:
    """Exit code 130, nothing half-written, no process left; the next run gives the same tables."""
    process = start_and_wait_for_cells(tmp_path, 3)
    cells = tmp_path / "halves" / "cells"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 130
    assert stderr == (
        "finished cells are kept in halves; run again to go on\nschedlab: interrupted\n"
    )
    assert 3 <= len(list(cells.iterdir())) < 8
    assert not [path for path in (tmp_path / "halves").rglob("*") if path.name.endswith(".tmp")]
    for out in ("halves", "whole"):
        subprocess.run([*COMMAND, "--out", out], cwd=tmp_path, check=True, capture_output=True)
    for name in ("results.csv", "summary.csv", "report.md", "report.html"):
        halves, whole = tmp_path / "halves" / name, tmp_path / "whole" / name
        assert halves.read_bytes() == whole.read_bytes()
