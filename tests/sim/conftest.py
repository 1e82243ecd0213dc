"""Both simulators behind one interface, so that each hand-drawn case checks both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from schedlab.sim import simulate
from schedlab.testing import ReferencePolicy, ReferenceSchedule, reference_simulate
from schedlab.workload import Workload

POLICIES = {
    "easy": ReferencePolicy(backfill="easy"),
    "easy:backfill=sjf": ReferencePolicy(backfill="easy", candidates="sjf"),
    "conservative": ReferencePolicy(backfill="conservative"),
    "sjf+conservative": ReferencePolicy("sjf", "conservative"),
    "sjf+conservative:rebuild=true": ReferencePolicy("sjf", "conservative", rebuild=True),
}


def by_reference(workload: Workload, nodes: int, policy: str, **options: Any) -> ReferenceSchedule:
    """Return the schedule of the plain Python simulator."""
    chosen = POLICIES.get(policy, ReferencePolicy(policy))
    return reference_simulate(workload, nodes, chosen, **options)


def by_core(workload: Workload, nodes: int, policy: str, **options: Any) -> ReferenceSchedule:
    """Return the schedule of the native simulator, in the same form."""
    return ReferenceSchedule.of(simulate(workload, nodes, policy, **options))


@pytest.fixture(params=[by_reference, by_core])
def run(request: pytest.FixtureRequest) -> Callable[..., ReferenceSchedule]:
    """One of the two simulators: ``run(workload, nodes, policy, **options)``."""
    simulator: Callable[..., ReferenceSchedule] = request.param
    return simulator
