"""The networks have the sizes that they promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from schedlab import _core
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.environments import Settings
from schedlab.rl.gantt.settings import SLOT_FEATURES, GanttSettings
from schedlab.rl.networks import (
    ActorCritic,
    action_scores,
    scores_and_values,
)
from schedlab.rl.observation_layout import JOB_FEATURES as NAMES
from schedlab.rl.train_policy import policy_class, policy_settings
from schedlab.rl.train_section import TrainSection

JOB_FEATURES = len(NAMES)
QUEUE = QueueSettings()


def observation_size(visible_jobs: int) -> int:
    """Return the size of the observation ``jobs``."""
    settings = QueueSettings(nodes=8, visible_jobs=visible_jobs, observation="jobs")
    return _core.QueuePasses(settings.options(100.0)).observation_size


def network(size: int, actions: int, environment: Settings = QUEUE, **train: Any) -> ActorCritic:
    """Return a network as a trainer would build it."""
    section = TrainSection(**train)
    space = Box(0, 10, (size,), np.float32)
    return policy_class(section)(
        space, Discrete(actions), lambda _: 1e-3, **policy_settings(section, environment)
    )


def count(policy: ActorCritic) -> int:
    """Return the number of its parameters."""
    return sum(each.numel() for each in policy.parameters())


def test_each_visible_job_has_so_many_features() -> None:
    """The network cuts the core's observation at the right places."""
    assert observation_size(5) - observation_size(4) == JOB_FEATURES


@pytest.mark.parametrize("algorithm", ["ppo", "maskable-ppo", "acer"])
def test_the_kernel_s_size_does_not_depend_on_the_window(algorithm: str) -> None:
    """So it can be used with any number of visible jobs."""
    sizes = {
        count(network(observation_size(jobs), jobs + 1, algorithm=algorithm, network="kernel"))
        for jobs in (4, 100)
    }
    assert len(sizes) == 1


def test_the_kernel_does_not_care_for_the_order_of_jobs() -> None:
    """Scores move with their jobs, and empty slots are never chosen."""
    policy = network(observation_size(3), 4, network="kernel")
    random = np.random.default_rng(1)
    row: NDArray[np.float32] = random.random((1, observation_size(3))).astype(np.float32)
    swapped = row.copy()
    swapped[0, :JOB_FEATURES] = row[0, JOB_FEATURES : 2 * JOB_FEATURES]
    swapped[0, JOB_FEATURES : 2 * JOB_FEATURES] = row[0, :JOB_FEATURES]
    scores, other = (action_scores(policy, torch.from_numpy(each))[0] for each in (row, swapped))
    assert torch.allclose(scores[[1, 0, 2, 3]], other)
    row[0, JOB_FEATURES : 2 * JOB_FEATURES] = 0
    assert action_scores(policy, torch.from_numpy(row))[0, 1] < -1e6


def test_the_kernel_scores_jobs_beside_the_head() -> None:
    """The head's request moves all scores, even that of waiting; another job's only its own."""
    policy = network(observation_size(3), 4, network="kernel")
    row = np.random.default_rng(1).random((1, observation_size(3))).astype(np.float32)
    for chosen in (0, 1):
        row[0, JOB_FEATURES - 2 : 3 * JOB_FEATURES : JOB_FEATURES] = (chosen, 0, 0)  # is head
        longer = row.copy()
        longer[0, 0] += 1
        scores, other = (action_scores(policy, torch.from_numpy(each))[0] for each in (row, longer))
        assert (scores != other).tolist() == [True, *[chosen == 1] * 3]


def test_on_the_grid_the_kernel_finds_the_jobs_between_the_rows_and_the_backlog() -> None:
    """Scores move with their slots, and empty slots are never chosen."""
    settings = GanttSettings(slots=3, observation="vector")
    (size,) = settings.observation_shape
    policy = network(size, 4, settings, network="kernel")
    row = np.random.default_rng(1).random((1, size)).astype(np.float32)
    first, end = settings.window, settings.window + 3 * SLOT_FEATURES
    swapped = row.copy()
    swapped[0, first:end] = np.roll(row[0, first:end], SLOT_FEATURES)
    scores, other = (action_scores(policy, torch.from_numpy(each))[0] for each in (row, swapped))
    assert torch.allclose(scores[[2, 0, 1, 3]], other)
    row[0, first : first + SLOT_FEATURES] = 0
    assert action_scores(policy, torch.from_numpy(row))[0, 0] < -1e6


def test_the_kernel_values_every_action() -> None:
    """Each is valued by its own job, so values move with their jobs as scores do."""
    policy: Any = network(observation_size(3), 4, algorithm="acer", network="kernel")
    row = np.random.default_rng(1).random((1, observation_size(3))).astype(np.float32)
    swapped = row.copy()
    swapped[0, :JOB_FEATURES] = row[0, JOB_FEATURES : 2 * JOB_FEATURES]
    swapped[0, JOB_FEATURES : 2 * JOB_FEATURES] = row[0, :JOB_FEATURES]
    (_, values), (_, other) = (policy.evaluate(torch.from_numpy(each)) for each in (row, swapped))
    assert values.shape == (1, 4)
    assert torch.allclose(values[0, [1, 0, 2, 3]], other[0], atol=1e-6)


@pytest.mark.parametrize("network_name", ["kernel", (8,)])
def test_a_situation_is_worth_the_mean_of_its_actions(network_name: Any) -> None:
    """ACER has values of actions; cloning, for example, needs the value of the situation."""
    policy: Any = network(observation_size(3), 4, algorithm="acer", network=network_name)
    rows = torch.rand(5, observation_size(3))
    scores, values = scores_and_values(policy, rows)
    _, q = policy.evaluate(rows)
    assert torch.allclose(values, (scores.softmax(-1) * q).sum(-1), atol=1e-6)
    assert torch.allclose(values, policy.predict_values(rows).squeeze(-1), atol=1e-6)


def test_a_shared_trunk_is_one_network() -> None:
    """Stable-Baselines3 1.0 read a list of widths this way; version 2 makes two networks of it."""
    trunk = 812 * 1024 + 1024 + 1024 * 512 + 512 + 512 * 256 + 256
    heads = 256 * 101 + 101 + 256 + 1
    assert count(network(812, 101, network="nn1", shared_trunk=True)) == trunk + heads
    assert count(network(812, 101, network="nn1")) == 2 * trunk + heads
