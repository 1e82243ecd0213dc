"""The core and the reference agree on machines that change and on jobs that are interrupted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sim.changing_machines import Changing, changing
from tests.sim.test_against_reference import Policy, simulate_natively
from tests.sim.test_machines import ON_ANY_MACHINE

from schedlab.testing import ReferenceSchedule, reference_simulate
from schedlab.testing.strategies import SimulationOptions, drawn_apart, examples, simulation_options

FEW = st.lists(st.sampled_from(ON_ANY_MACHINE), min_size=4, max_size=4)


PLACES = st.sampled_from(("lowest", "lowest", "worst-fit", "random:seed=1"))


def check_agreement(
    drawn: Changing, options: SimulationOptions, policies: list[Policy], place: str
) -> None:
    """Compare all columns of both simulators under every policy, attempts included."""
    more: dict[str, Any] = {"failures": drawn.failures, "preemption": drawn.preemption}
    more["place"] = place
    for policy in policies:
        native = simulate_natively(policy, drawn.platform, drawn.workload, options, **more)
        plain = reference_simulate(drawn.workload, drawn.platform, policy, **options, **more)
        assert ReferenceSchedule.of(native) == plain, (
            f"{policy.name} with {options} and {more} on {drawn.platform}:\n"
            f"{drawn.workload.frame().to_dicts()}"
        )


@examples(150)
@given(drawn=changing(max_jobs=10), options=simulation_options(), policies=FEW, place=PLACES)
def test_the_core_agrees_with_the_reference(
    drawn: Changing, options: SimulationOptions, policies: list[Policy], place: str
) -> None:
    """They agree whatever changes or interrupts jobs.

    That is outages, drains, reservations, failures, licences, tiers, preemption and checkpoints.
    """
    check_agreement(drawn, options, policies, place)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_the_core_agrees_with_the_reference_at_length(part: int) -> None:
    """There are more jobs, and more of them wait."""

    @drawn_apart(part)
    @examples(200)
    @given(drawn=changing(max_jobs=16), options=simulation_options(), policies=FEW, place=PLACES)
    def agrees(
        drawn: Changing, options: SimulationOptions, policies: list[Policy], place: str
    ) -> None:
        check_agreement(drawn, options, policies, place)

    agrees()
