"""A training as a task: it continues where it was, and returns its last evaluation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from schedlab.experiments.engine import run_task
from schedlab.experiments.tuning.training_task import TrainingTask, training_key
from schedlab.rl.queue_environment import QueueEnvironment
from schedlab.rl.train import CHECKPOINT, EVALUATIONS, MODEL, train
from schedlab.rl.training_config import TrainingConfig, training_config

DOCUMENT = {
    "environment": {"nodes": 4, "visible_jobs": 4, "max_steps": 60},
    "episodes": {"workload": "lublin:nodes=4", "jobs": 10},
    "train": {"network": [8], "envs": 2, "steps": 64},
    "ppo": {"n_steps": 16, "batch_size": 16, "n_epochs": 2},
    "evaluation": {"episodes": 2},
}

STOPPED = """
import os, signal
from dataclasses import replace
from pathlib import Path
from schedlab.experiments.tuning.training_task import TrainingTask, training_key
from schedlab.rl.training_config import training_config
from schedlab.rl.training_env import TrainingEnv

step_wait, steps = TrainingEnv.step_wait, []

def stopped(self):
    steps.append(1)
    if len(steps) == 20:
        os.kill(os.getpid(), signal.SIGTERM)
    return step_wait(self)

TrainingEnv.step_wait = stopped
config = training_config({document!r})
TrainingTask(key="k", name="n", config=config, folder=Path({folder!r})).compute()
"""


@pytest.fixture
def config() -> TrainingConfig:
    """A training that takes a moment."""
    return training_config(DOCUMENT)


def task(config: TrainingConfig, folder: Path) -> TrainingTask:
    """Return the task of this training."""
    return TrainingTask(key="k", name="n", config=config, folder=folder)


def test_the_outcome_is_the_last_evaluation(config: TrainingConfig, tmp_path: Path) -> None:
    """Every score by which settings can be ranked is in it."""
    outcome = run_task(task(config, tmp_path / "task"))
    assert outcome.error is None
    assert outcome.values == train(config, tmp_path / "plain").results
    assert set(QueueEnvironment.scores) <= outcome.values.keys()


def test_an_earlier_training_is_prolonged(config: TrainingConfig, tmp_path: Path) -> None:
    """The earlier one is kept, and the longer one equals a training without a break."""
    short = task(config.with_train(steps=32), tmp_path / "short")
    assert run_task(short).values["steps_learnt"] == 32
    model = (short.folder / MODEL).read_bytes()
    longer = replace(task(config, tmp_path / "long"), earlier=short.folder)
    assert run_task(longer).values["steps_learnt"] == 64
    assert len((longer.folder / EVALUATIONS).read_text().splitlines()) == 3
    straight = train(config, tmp_path / "straight")
    assert (longer.folder / MODEL).read_bytes() == straight.model.read_bytes()
    assert (short.folder / MODEL).read_bytes() == model


def test_a_machine_that_does_not_see_the_folder(config: TrainingConfig, tmp_path: Path) -> None:
    """Otherwise its model would be lost."""
    outcome = run_task(task(config, tmp_path / "absent" / "task"))
    assert "choose an output folder that every machine sees" in str(outcome.error)


def test_a_failure_is_told(tmp_path: Path) -> None:
    """The jobs here are wider than the machine."""
    wide = {**DOCUMENT, "environment": {"nodes": 1, "visible_jobs": 4}}
    outcome = run_task(task(training_config(wide), tmp_path / "task"))
    assert "nodes" in str(outcome.error)


@pytest.mark.slow
def test_whoever_is_terminated_leaves_a_checkpoint(config: TrainingConfig, tmp_path: Path) -> None:
    """The process ends by the signal without output, and the training continues from there."""
    folder = tmp_path / "task"
    code = STOPPED.format(document=DOCUMENT, folder=str(folder))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=os.environ)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGTERM, b"", b"")
    assert (folder / CHECKPOINT).exists()
    assert not (folder / MODEL).exists()
    run_task(task(config, folder))
    straight = train(config, tmp_path / "straight")
    assert (folder / MODEL).read_bytes() == straight.model.read_bytes()


def test_another_teacher_is_another_training(tmp_path: Path) -> None:
    """A training's key depends on the content of its teacher's file, not only on its name."""
    config = training_config({"clone": {"teacher": "teacher.toml"}}, tmp_path)
    keys = set()
    for text in ("one", "another", "one"):
        (tmp_path / "teacher.toml").write_text(text)
        keys.add(training_key(config))
    assert len(keys) == 2
