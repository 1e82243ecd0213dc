"""Rewards relative to what another policy gets for the same jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from schedlab.errors import SchedlabError
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.rl.training_config import training_config
from schedlab.rl.training_env import TrainingEnv
from schedlab.sim import Schedule, simulate
from schedlab.workload.episodes import GeneratedEpisodes

RULES = QueueSettings(
    nodes=64, visible_jobs=32, mode="order+guard", observation="jobs", reward="slowdown"
)
BUSY = GeneratedEpisodes("lublin:nodes=64", 25, ("load=3:64",))


def environments(rules: QueueSettings = RULES, baseline: str | None = "easy") -> TrainingEnv:
    """Return three environments."""
    env = TrainingEnv(QueueBatch(rules, BUSY, 3, threads=1), 0.1, baseline)
    env.seed(1)
    env.reset()
    return env


def as_easy(env: TrainingEnv) -> NDArray[np.int64]:
    """Return the first job that may be taken, which is what EASY does."""
    first: NDArray[np.int64] = env.batch.mask.argmax(axis=1)
    return first


def returns_of_first_episodes(env: TrainingEnv) -> NDArray[np.float64]:
    """Return the returns of the first episodes, played as EASY would."""
    returns, ended = np.zeros(3), np.zeros(3, bool)
    while not ended.all():
        rewards, dones, infos = env.advance(as_easy(env))
        returns += np.where(ended, 0, rewards)
        assert all(infos[place]["episode"]["r"] < 0 for place in np.flatnonzero(dones))
        ended |= dones
    return returns


@pytest.mark.parametrize("reward", ["slowdown", "utilisation"])
def test_who_plays_as_the_rival_gets_nothing(reward: str) -> None:
    """An agent that plays as its baseline gets 0 for any jobs; others get the difference."""
    rules = replace(RULES, reward=reward)
    np.testing.assert_allclose(returns_of_first_episodes(environments(rules)), 0, atol=2e-4)
    alone = returns_of_first_episodes(environments(rules, None))
    beside_sjf = returns_of_first_episodes(environments(rules, "sjf+easy"))
    assert (alone < 0).all()
    assert np.abs(beside_sjf).max() > 1e-4


def grown_to(now: int, schedule: Schedule) -> float:
    """Return the summed bounded slowdowns of submitted jobs, if those that wait started now."""
    came, ran = schedule.workload["submit_s"], schedule.ran_s
    waited = np.minimum(schedule.start_s, now) - came
    return float(np.maximum((waited + ran) / np.maximum(ran, 10), 1)[came <= now].sum())


def test_what_it_gets_is_taken_off_as_time_goes_on() -> None:
    """After each step, rewards are relative to the baseline's bounded slowdowns up to then."""
    env = environments(baseline="sjf+easy")
    batch, clock, gained, alone = env.batch, np.zeros(3, np.int64), np.zeros(3), np.zeros(3)
    assert isinstance(batch, QueueBatch)
    workloads = [batch.played(place)[0] for place in range(3)]
    theirs = [simulate(jobs, 64, "sjf+easy", tick=60, predict="actual") for jobs in workloads]
    for _ in range(15):
        rewards, dones, _ = env.advance(as_easy(env))
        assert not dones.any()
        gained, alone = gained + rewards / 0.1, alone + batch.reward
        batch.core.times(clock)
        for place, schedule in enumerate(theirs):
            paid = grown_to(clock[place], schedule)
            assert gained[place] == pytest.approx(alone[place] + paid, rel=1e-4, abs=1e-3)
    assert (gained != alone).all()


def test_restored_it_is_as_far_as_it_was() -> None:
    """A restored environment pays the same rewards from then on."""
    env, again = environments(), environments()
    for _ in range(40):
        env.advance(as_easy(env))
    again.restore(env.records())
    for _ in range(40):
        rewards, dones, _ = env.advance(as_easy(env))
        others, others_dones, _ = again.advance(as_easy(again))
        np.testing.assert_allclose(rewards, others, atol=1e-6)
        np.testing.assert_array_equal(dones, others_dones)


@pytest.mark.parametrize(
    ("sections", "sentence"),
    [
        ({"train": {"baseline": "easy"}}, "baseline needs id"),
        (
            {"environment": {"reward": "slowdown"}, "train": {"baseline": "teacher"}},
            "needs a teacher",
        ),
        (
            {"environment": {"reward": "slowdown"}, "train": {"baseline": "eesy"}},
            'did you mean "easy"',
        ),
    ],
)
def test_what_it_needs(sections: dict[str, Any], sentence: str) -> None:
    """The error comes before anything is played."""
    with pytest.raises(SchedlabError, match=sentence):
        training_config(sections)
