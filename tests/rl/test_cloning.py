"""A network that starts as a clone of its teacher."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError, ParameterError
from schedlab.platform import Platform
from schedlab.policies.evolved import Priority, write_priority
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.rl.cloning import demonstrate, teacher_of
from schedlab.rl.teacher import Teacher
from schedlab.rl.train import train
from schedlab.rl.training_config import TrainingConfig, read_training, training_config
from schedlab.rl.training_env import TrainingEnv
from schedlab.sim import simulate
from schedlab.workload import generate
from schedlab.workload.episodes import FixedEpisode, GeneratedEpisodes

RULES = QueueSettings(
    nodes=64,
    visible_jobs=40,
    mode="order+guard",
    observation="jobs",
    reward="slowdown",
    sim_step_s=1,
    time_scale_s=86_400.0,
)
SHORT_FIRST = Priority("short first", {"log_estimate": 1.0}, {"log_estimate": 1.0, "share": 0.5})
WEIGHTS = st.sampled_from([-1.0, 0.0, 0.5, 2.0])
ORDERS = st.fixed_dictionaries(
    dict.fromkeys(
        ("log_request", "log_estimate", "log_nodes", "share", "log_wait", "log_slowdown"), WEIGHTS
    )
)


def document(folder: Path, **sections: dict[str, Any]) -> TrainingConfig:
    """Return a small training that starts with a teacher, whose file is in the folder."""
    write_priority(folder / "teacher.toml", SHORT_FIRST)
    given: dict[str, dict[str, Any]] = {
        "environment": {
            "nodes": 64,
            "visible_jobs": 16,
            "mode": "order+guard",
            "observation": "jobs",
            "reward": "slowdown",
        },
        "episodes": {"workload": "lublin:nodes=64", "jobs": 40, "transforms": ["load=1.2:64"]},
        "clone": {"teacher": "teacher.toml", "decisions": 3000, "epochs": 8, "batch_size": 128},
        "train": {
            "algorithm": "maskable-ppo",
            "network": "kernel",
            "envs": 4,
            "steps": 512,
            "reward_scale": 1e-3,
            "baseline": "teacher",
        },
        "ppo": {"n_steps": 64, "batch_size": 64, "gamma": 1.0},
        "evaluation": {"episodes": 4},
    }
    for name, changes in sections.items():
        given[name] = {**given[name], **changes}
    return training_config(given, folder)


def evaluations(folder: Path) -> list[dict[str, float]]:
    """Return the evaluations that a training has written."""
    with (folder / "evaluations.csv").open(newline="") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


@given(
    head=ORDERS, backfill=ORDERS, gap=st.sampled_from([None, 0.0, 1.0]), seed=st.integers(0, 1000)
)
def test_a_teacher_schedules_as_its_priority_does(
    head: dict[str, float], backfill: dict[str, float], gap: float | None, seed: int
) -> None:
    """It knows only what the environment shows, and starts each job at the same time."""
    priority = Priority("drawn", head, backfill, max_priority_gap=gap)
    jobs = generate("lublin:nodes=64", 30, seed=seed)
    batch = QueueBatch(RULES, FixedEpisode(jobs), 1, threads=1)
    teacher = Teacher(priority, RULES, 86_400.0)
    batch.reset(0)
    while not len(batch.step(teacher.choose(batch.observation, batch.mask))):
        pass
    platform = Platform.homogeneous(64)
    wanted = simulate(jobs, platform, priority.policy(), predict="actual")
    np.testing.assert_array_equal(batch.schedule(0).start_s, wanted.start_s)


def test_demonstrations_are_whole_episodes_with_their_returns() -> None:
    """The first step of each has the discounted sum of all rewards of the episode."""
    episodes = GeneratedEpisodes("lublin:nodes=64", 20)
    env = TrainingEnv(QueueBatch(RULES, episodes, 2, threads=1), 0.5)
    env.seed(1)
    teacher = Teacher(SHORT_FIRST, RULES, 86_400.0)
    shown = demonstrate(teacher, env, 50, gamma=1.0)
    assert len(shown) >= 50
    assert shown.masks[np.arange(len(shown)), shown.actions].all()
    again = QueueBatch(RULES, episodes, 2, threads=1)
    again.seed(1)
    rewards = []
    for place in range(2):
        again.reset(place)
    while True:
        ended = again.step(teacher.choose(again.observation, again.mask))
        rewards.append(again.reward.copy())
        if len(ended):
            break
    first = int(ended[0])
    assert shown.returns[0] == pytest.approx(0.5 * np.sum(rewards, axis=0)[first], rel=1e-5)


def test_a_clone_decides_as_its_teacher(tmp_path: Path) -> None:
    """The first evaluation, before any other learning, is already that of a good order."""
    notes: list[str] = []
    config = document(tmp_path)
    train(config, tmp_path / "out", progress=lambda *news: notes.append(news[2]))
    share = float(notes[0].split("%")[0].split()[-1])
    assert share > 80
    first, last = evaluations(tmp_path / "out")
    assert (first["steps_learnt"], last["steps_learnt"]) == (0, 512)
    plain = document(tmp_path, clone={"teacher": None}, train={"steps": 256, "baseline": None})
    untaught = train(plain, tmp_path / "untaught").results
    assert first["mean_bounded_slowdown"] < untaught["mean_bounded_slowdown"]


@pytest.mark.slow
def test_resumed_it_is_not_cloned_again(tmp_path: Path) -> None:
    """A resumed training gives the same results as one without a break."""
    whole = train(document(tmp_path), tmp_path / "whole")
    train(document(tmp_path, train={"steps": 256}), tmp_path / "half")
    resumed = train(document(tmp_path), tmp_path / "half", resume=True)
    assert resumed.results == whole.results
    assert evaluations(tmp_path / "half")[0] == evaluations(tmp_path / "whole")[0]


def test_what_a_teacher_needs(tmp_path: Path) -> None:
    """The error comes before anything is played."""
    with pytest.raises(ParameterError, match=r"order\+guard"):
        train(document(tmp_path, environment={"mode": "order"}), tmp_path / "out")
    with pytest.raises(InputError, match=r"absent\.toml"):
        train(document(tmp_path, clone={"teacher": "absent.toml"}), tmp_path / "out")
    with pytest.raises(InputError, match="epochs is 0"):
        document(tmp_path, clone={"epochs": 0})
    pick = {"mode": "pick", "observation": "proposal"}
    with pytest.raises(ParameterError, match="baseline needs id"):
        document(tmp_path, environment=pick | {"reward": "terminal"}, train={"network": [8]})


def test_a_ready_policy_can_teach(tmp_path: Path) -> None:
    """It is given by its name; relative to itself, it gets nothing for its own decisions.

    This holds for this draw: the policy has a weight on the earliest start, so in some draws it
    decides differently.
    """
    config = document(tmp_path, clone={"teacher": "evolved:slowdown"})
    episodes, _ = config.open_episodes()
    teacher = teacher_of(config, episodes)
    assert teacher is not None
    batch = QueueBatch(config.require_queue(), episodes, 2, threads=1)
    env = TrainingEnv(batch, 1.0, config.baseline)
    env.seed(1)
    shown = demonstrate(teacher, env, 60, gamma=1.0)
    assert shown.returns[0] == pytest.approx(0, abs=1e-3)


def test_the_section_is_read_from_a_file(tmp_path: Path) -> None:
    """The teacher's file is looked for beside it."""
    file = tmp_path / "training.toml"
    file.write_text('[clone]\nteacher = "teacher.toml"\ndecisions = 7\n')
    config = read_training(file)
    assert (config.clone.decisions, config.folder) == (7, tmp_path)
