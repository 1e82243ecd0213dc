"""The layout names what the core writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from schedlab.rl import QueueEnv, QueueSettings
from schedlab.rl.observation_layout import ObservationLayout
from schedlab.testing.instances import jobs

# submit, nodes, request, run
JOBS = ((0, 3, 100, 50), (10, 4, 80, 20), (10, 2, 40, 30))


def seen(observation: str) -> tuple[dict[str, list[float]], ObservationLayout]:
    """Return the observation at 10 s by group, and its layout.

    At 10 s the first job runs on three of four nodes, and two jobs wait. All observations but
    ``jobs`` are unscaled.
    """
    rules: dict[str, Any] = {
        "nodes": 4,
        "visible_jobs": 3,
        "sim_step_s": 1,
        "estimate": "actual",
        "scaled": observation == "jobs",
    }
    env = QueueEnv(jobs(*JOBS), None, observation=observation, **rules)
    env.reset()
    row = env.step(0)[0]
    layout = ObservationLayout.of(QueueSettings(observation=observation, **rules))
    assert layout.size == len(row)
    columns = np.concatenate([group.columns for group in layout.groups])
    assert sorted(columns) == list(range(len(row)))
    return {group.name: row[group.columns].tolist() for group in layout.groups}, layout


def test_nodes_and_jobs_by_request_and_by_estimate() -> None:
    """Remaining times of nodes, then the jobs, each by request and by the true run time."""
    found, layout = seen("proposal")
    assert found == {
        "node remaining by request": [90, 90, 90, 0],
        "node remaining by estimate": [40, 40, 40, 0],
        "job nodes": [4, 2, 0],
        "job request": [80, 40, 0],
        "job estimate": [20, 30, 0],
    }
    predicted = [group.name for group in layout.groups if group.predicted]
    assert predicted == ["node remaining by estimate", "job estimate"]


def test_the_baseline_sees_no_estimate() -> None:
    """It sees the same without predictions."""
    found, layout = seen("baseline")
    assert list(found) == ["node remaining by request", "job nodes", "job request"]
    assert found["job request"] == [80, 40, 0]
    assert not any(group.predicted for group in layout.groups)


def test_features_of_jobs_and_of_the_machine() -> None:
    """Shares of the machine and flags are plain numbers; times are logarithms."""
    found, _ = seen("jobs")
    assert found["job nodes"] == [1, 0.5, 0]
    assert found["job fits"] == [0, 0, 0]
    assert found["free nodes"] == [0.25]
    assert found["nodes freed later"][-1] == 1
    assert len(found["nodes freed later"]) == 12
    assert found["head chosen"] == [0]
    scale = np.log1p(100)
    for name, times_s in {
        "job request": [80, 40, 0],
        "job estimate": [20, 30, 0],
        "job wait": [0, 0, 0],
        "job earliest start": [40, 40, 0],
    }.items():
        assert found[name] == pytest.approx(np.log1p(times_s) / scale)
    area = np.log1p([80, 60, 0]) / np.log1p(400)
    assert found["job area"] == pytest.approx(area)


def test_which_places_hold_a_job() -> None:
    """A job has nodes, an empty place has none; inputs of one place lie together."""
    _, layout = seen("jobs")
    row = np.zeros((1, layout.size), np.float32)
    row[0, layout.job_columns[1]] = 1
    assert layout.present(row).tolist() == [[False, True, False]]
