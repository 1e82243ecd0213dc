"""The searches, with an engine that pretends to train: what is trained, how long, what wins."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("stable_baselines3")

from schedlab.errors import InputError, OutputError
from schedlab.experiments import Task, TaskOutcome
from schedlab.experiments.tuning import Tuned, read_tuning, tune
from schedlab.experiments.tuning.ranking import FILES
from schedlab.experiments.tuning.training_task import TrainingTask
from schedlab.rl.training_config import TrainingConfig, read_training

TRAINING = """
[environment]
nodes = 8
[episodes]
workload = "lublin:nodes=8"
jobs = 10
[train]
envs = 4
steps = 1000

[ppo]
n_steps = 64
batch_size = 64
"""
GRID = """
[tune]
training = "base.toml"
runs = 2
[space.ppo]
n_steps = [16, 32, 64]
batch_size = [64, 128]
"""
TRIALS = """
[tune]
training = "base.toml"
runs = 2
trials = 30
[space.ppo]
learning_rate = { low = 1e-5, high = 1e-1, log = true }
n_epochs = { low = 1, high = 20 }
gamma = [0.9, 0.99, 1.0]
[space.train]
network = [[8], [8, 8], "nn1"]
"""

Score = Callable[[TrainingConfig], float]


class Pretending:
    """An engine that takes the scores from a formula; after ``limit`` trainings it is stopped."""

    def __init__(self, score: Score, limit: int | None = None, backwards: bool = False) -> None:
        self.score, self.limit, self.backwards = score, limit, backwards
        self.trained: list[TrainingTask] = []

    def run(self, tasks: Sequence[Task]) -> Generator[TaskOutcome, None, None]:
        """Run the tasks one after the other."""
        for task in reversed(tasks) if self.backwards else tasks:
            assert isinstance(task, TrainingTask)
            if len(self.trained) == self.limit:
                raise KeyboardInterrupt
            self.trained.append(task)
            yield self._outcome(task)

    def _outcome(self, task: TrainingTask) -> TaskOutcome:
        try:
            score = self.score(task.config)
        except ZeroDivisionError:
            return TaskOutcome(key=task.key, name=task.name, error="the network exploded")
        task.folder.mkdir(exist_ok=True)
        (task.folder / "model.zip").write_text(f"model of {task.name}")
        values = {"utilisation": score, "mean_wait_s": 100 * score}
        return TaskOutcome(key=task.key, name=task.name, values=values)


def by_rollout(config: TrainingConfig) -> float:
    """Return a score: longer rollouts are better, and higher seeds luckier."""
    return (config.ppo.n_steps or 0) / 100 + 0.01 * config.train.seed


def by_distance(config: TrainingConfig) -> float:
    """Return a score, best at a learning rate of 1e-3 and ten epochs; more steps help all."""
    from math import log10

    rate, epochs = config.ppo.learning_rate or 1, config.ppo.n_epochs or 0
    return config.train.steps / 1000 - (log10(rate) + 3) ** 2 - abs(epochs - 10) / 10


@pytest.fixture
def described(tmp_path: Path) -> Callable[..., Any]:
    """A function that reads a tuning from the text of its file."""

    def describe(text: str, *changes: tuple[str, str]) -> Any:
        (tmp_path / "base.toml").write_text(TRAINING)
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "tuning.toml").write_text(text)
        return read_tuning(tmp_path / "tuning.toml")

    return describe


Describe = Callable[..., Any]


def tables(folder: Path) -> dict[str, bytes]:
    """Return the files that the search wrote."""
    return {name: (folder / name).read_bytes() for name in (*FILES, "best.toml", "best.zip")}


def settings(tuned: Tuned) -> list[dict[str, Any]]:
    """Return the settings in the order of the ranking."""
    return [dict(trial.setting) for trial in tuned.trials]


def test_a_grid_is_trained_whole_but_for_what_cannot_be(
    described: Describe, tmp_path: Path
) -> None:
    """A rollout of 4 x 16 steps has no batch of 128; the rest is trained with both seeds."""
    engine = Pretending(by_rollout)
    tuned = tune(described(GRID), tmp_path / "out", engine=engine)
    assert len(engine.trained) == tuned.computed == 10
    assert [each["n_steps"] for each in settings(tuned)] == [64, 64, 32, 32, 16]
    assert list(tuned.left_out) == ["n_steps=16 batch_size=128"]
    assert "does not divide the 64 steps" in tuned.left_out["n_steps=16 batch_size=128"]
    best = tuned.trials[0]
    assert best.mean == pytest.approx(0.645)
    assert best.spread == pytest.approx(0.01 / 2**0.5)


def test_a_value_that_is_never_possible_is_refused(described: Describe, tmp_path: Path) -> None:
    """It is a mistake, not a corner of the grid."""
    tuning = described(GRID, ("[64, 128]", "[64, 100]"))
    sentence = r"\[space.ppo\] batch_size = 100 is never possible: .*does not divide the 64"
    with pytest.raises(InputError, match=sentence):
        tune(tuning, tmp_path / "out", engine=Pretending(by_rollout))


def test_the_best_is_written_as_a_training_file(described: Describe, tmp_path: Path) -> None:
    """It has the seed of the best run, whose model is beside it."""
    tune(described(GRID), tmp_path / "out", engine=Pretending(by_rollout))
    config = read_training(tmp_path / "out" / "best.toml")
    assert (config.ppo.n_steps, config.ppo.batch_size) == (64, 64)
    assert (config.train.seed, config.train.steps) == (1, 1000)
    model = (tmp_path / "out" / "best.zip").read_text()
    assert model == "model of n_steps=64 batch_size=64 seed=1"


def test_a_trace_is_found_from_the_best_training_file(described: Describe, tmp_path: Path) -> None:
    """That file is in another folder than the training file that named the trace."""
    (tmp_path / "jobs.csv").write_text("job_id,submit_s,nodes,request_s,run_s\n1,0,2,9,9\n")
    tuning = described(GRID)
    text = TRAINING.replace('"lublin:nodes=8"\njobs = 10', '"jobs.csv"')
    (tmp_path / "base.toml").write_text(text)
    tuning = read_tuning(tmp_path / "tuning.toml")
    tune(tuning, tmp_path / "out", engine=Pretending(by_rollout))
    best = read_training(tmp_path / "out" / "best.toml")
    assert len(best.all_episodes().draw(None)) == 1  # type: ignore[arg-type]


def test_the_ranking_says_everything(described: Describe, tmp_path: Path) -> None:
    """It has parameters, mean, spread, each run, and the versions and training behind them."""
    tune(described(GRID), tmp_path / "out", engine=Pretending(by_rollout))
    with (tmp_path / "out" / "ranking.csv").open() as file:
        first = next(csv.DictReader(file))
    assert (first["rank"], first["n_steps"], first["seed 1"]) == ("1", "64", "0.65")
    record = json.loads((tmp_path / "out" / "ranking.json").read_text())
    assert record["seeds"] == [0, 1]
    assert record["training"]["train"]["envs"] == 4
    assert {"schedlab", "torch", "stable-baselines3"} <= record["versions"].keys()
    assert "| 1 | 64 | 64 | trained | 0.645 |" in (tmp_path / "out" / "ranking.md").read_text()


def test_short_waits_are_better_than_long_ones(described: Describe, tmp_path: Path) -> None:
    """The score defines whether more or less is better."""
    tuning = described(GRID, ("runs = 2", 'runs = 2\nscore = "mean_wait_s"'))
    tuned = tune(tuning, tmp_path / "out", engine=Pretending(by_rollout))
    assert tuned.trials[0].setting["n_steps"] == 16
    assert read_training(tmp_path / "out" / "best.toml").train.seed == 0


def test_a_failed_training_costs_its_setting_only(described: Describe, tmp_path: Path) -> None:
    """A mean over fewer runs would compare the lucky ones; the next search tries it again."""

    def exploding(config: TrainingConfig) -> float:
        return by_rollout(config) / (config.ppo.n_steps != 64 or config.train.seed != 1)

    tuned = tune(described(GRID), tmp_path / "out", engine=Pretending(exploding))
    assert tuned.failures["n_steps=64 batch_size=64 seed=1"] == "the network exploded"
    assert [trial.ranked for trial in tuned.trials] == [True] * 3 + [False] * 2
    assert (
        "Failed: n_steps=64 batch_size=64 seed=1: the network exploded"
        in (tmp_path / "out" / "ranking.md").read_text()
    )
    again = tune(described(GRID), tmp_path / "out", engine=Pretending(by_rollout))
    assert (again.computed, again.trials[0].setting["n_steps"]) == (2, 64)


def test_without_a_success_nothing_is_best(described: Describe, tmp_path: Path) -> None:
    """The ranking says why; the best of an earlier search would contradict it."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "best.toml").touch()
    tuned = tune(described(GRID), tmp_path / "out", engine=Pretending(lambda _: 1 / 0))
    assert len(tuned.failures) == 10
    assert not (tmp_path / "out" / "best.toml").exists()


@pytest.mark.parametrize(
    "text",
    [GRID, TRIALS, TRIALS.replace("runs", "prune_at = [200]\nruns")],
    ids=["grid", "optuna", "pruned"],
)
def test_an_interrupted_search_is_taken_up(text: str, described: Describe, tmp_path: Path) -> None:
    """No training is done twice, and the ranking is that of a search in one go."""
    score = by_rollout if text == GRID else by_distance
    whole = Pretending(score)
    tune(described(text), tmp_path / "whole", engine=whole)
    first, second = Pretending(score, limit=7), Pretending(score, backwards=True)
    with pytest.raises(KeyboardInterrupt):
        tune(described(text), tmp_path / "halves", engine=first)
    tune(described(text), tmp_path / "halves", engine=second)
    keys = [task.key for task in (*first.trained, *second.trained)]
    assert sorted(keys) == sorted(task.key for task in whole.trained)
    assert len(set(keys)) == len(keys)
    assert tables(tmp_path / "halves") == tables(tmp_path / "whole")
    third = tune(described(text), tmp_path / "halves", engine=Pretending(score, limit=0))
    assert third.computed == 0


def test_optuna_finds_what_is_good(described: Describe, tmp_path: Path) -> None:
    """It comes near the best learning rate and epochs, among values of the right kinds."""
    engine = Pretending(by_distance)
    tuned = tune(described(TRIALS), tmp_path / "out", engine=engine)
    assert len(tuned.trials) == 30
    best = tuned.trials[0].setting
    assert 2e-4 < best["learning_rate"] < 5e-3
    assert best["learning_rate"] == float(f"{best['learning_rate']:.4g}")
    assert abs(best["n_epochs"] - 10) <= 4
    networks = {task.config.train.network for task in engine.trained}
    assert networks == {(8,), (8, 8), "nn1"}
    other = tune(described(TRIALS, ("runs", "seed = 5\nruns")), tmp_path / "o", engine=engine)
    assert settings(other) != settings(tuned)


def test_what_is_poor_early_is_given_up(described: Describe, tmp_path: Path) -> None:
    """Poor trials end after 200 or 400 of the 1,000 steps; the others are prolonged."""
    engine = Pretending(by_distance)
    tuning = described(TRIALS, ("runs", "prune_at = [200, 400]\nruns"))
    seen: list[tuple[int, int]] = []
    tuned = tune(
        tuning,
        tmp_path / "out",
        engine=engine,
        progress=lambda done, total, note: seen.append((done, total)),
    )
    given_up = [trial for trial in tuned.trials if trial.given_up]
    assert given_up
    assert all(trial.steps in (200, 400) and not trial.ranked for trial in given_up)
    assert all(trial.steps == 1000 for trial in tuned.trials if trial.ranked)
    early = {task.folder for task in engine.trained if task.config.train.steps == 200}
    assert len(early) == 2 * len(tuned.trials)
    assert {task.earlier for task in engine.trained if task.config.train.steps == 400} <= early
    assert tuned.trials[0].ranked
    assert seen[-1] == (180, 180)
    assert seen == sorted(seen)


def test_proposals_that_cannot_be_are_left_out(described: Describe, tmp_path: Path) -> None:
    """The search goes on without them; if there are no others, it says so."""
    trials = ("runs = 2", "runs = 2\ntrials = 12")
    tuned = tune(described(GRID, trials), tmp_path / "out", engine=Pretending(by_rollout))
    assert list(tuned.left_out) == ["n_steps=16 batch_size=128"]
    assert {each["n_steps"] for each in settings(tuned)} <= {16, 32, 64}
    nothing = described(GRID, trials, ("[64, 128]", "[100]"))
    with pytest.raises(InputError, match=r"none of 200 proposed settings can be trained: "):
        tune(nothing, tmp_path / "nothing", engine=Pretending(by_rollout))


def test_what_cannot_be_read_or_written_is_told_at_once(
    described: Describe, tmp_path: Path
) -> None:
    """The error comes before any training."""
    tuning = described(GRID)
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be made a folder"):
        tune(tuning, tmp_path / "file", engine=Pretending(by_rollout))
    text = TRAINING.replace('"lublin:nodes=8"', '"absent.swf"')
    (tmp_path / "base.toml").write_text(text)
    with pytest.raises(InputError, match=r"absent\.swf: no such file"):
        tune(read_tuning(tmp_path / "tuning.toml"), tmp_path / "out")
