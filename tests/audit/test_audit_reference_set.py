"""The reference set in the package: what it holds, and that it tells right from wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from schedlab.audit import audit
from schedlab.policies import PolicyLike
from schedlab.sim import simulate
from schedlab.testing import ReferencePolicy, reference_set, reference_simulate
from schedlab.testing.make_reference_set import reference_policies, write_reference_set
from schedlab.testing.reference_set import DATA, ReferenceCase
from schedlab.workload import Workload

CASES = reference_set()
case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def test_the_data_are_those_that_would_be_made_now(tmp_path: Path) -> None:
    """``python -m schedlab.testing.make_reference_set`` writes them."""
    write_reference_set(tmp_path)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_text() for path in DATA.iterdir()}


def test_the_data_are_small() -> None:
    """The data are part of every installation."""
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 300_000
    assert all(10 <= len(case.workload) <= 40 for case in CASES)


@case
def test_every_classic_policy_is_there(case: ReferenceCase) -> None:
    """Fourteen orders with three ways to backfill, and the two variants."""
    assert list(case.schedules) == reference_policies()
    assert len(case.schedules) == 14 * 3 + 2


def plainly(policy: str) -> ReferencePolicy:
    """Return the policy as the plain reference simulator takes it."""
    if policy == "easy:backfill=sjf":
        return ReferencePolicy(backfill="easy", candidates="sjf")
    if policy == "conservative:rebuild=true":
        return ReferencePolicy(backfill="conservative", rebuild=True)
    if policy in ("easy", "conservative"):
        return ReferencePolicy(backfill=policy)  # type: ignore[arg-type]
    order, _, backfill = policy.partition("+")
    return ReferencePolicy(order, backfill or "none")  # type: ignore[arg-type]


@case
def test_the_plain_simulator_makes_the_same_schedules(case: ReferenceCase) -> None:
    """The set would be of no use if it repeated a mistake of the core."""
    for policy, times in case.schedules.items():
        plain = reference_simulate(case.workload, case.nodes, plainly(policy))
        assert plain.start_s == times.start_s.tolist(), policy
        assert plain.end_s == times.end_s.tolist(), policy
        assert plain.first_reserved_s == times.first_reserved_s.tolist(), policy


@case
def test_the_classic_policies_differ_on_every_workload(case: ReferenceCase) -> None:
    """Otherwise a simulator could pass under a wrong name."""
    names = ("fcfs", "easy", "easy:backfill=sjf", "conservative", "conservative:rebuild=true")
    starts = {tuple(case.schedules[name].start_s.tolist()) for name in names}
    assert len(starts) == len(names)


@case
def test_every_wrong_easy_is_caught_on_every_workload(
    case: ReferenceCase, wrong_easys: dict[str, Callable[[Workload], PolicyLike]]
) -> None:
    """One small workload is enough to find out."""
    for what, policy in wrong_easys.items():
        verdict = audit(simulate(case.workload, case.nodes, policy(case.workload)), "easy")
        assert verdict.feasible, what
        assert not verdict.faithful, what
