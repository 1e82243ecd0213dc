"""audit(): check whether a schedule is feasible and follows the named policy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedlab.audit.explain import explain_departure
from schedlab.audit.feasible import UNREPLAYABLE, find_violations
from schedlab.audit.replay import Replay, replay
from schedlab.audit.verdict import ScheduleComparison, Verdict
from schedlab.policies import PolicyLike, find_policy
from schedlab.sim import Schedule
from schedlab.sim.eligible_times import eligible_times
from schedlab.units import require_whole


def audit(
    schedule: Schedule, policy: PolicyLike, *, tick: int | None = None, tolerance: int = 0
) -> Verdict:
    """Check whether the schedule is feasible, and find where it first departs from the policy.

    Args:
        schedule: what happened, in any simulator or on a real machine.
        policy: any policy that ``simulate`` takes.
        tick: seconds between the policy's decisions, 0 for none. Default: the tick that the
            schedule itself records, else none.
        tolerance: starts that differ by at most this, in seconds, count as equal.
    """
    tick = int(schedule.provenance.get("tick", 0)) if tick is None else tick
    tick, tolerance = require_whole("tick", tick), require_whole("tolerance", tolerance)
    chosen = find_policy(policy)
    observed, left_out = _with_known_fate(schedule)
    violations = tuple(find_violations(observed, tolerance))
    found = None
    if not UNREPLAYABLE.intersection(violation.rule for violation in violations):
        found = replay(observed, policy, tick_s=tick, tolerance_s=tolerance)
    return Verdict(
        schedule=schedule.workload.name,
        policy=chosen.name,
        nodes=schedule.platform.nodes,
        jobs=len(schedule),
        tick_s=tick,
        tolerance_s=tolerance,
        violations=violations,
        departure=explain_departure(found, chosen) if found else None,
        comparison=_comparison(found) if found else None,
        notes=tuple(_notes(observed, left_out)),
    )


def _with_known_fate(schedule: Schedule) -> tuple[Schedule, int]:
    """Return the schedule without jobs that neither started nor were withdrawn, and their count."""
    known = schedule.started | (schedule.workload["cancel_after_s"] >= 0)
    return schedule.take(known), int(np.count_nonzero(~known))


def _comparison(found: Replay) -> ScheduleComparison:
    observed, policy = found.observed, found.policy
    both = observed.started & policy.started
    wait_s = (observed.start_s - eligible_times(observed))[both]
    return ScheduleComparison(
        jobs=len(observed),
        jobs_elsewhere=int(np.count_nonzero(found.elsewhere)),
        mean_wait_s=float(wait_s.mean()) if len(wait_s) else 0.0,
        policy_mean_wait_s=float(policy.wait_s[both].mean()) if len(wait_s) else 0.0,
    )


def _notes(observed: Schedule, left_out: int) -> Iterator[str]:
    over = np.count_nonzero(observed.ran_s > observed.workload["request_s"])
    if over:
        yield f"{over:,} of {len(observed):,} jobs ran longer than they asked for"
    if left_out:
        jobs = len(observed) + left_out
        yield f"left out {left_out:,} of {jobs:,} jobs: neither started nor withdrawn"
