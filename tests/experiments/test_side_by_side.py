"""With a GPU, a search trains its settings side by side without being asked."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")

from schedlab.experiments import LocalEngine
from schedlab.experiments.tuning import Tuned, Tuning, read_tuning, tune
from schedlab.experiments.tuning.side_by_side import on_the_gpu
from schedlab.rl.model_file import read_model
from schedlab.rl.stacked import member

TRAINING = """
[environment]
nodes = 8
visible_jobs = 4
max_steps = 60
[episodes]
workload = "lublin:nodes=8"
jobs = 12
[train]
network = [8]
envs = 2
steps = 64
engine = "gpu"
device = "cpu"
precision = "fp32"

[ppo]
n_steps = 16
batch_size = 16
n_epochs = 1

[evaluation]
episodes = 2
"""
GRID = """
[tune]
training = "small.toml"
runs = 2
[space.ppo]
n_steps = [8, 16]
learning_rate = [1e-3, 1e-2]
"""


@pytest.fixture
def tuning(tmp_path: Path) -> Tuning:
    """A search of four settings with two runs each."""
    (tmp_path / "small.toml").write_text(TRAINING)
    (tmp_path / "grid.toml").write_text(GRID)
    return read_tuning(tmp_path / "grid.toml")


def scores(tuned: Tuned) -> dict[str, list[float]]:
    """Return the scores by setting."""
    return {str(trial.setting): trial.scores for trial in tuned.trials}


def test_a_search_on_a_gpu_gives_the_same_ranking(
    tuning: Tuning, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each training leaves its files, so that a second search computes nothing."""
    alone = tune(tuning, tmp_path / "alone", engine=LocalEngine(workers=1))
    monkeypatch.setattr(member, "gpu_is_there", lambda: True)
    notes: list[str] = []
    together = tune(
        tuning, tmp_path / "together", progress=lambda done, total, note: notes.append(note)
    )
    assert together.computed == 8
    assert not together.failures
    assert scores(together).keys() == scores(alone).keys()
    for setting, found in scores(alone).items():
        assert scores(together)[setting] == pytest.approx(found)
    assert any(note.endswith("steps in all") for note in notes)
    folders = sorted((tmp_path / "together" / "trainings").iterdir())
    assert len(folders) == 8
    for folder in folders:
        names = sorted(each.name for each in folder.iterdir())
        assert names == ["best.zip", "evaluations.csv", "model.zip"]
        assert read_model(folder / "model.zip").steps == 64
    assert tune(tuning, tmp_path / "together").computed == 0


def test_what_cannot_go_side_by_side_does_not(
    tuning: Tuning, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search has no GPU, or its values include other networks."""
    assert on_the_gpu(tuning) is None
    monkeypatch.setattr(member, "gpu_is_there", lambda: True)
    moved = on_the_gpu(tuning)
    assert moved is not None
    assert moved.training.train.engine == "gpu"
    (tmp_path / "grid.toml").write_text(GRID + "[space.train]\nnetwork = [[4], [8]]\n")
    assert on_the_gpu(read_tuning(tmp_path / "grid.toml")) is None
    (tmp_path / "grid.toml").write_text(GRID.replace("runs = 2", "runs = 2\ntrials = 3"))
    assert on_the_gpu(read_tuning(tmp_path / "grid.toml")) is not None
