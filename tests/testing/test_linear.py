"""The features of linear orders against figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedlab.testing.reference.job import Job
from schedlab.testing.reference.linear import FEATURES, linear
from schedlab.testing.reference.machine import Held, Machine, NodesAsked
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.simulation import ReferenceSimulation

ALL = frozenset(range(10))
RUNNING = Job(0, submit_s=0, nodes=7, request_s=1000, run_s=7, cancel_after_s=-1,
              demand=(NodesAsked(ALL, 7),), estimate_s=549, eligible_s=0)  # fmt: skip
WAITING = Job(1, submit_s=100, nodes=4, request_s=1000, run_s=7, cancel_after_s=-1,
              demand=(NodesAsked(ALL, 4),), estimate_s=100, eligible_s=351)  # fmt: skip


@pytest.fixture
def half_past() -> ReferenceSimulation:
    """A simulation at 450 s: seven of ten nodes are taken, until 549 s by the estimate."""
    machine = Machine.whole_nodes(10)
    sim = ReferenceSimulation([RUNNING, WAITING], machine, 0.3, PREDICTORS["request"]())
    WAITING.eligible_s = 351
    RUNNING.held = [Held(node, (1,)) for node in range(7)]
    RUNNING.start_s, sim.now, sim.running = 0, 450, [RUNNING]
    sim.free[:7] = [(0,)] * 7
    return sim


def test_features(half_past: ReferenceSimulation) -> None:
    """Waiting counts from eligibility, and three free nodes are one too few until 549 s."""
    assert {name: of(WAITING, half_past) for name, of in FEATURES.items()} == pytest.approx(
        {
            "log_request": 3,
            "log_estimate": 2,
            "log_nodes": 0.60206,
            "share": 0.4,
            "log_wait": 2,
            "log_slowdown": 0.298853,
            "log_start_in": 2,
        },
        abs=1e-6,
    )


def test_a_job_that_fits_can_start_now(half_past: ReferenceSimulation) -> None:
    """Log10(1 + 0) is 0."""
    narrow = replace(WAITING, nodes=3, demand=(NodesAsked(ALL, 3),))
    assert FEATURES["log_start_in"](narrow, half_past) == 0


def test_the_score_is_the_weighted_sum(half_past: ReferenceSimulation) -> None:
    """A feature that is not named has no weight."""
    order = linear({"log_request": 2.0, "share": -1.0}, half_past)
    assert order(WAITING, 450) == pytest.approx(5.6)
