"""Explanations of departures from incentive backfilling: the oldest job first, then the others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import numpy as np

from schedlab.audit.explain.conservative import broken_promise, plan_in_turn
from schedlab.audit.explain.instant import Instant
from schedlab.audit.explain.no_backfill import passed_over
from schedlab.audit.explain.one_reserved import fill_holes
from schedlab.audit.explain.plan import Plan, plan_of_promises, plan_so_far
from schedlab.audit.explain.sentences import beyond_depth
from schedlab.audit.verdict import Departure

Backfill = Callable[[Instant, int, int, list[int]], Generator[Departure, None, bool]]
"""A function that goes through the jobs behind the head, which is promised a start. It returns
False if the policy does not start a job that its rules would start: then the policy does not decide
at this instant."""


def explain_all_reserved(instant: Instant) -> Iterator[Departure]:
    """Explain a job that started before its place in the plan, or did not start when it was due."""
    return _oldest_first(instant, _plan_all)


def explain_one_reserved(instant: Instant) -> Iterator[Departure]:
    """Explain jobs that are passed over, delay the head, or push others out of too short a hole."""
    return _oldest_first(instant, fill_holes)


def _oldest_first(instant: Instant, backfill: Backfill) -> Iterator[Departure]:
    """Start the oldest jobs up to the first that has to wait, the head; then backfill."""
    arrived, promises = instant.queue_by_arrival, _frozen_promises(instant)
    depth = len(arrived) if instant.depth is None else instant.depth
    for place, head in enumerate(arrived[:depth]):
        start_s = _start_of_head(instant, head, promises)
        if start_s > instant.time_s:
            others = [job for job in instant.queue if job != head]
            left = depth - place - 1
            if (yield from backfill(instant, head, start_s, others[:left])):
                yield from _beyond_depth(instant, others[left:], depth)
            return
        if head in instant.late:
            known = promises is not None and instant.replay.policy.first_reserved_s[head] >= 0
            yield broken_promise(instant, head) if known else passed_over(instant, head)
        if head not in instant.both:
            return  # a head may start and does not: the policy does not decide now
        instant.start(head)
    yield from _beyond_depth(instant, instant.queue, depth)


def _plan_all(
    instant: Instant, head: int, start_s: int, others: list[int]
) -> Generator[Departure, None, bool]:
    return (yield from plan_in_turn(instant, [head, *others]))


def _frozen_promises(instant: Instant) -> Plan | None:
    """Return the promises that the policy may not move; None if it replans, as after an overrun."""
    overrun = np.any(instant.view.running.release_s <= instant.time_s)
    return plan_of_promises(instant) if instant.frozen and not overrun else None


def _start_of_head(instant: Instant, head: int, promises: Plan | None) -> int:
    if promises is not None:
        starts_now = head in instant.both | instant.late
        return instant.time_s if starts_now else promises.start_of(head)
    plan, length_s = plan_so_far(instant, {}), instant.planned_s(head)
    return plan.earliest_start(instant.time_s, length_s, instant.nodes(head))


def _beyond_depth(instant: Instant, rest: list[int], depth: int) -> Iterator[Departure]:
    """Yield the departures of jobs that started although the policy did not consider them."""
    for place, job in enumerate(rest, start=depth):
        if job in instant.early:
            yield beyond_depth(instant, job, place)
