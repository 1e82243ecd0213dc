"""Policies that decide job by job, followed through the passes of one instant."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from schedlab.audit.explain.instant import Instant
from schedlab.audit.verdict import Departure

PassExplainer = Callable[[Instant], Iterator[Departure]]
"""A function that goes through one pass, starts the jobs that both schedules start, and yields
departures of the jobs on which they differ, in the order in which the policy decides on them."""


def pass_by_pass(explain: PassExplainer) -> Callable[[Instant], Departure | None]:
    """Return an explainer that follows the policy's decisions up to the first that differs.

    Whether a job started too early is clear only in the last pass of the instant: before that, jobs
    with run time 0 may still make room for it.
    """

    def explain_instant(instant: Instant) -> Departure | None:
        while True:
            too_early = None
            for found in explain(instant):
                if found.late and (too_early is None or instant.another_pass):
                    return found
                too_early = too_early or found
            if not instant.another_pass:
                return too_early
            instant.next_pass()

    return explain_instant
