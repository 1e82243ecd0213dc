"""schedlab learn train: a model from a file, interrupted and resumed as users do it."""

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

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

Run = Callable[..., Any]

SMALL = (Path(__file__).parents[1] / "data" / "small_training.toml").read_text()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The file of a very short training."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_train_and_simulate(run: Run, small: Path, head_blocked: str, tmp_path: Path) -> None:
    """The model is a policy like any other."""
    out = tmp_path / "out"
    trained = run("learn", "train", small, "--out", out, "--seed", "3", "--json")
    assert trained.exit_code == 0
    result = json.loads(trained.stdout)
    assert result["steps"] == 128
    simulated = run(
        "simulate", head_blocked, "--nodes", "4", "--policy", f"learned:{result['model']}", "--json"
    )
    assert simulated.exit_code == 0
    assert json.loads(simulated.stdout)[0]["policy"] == f"learned:{out / 'model.zip'}"
    doubt = f"schedlab: learned:{result['model']} was trained with a tick of 60 s; it is asked at"
    assert simulated.stderr.count(doubt) == 1


def test_the_table_is_for_people(run: Run, small: Path, tmp_path: Path) -> None:
    """The table shows what the greedy policy does and where the model is.

    ``--resume`` prolongs the training.
    """
    out = tmp_path / "out"
    shown = run("learn", "train", small, "--out", out)
    assert "mean bounded slowdown" in shown.stdout
    assert "learnt from 128 steps" in shown.stdout
    prolonged = run("learn", "train", small, "--out", out, "--resume", "--steps", "160")
    assert "learnt from 160 steps" in prolonged.stdout


def test_mistakes_take_one_line(schedlab: Run, small: Path, tmp_path: Path) -> None:
    """The exit code is 2, and torch is not loaded before the file is understood."""
    small.write_text(SMALL.replace("n_epochs", "epochs"))
    done = schedlab("learn", "train", small)
    assert (done.returncode, done.stdout) == (2, "")
    sentence = 'unknown key or section of [ppo] "epochs"; did you mean "n_epochs"?'
    assert done.stderr == f"schedlab: {small}: {sentence}\n"
    done = schedlab("simulate", small, "--policy", f"learned:{small}")
    assert done.returncode == 2
    assert f"{small}: unknown key or section of the agent's file" in done.stderr


@pytest.mark.slow
def test_ctrl_c_and_resume_give_the_same_model(small: Path, tmp_path: Path, run: Run) -> None:
    """A checkpoint is kept, the message says how to go on, and the exit code is 130."""
    small.write_text(SMALL.replace("steps = 128", "steps = 3_200", 1))
    out, straight = tmp_path / "interrupted", tmp_path / "straight"
    process = subprocess.Popen(
        [sys.executable, "-m", "schedlab", "learn", "train", str(small), "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    progress = out / "progress.csv"
    while not progress.exists() or len(progress.read_text().splitlines()) < 5:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=300)
    assert (process.returncode, stdout) == (130, "")
    assert f"a checkpoint is kept in {out}; run again with --resume to go on" in stderr
    assert not (out / "model.zip").exists()
    assert run("learn", "train", small, "--out", out, "--resume").exit_code == 0
    assert run("learn", "train", small, "--out", straight).exit_code == 0
    assert (out / "model.zip").read_bytes() == (straight / "model.zip").read_bytes()
