"""schedlab learn tune: a search from a file, interrupted and resumed as users do it."""

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

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

Run = Callable[..., Any]

TRAINING = (Path(__file__).parents[1] / "data" / "small_training.toml").read_text()
TUNING = """
[tune]
training = "small.toml"
score = "mean_bounded_slowdown"
runs = 2

[space.ppo]
n_steps = [8, 16]
batch_size = [16, 32]
"""
COMMAND = ("learn", "tune", "tuning.toml", "--out", "out")


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the files of a very short search to the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(TRAINING)
    Path("tuning.toml").write_text(TUNING)


def models(folder: str) -> dict[str, bytes]:
    """Return the bytes of every model and ranking of a search."""
    found = (each for each in Path(folder).rglob("*") if each.name in ("model.zip", "ranking.csv"))
    return {str(each.relative_to(folder)): each.read_bytes() for each in found}


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start a search as a shell does."""
    return subprocess.Popen(
        [sys.executable, "-m", "schedlab", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


def wait_for(pattern: str, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until this many files match the pattern."""
    while len(list(Path("out").glob(pattern))) < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def test_tune_and_train(run: Run) -> None:
    """The best setting is written as a training file, which gives exactly the best model."""
    shown = run(*COMMAND, "--workers", "1")
    assert shown.exit_code == 0
    assert "mean_bounded_slowdown over 2 runs" in shown.stdout
    assert "settings: 3 ranked, 0 given up, 1 left out; trainings done now: 6" in shown.stdout
    assert "left out: n_steps=8 batch_size=32: [ppo]: batch_size 32 does not" in shown.stdout
    again = run(*COMMAND, "--workers", "1", "--json")
    rows = json.loads(again.stdout)
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert rows[0]["mean"] <= rows[1]["mean"] <= rows[2]["mean"]
    assert "trainings done now: 0" in again.stderr
    assert run("learn", "train", "out/best.toml", "--out", "best").exit_code == 0
    assert Path("best/model.zip").read_bytes() == Path("out/best.zip").read_bytes()


def test_optuna_takes_what_the_grid_has_trained(run: Run) -> None:
    """Setting and seed determine a training, whether the grid or Optuna proposed it."""
    assert run(*COMMAND, "--workers", "1", "--runs", "1").exit_code == 0
    shown = run(*COMMAND, "--workers", "1", "--runs", "1", "--trials", "6")
    assert shown.exit_code == 0
    assert "trainings done now: 0" in shown.stdout


def test_a_failed_training_gives_exit_code_1(run: Run) -> None:
    """The failed training is named with its reason: here the jobs are wider than the machine."""
    Path("tuning.toml").write_text(TUNING + "[space.environment]\nnodes = [2, 4]\n")
    shown = run(*COMMAND, "--workers", "1", "--runs", "1")
    assert shown.exit_code == 1
    assert "failed: n_steps=8 batch_size=16 nodes=2 seed=0: " in shown.stderr
    assert "settings: 3 ranked" in shown.stdout


def test_mistakes_take_one_line(schedlab: Run) -> None:
    """Exit code 2, and nothing is made."""
    Path("tuning.toml").write_text(TUNING.replace("n_steps", "n_step"))
    done = schedlab(*COMMAND)
    assert (done.returncode, done.stdout) == (2, "")
    sentence = 'unknown key or section of [space.ppo] "n_step"; did you mean "n_steps"?'
    assert done.stderr == f"schedlab: tuning.toml: {sentence}\n"
    assert not Path("out").exists()


def test_without_optuna_the_extra_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command refuses before it makes anything; the grid does not need Optuna."""
    monkeypatch.setitem(sys.modules, "optuna", None)
    monkeypatch.delitem(sys.modules, "schedlab.experiments.tuning.optuna_search", raising=False)
    result = run(*COMMAND, "--trials", "3")
    assert result.exit_code == 2
    sentence = 'Optuna is not installed; in a copy of the repository run: pip install ".[rl]"'
    assert result.stderr == f"schedlab: {sentence}\n"
    assert not Path("out").exists()


@pytest.mark.slow
def test_ctrl_c_kill_and_again(run: Run, schedlab: Run) -> None:
    """Trainings resume from checkpoints, and the models are those of an uninterrupted search."""
    text = TRAINING.replace("steps = 128", "steps = 800\ncheckpoint_every = 100", 1)
    Path("small.toml").write_text(text)
    command = (*COMMAND, "--runs", "1", "--workers", "2")
    process = start(*command)
    wait_for("trainings/*/checkpoint.zip", 2, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    stdout, stderr = process.communicate(timeout=300)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "trainings are kept in out; run again to go on\nschedlab: interrupted\n"
    kept = len(list(Path("out").glob("cells/*.json")))
    assert kept < 3
    process = start(*command)
    wait_for("cells/*.json", kept + 1, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=300)
    again = schedlab(*command)
    assert (again.returncode, again.stderr) == (0, "")
    run("learn", "tune", "tuning.toml", "--out", "whole", "--runs", "1", "--workers", "1")
    assert models("out") == models("whole")


@pytest.mark.slow
def test_ray_gives_the_same_models(run: Run, schedlab: Run) -> None:
    """The engine makes no difference to the models."""
    pytest.importorskip("ray", reason="Ray is not installed")
    there = schedlab(*COMMAND, "--runs", "1", "--workers", "1", "--engine", "ray")
    assert (there.returncode, there.stderr) == (0, "")
    run("learn", "tune", "tuning.toml", "--out", "here", "--runs", "1", "--workers", "1")
    assert models("out") == models("here")
