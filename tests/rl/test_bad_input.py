"""Wrong rules, jobs and actions are refused with one clear sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from schedlab import Workload
from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.rl import QueueBatch, QueueEnv, QueueSettings, QueueVectorEnv, WindowEpisodes
from schedlab.testing.instances import crowd, jobs, withdrawn

SMALL: dict[str, Any] = {"nodes": 16, "visible_jobs": 5}
NOBODY = jobs((0, 1, 1, 1)).take(np.array([False]))


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"mode": "ordr"}, 'unknown mode "ordr"; did you mean "order"?'),
        ({"observation": "proposals"}, 'unknown observation "proposals"; did you mean'),
        ({"reward": "fame"}, 'unknown reward "fame"; known: '),
        ({"estimate": "last-too"}, 'did you mean "last-two"'),
    ],
)
def test_unknown_names_get_suggestions(rules: dict[str, Any], sentence: str) -> None:
    """The error has the nearest name, or all of them."""
    with pytest.raises(UnknownNameError) as raised:
        QueueEnv(crowd(), None, nodes=16, **rules)
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"nodes": -1}, "nodes is -1; must be from 1 to 2,147,483,647"),
        ({"visible_jobs": 0}, "visible_jobs is 0; must be from 1 to 2,147,483,647"),
        ({"time_scale_s": 0.0}, "time_scale_s is 0.0; must be > 0"),
        ({"render_mode": "human"}, 'render_mode is "human"; must be rgb_array'),
        ({"jobs": 0}, "windows of 0 jobs; must be from 1 to the trace's 40"),
    ],
)
def test_values_outside_what_is_allowed_are_refused(rules: dict[str, Any], sentence: str) -> None:
    """The error comes before anything is played."""
    with pytest.raises(ParameterError) as raised:
        QueueEnv(crowd(), **({"jobs": None, "nodes": 16} | rules))
    assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("workload", "sentence"),
    [
        (jobs((0, 17, 9, 9)), "needs 17 nodes but the cluster has 16"),
        (withdrawn(), "is withdrawn while it waits"),
        (NOBODY, "an episode needs at least one job"),
    ],
    ids=["too wide", "withdrawn", "nobody"],
)
def test_jobs_that_cannot_be_played_are_refused(workload: Workload, sentence: str) -> None:
    """The agent would wait for ever."""
    env = QueueEnv(crowd(), None, **SMALL)
    with pytest.raises(WorkloadError, match=sentence):
        env.reset(options={"sequence": workload})


def test_a_trace_without_jobs_is_refused() -> None:
    """The error comes when the episode begins."""
    with pytest.raises(WorkloadError, match="an episode needs at least one job"):
        QueueEnv(NOBODY, None, **SMALL).reset()


def test_options_of_a_reset_are_read_with_care() -> None:
    """A sequence is a workload, not the name of one; other jobs must not be played instead."""
    env = QueueEnv(crowd(), None, **SMALL)
    with pytest.raises(ParameterError, match="sequence is a str; must be a Workload"):
        env.reset(options={"sequence": "wl1"})
    with pytest.raises(UnknownNameError, match='did you mean "sequence"'):
        env.reset(options={"sequences": crowd()})


@pytest.mark.parametrize("action", [-1, 6, 101])
def test_an_action_that_there_is_not_is_refused(action: int) -> None:
    """Five visible jobs and one more action have the numbers 0 to 5."""
    env = QueueEnv(crowd(), None, **SMALL)
    env.reset()
    with pytest.raises(ParameterError, match=f"action is {action}; must be from 0 to 5"):
        env.step(action)
    vector = QueueVectorEnv(2, crowd(), None, **SMALL)
    vector.reset()
    with pytest.raises(ParameterError, match=f"action is {action}; must be from 0 to 5"):
        vector.step([0, action])


def test_an_episode_begins_with_reset() -> None:
    """Before it there is nothing to step or to show."""
    env = QueueEnv(crowd(), None, **SMALL)
    with pytest.raises(ParameterError, match="reset"):
        env.step(0)
    with pytest.raises(ParameterError, match="reset"):
        env.schedule()


def test_a_batch_needs_sizes_that_agree() -> None:
    """It needs an environment, a thread, a seed for each, and rows for the observations."""
    rules, episodes = QueueSettings(**SMALL), WindowEpisodes(crowd(), 12)
    with pytest.raises(ParameterError, match="environments is 0; must be from 1 to 65,536"):
        QueueBatch(rules, episodes, 0)
    with pytest.raises(ParameterError, match="threads is 0; must be from 1 to 1,024"):
        QueueBatch(rules, episodes, 2, threads=0)
    with pytest.raises(ParameterError, match="3 seeds for 2 environments"):
        QueueBatch(rules, episodes, 2).seed([1, 2, 3])
    with pytest.raises(ParameterError, match=r"shape \(2, 3\); must be \(2, 47\)"):
        QueueBatch(rules, episodes, 2, observation=np.zeros((2, 3), np.float32))
    with pytest.raises(ParameterError, match="contiguous array of float32"):
        QueueBatch(rules, episodes, 2, observation=np.zeros((47, 2), np.float32).T)
