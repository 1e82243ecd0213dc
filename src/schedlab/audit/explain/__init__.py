"""Explanations, in the policy's own terms, of why a schedule departs from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from schedlab import _core
from schedlab.audit.explain.conservative import explain_conservative, explain_rebuilt
from schedlab.audit.explain.easy import explain_easy
from schedlab.audit.explain.instant import Instant
from schedlab.audit.explain.no_backfill import explain_no_backfill
from schedlab.audit.explain.passes import pass_by_pass
from schedlab.audit.explain.reserving import explain_all_reserved, explain_one_reserved
from schedlab.audit.explain.sentences import departure, early, late
from schedlab.audit.explain.wrsa import with_wrsa
from schedlab.audit.replay import Replay
from schedlab.audit.verdict import Departure
from schedlab.policies import ChosenPolicy
from schedlab.sim import JobOutcome
from schedlab.sim.eligible_times import eligible_times
from schedlab.workload import Workload

__all__ = ["EXPLAINERS", "explain_departure"]

Explainer = Callable[[Instant], Departure | None]

EXPLAINERS: dict[type[_core.Policy], Explainer] = {
    _core.NoBackfill: pass_by_pass(explain_no_backfill),
    _core.Easy: pass_by_pass(explain_easy),
    _core.Conservative: explain_conservative,
    _core.ConservativeRebuild: pass_by_pass(explain_rebuilt),
    _core.AllReserved: with_wrsa(pass_by_pass(explain_all_reserved)),
    _core.OneReserved: with_wrsa(pass_by_pass(explain_one_reserved)),
}


def explain_departure(replay: Replay, policy: ChosenPolicy) -> Departure | None:
    """Explain the first decision that the policy would take otherwise; None if there is none."""
    if replay.first_s is None:
        return None
    instant = Instant(replay, replay.first_s, policy)
    # The explainers compare requests, but a policy with a predictor plans with its predictions.
    by_request = policy.predictor.name == "request"
    explain = EXPLAINERS.get(type(policy.core)) if by_request else None
    by_the_rules = _not_allowed(instant) or (explain(instant) if explain else None)
    return by_the_rules or _plainly(instant)


def _not_allowed(instant: Instant) -> Departure | None:
    """Return the departure of a job that no policy could have started at this instant, if any."""
    now, tick_s = instant.time_s, instant.replay.tick_s
    workload, eligible_s = instant.replay.policy.workload, eligible_times(instant.replay.observed)
    withdrawn_s = workload["submit_s"] + workload["cancel_after_s"]
    for job in sorted(instant.absent):
        if eligible_s[job] > now:
            depends = eligible_s[job] > workload["submit_s"][job]
            before = _dependency(workload, job) if depends else "its submission"
            return early(instant, job, "not eligible", f"before {before}")
        if workload["cancel_after_s"][job] >= 0 and withdrawn_s[job] <= now:
            return early(instant, job, "withdrawn", "after it had been withdrawn")
    if tick_s and now % tick_s:
        job = min(instant.early or instant.absent)
        return early(instant, job, "between ticks", f"between the ticks of {tick_s} s")
    return None


def _dependency(workload: Workload, job: int) -> str:
    """Return what a job waits for besides its submission."""
    if workload["depends_on"][job] >= 0:
        return "the end of the job it depends on"
    if workload["dependencies"][job] >= 0:
        return "what it depends on had happened"
    return "its begin time" if workload["array_limit"][job] < 0 else "others of its array had ended"


def _plainly(instant: Instant) -> Departure:
    """Compare only the two starts, for a policy whose rules are unknown or explain nothing."""
    name = instant.policy.name
    if instant.late:
        return late(instant, min(instant.late), "late", f"as it does under {name}")
    job = min(instant.early or instant.absent)
    start_s = instant.replay.policy.start_s[job]
    otherwise = f"under {name} it " + (f"starts at {start_s}" if start_s >= 0 else "never starts")
    if _something_happened(instant):
        return departure(instant, job, "early", f"started at {instant.time_s}; {otherwise}", {})
    what = f"when no job was submitted, ended or withdrawn; {otherwise}"
    return early(instant, job, "no decision", what)


def _something_happened(instant: Instant) -> bool:
    """Return whether the policy had a reason to decide at this instant."""
    policy, tick_s = instant.replay.policy, max(1, instant.replay.tick_s)
    withdrawn = policy.state == JobOutcome.CANCELLED
    times_s = np.concatenate([policy.eligible_s, policy.end_s, policy.left_queue_s()[withdrawn]])
    seen_s = -(-times_s // tick_s) * tick_s
    return bool(instant.both or np.any(seen_s == instant.time_s))
