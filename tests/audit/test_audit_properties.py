"""A policy's schedule passes the audit of this policy.

It passes that of another policy exactly if the other policy gives the same schedule.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.audit import audit, read_observed
from schedlab.audit.explain import EXPLAINERS
from schedlab.policies import POLICIES, find_policy
from schedlab.policies.standalone import STANDALONE
from schedlab.sim import Schedule, save_schedules, simulate
from schedlab.testing.strategies import (
    SimulationOptions,
    drawn_apart,
    examples,
    simulation_options,
    workloads,
)
from schedlab.workload import Workload

NODES = 8
NAMES = [
    *POLICIES,
    "easy:backfill=sjf",
    "conservative:rebuild=true",
    "conservative:promises=1",
    "easy:depth=2",
    "easy-one-reserved:reservation=frozen",
    "wrsabf-or:reservation=frozen,alpha=3",
    "wrsabf-ar:reservation=frozen",
    "wfp3+easy:backfill=unicef",
    "wfp3+conservative:rebuild=true",
]
# One draw in thousands keeps the solver of 20 slots busy for minutes.
QUICK = ["coalloc:slots=8" if name == "coalloc" else name for name in NAMES]


def observed(
    workload: Workload, policy: str, options: SimulationOptions, path: Path | None = None
) -> Schedule:
    """Return a simulated schedule, directly or as read back from a file."""
    schedule = simulate(workload, NODES, policy, **options)
    if path is None or not schedule.started.any():
        return schedule
    save_schedules(schedule, path)
    (found,) = read_observed(path)
    return found.schedule


@examples(150)
@given(
    workload=workloads(NODES),
    policy=st.sampled_from(NAMES),
    options=simulation_options(),
    name=st.sampled_from([None, "a.csv", "a.parquet", "a.swf"]),
)
def test_every_policy_passes_its_own_audit(
    tmp_path: Path, workload: Workload, policy: str, options: SimulationOptions, name: str | None
) -> None:
    """This holds with ties, kills, overruns, dependencies, withdrawals and ticks.

    The schedules come from every kind of file too.
    """
    if ":" in policy or policy in STANDALONE:  # the name says all
        options["depth"] = None
    schedule = observed(workload, policy, options, tmp_path / name if name else None)
    audited = policy if options["depth"] is None else f"{policy}:depth={options['depth']}"
    verdict = audit(schedule, audited, tick=options["tick"])
    assert verdict.feasible
    assert verdict.faithful


def check_against_another(
    workload: Workload, policies: tuple[str, str], options: SimulationOptions
) -> None:
    """Audit the first policy's schedule against the second, and compare with two simulations."""
    options["depth"] = None
    schedule = observed(workload, policies[0], options)
    verdict = audit(schedule, policies[1])
    run_s = np.where(schedule.started, schedule.ran_s, workload["run_s"])
    other = simulate(
        workload.replace(run_s=run_s),
        NODES,
        policies[1],
        tick=options["tick"],
        kill_at_request=False,
    )
    differ = schedule.start_s != other.start_s
    assert verdict.feasible
    assert verdict.faithful == (not differ.any())
    if verdict.departure is None:
        return
    starts_s = np.stack([schedule.start_s[differ], other.start_s[differ]])
    first_s = int(np.where(starts_s < 0, np.iinfo(np.int64).max, starts_s).min())
    assert verdict.departure.time_s == first_s
    assert verdict.departure.job_id in workload["job_id"][differ]
    if type(find_policy(policies[1]).core) in EXPLAINERS:
        assert verdict.departure.reason not in ("early", "late", "not eligible")


two_policies = given(
    workload=workloads(NODES),
    policies=st.tuples(st.sampled_from(QUICK), st.sampled_from(QUICK)),
    options=simulation_options(),
)


@examples(150)
@two_policies
def test_another_policy_passes_exactly_if_its_schedule_is_the_same(
    workload: Workload, policies: tuple[str, str], options: SimulationOptions
) -> None:
    """The departure is the first start that differs; the rules of a known policy explain it."""
    check_against_another(workload, policies, options)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))  # 3,000 draws, split for all processors
def test_another_policy_passes_exactly_if_its_schedule_is_the_same_at_length(part: int) -> None:
    """Rare coincidences need many draws."""

    @drawn_apart(part)
    @examples(1000)
    @two_policies
    def agrees(workload: Workload, policies: tuple[str, str], options: SimulationOptions) -> None:
        check_against_another(workload, policies, options)

    agrees()


@examples(150)
@given(
    workload=workloads(NODES),
    policies=st.sampled_from([("easy", "conservative"), ("fcfs", "easy"), ("saf+easy", "easy")]),
)
def test_the_numbers_of_a_departure_from_easy_agree(
    workload: Workload, policies: tuple[str, str]
) -> None:
    """A job that delays the head needs too many nodes for too long; a missed backfill does not."""
    departure = audit(simulate(workload, NODES, policies[0]), policies[1]).departure
    if departure is None or "spare_nodes" not in departure.details:
        return
    told = departure.details
    harmless = (
        told["asked_until_s"] <= told["first_reserved_s"]
        or told["needed_nodes"] <= told["spare_nodes"]
    )
    assert harmless == departure.late


@examples(150)
@given(
    workload=workloads(NODES),
    policies=st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)),
    shifts_s=st.lists(st.sampled_from([0, 0, 0, -7, -1, 1, 5, 30]), min_size=20, max_size=20),
    tick=st.sampled_from([0, 7]),
    tolerance=st.sampled_from([0, 1, 5, 60]),
)
def test_any_schedule_gets_a_verdict(
    workload: Workload,
    policies: tuple[str, str],
    shifts_s: list[int],
    tick: int,
    tolerance: int,
) -> None:
    """Feasible or not, a schedule departs where a start differs by more than the tolerance."""
    schedule = simulate(workload, NODES, policies[0], tick=tick)
    shifted_s = np.maximum(schedule.start_s + np.array(shifts_s[: len(workload)]), 0)
    start_s = np.where(schedule.started, shifted_s, -1)
    end_s = np.where(schedule.started, start_s + schedule.ran_s, -1)
    verdict = audit(
        replace(schedule, start_s=start_s, end_s=end_s), policies[1], tolerance=tolerance
    )
    assert verdict.faithful == (verdict.departure is None)
    departure = verdict.departure
    if departure and departure.observed_s is not None and departure.policy_s is not None:
        assert abs(departure.observed_s - departure.policy_s) > tolerance
