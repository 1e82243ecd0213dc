"""Explanations of departures from conservative backfilling."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from schedlab.audit.explain.instant import Instant
from schedlab.audit.explain.no_backfill import too_far_back
from schedlab.audit.explain.plan import Plan, plan_of_promises, plan_so_far
from schedlab.audit.explain.sentences import (
    before_frozen_start,
    delayed,
    departure,
    early,
    fate,
    late,
    too_few_nodes,
)
from schedlab.audit.verdict import Departure
from schedlab.audit.wording import count_nodes


def explain_conservative(instant: Instant) -> Departure | None:
    """Explain a broken promise, or a start that breaks another job's promise."""
    if instant.late:
        first_reserved_s = instant.replay.policy.first_reserved_s
        return broken_promise(
            instant, min(instant.late, key=lambda job: (first_reserved_s[job], job))
        )
    if instant.early and instant.depth is None:
        return _out_of_turn(instant, min(instant.early), plan_of_promises(instant))
    # With a depth only the promises of the first jobs are known.
    return _before_frozen_start(instant) if instant.frozen else None


def _before_frozen_start(instant: Instant) -> Departure | None:
    first_reserved_s = instant.replay.policy.first_reserved_s
    for job in instant.queue[: instant.depth]:
        if job in instant.early and first_reserved_s[job] > instant.time_s:
            return before_frozen_start(instant, job, int(first_reserved_s[job]))
    return None


def explain_rebuilt(instant: Instant) -> Iterator[Departure]:
    """Explain jobs that the plan, rebuilt in queue order, starts now, or later than observed."""
    queue = instant.queue
    if (yield from plan_in_turn(instant, queue[: instant.depth])):
        yield from too_far_back(instant, queue)


def plan_in_turn(instant: Instant, considered: list[int]) -> Generator[Departure, None, bool]:
    """Plan one job after another, of which none moves another, and start those planned for now.

    Return False if a job is planned for now that the policy does not start: then the policy does
    not decide at this instant.
    """
    planned_s: dict[int, int] = {}
    for job in considered:
        start_s = instant.view.reserve(job)
        if start_s > instant.time_s:
            if job in instant.early:
                yield _out_of_turn(instant, job, plan_so_far(instant, {**planned_s, job: start_s}))
            planned_s[job] = start_s
        elif job in instant.late:
            yield _planned_for_now(instant, job)
        elif job in instant.both:
            instant.start(job)
        else:
            return False
    return True


def broken_promise(instant: Instant, job: int) -> Departure:
    """Return the departure of a job that did not start at its promised time."""
    first_reserved_s = int(instant.replay.policy.first_reserved_s[job])
    moved = "" if first_reserved_s == instant.time_s else f", moved to {instant.time_s},"
    sentence = f"was promised {first_reserved_s}{moved} but {fate(instant, job)}"
    return departure(
        instant, job, "broken promise", sentence, {"first_reserved_s": first_reserved_s}
    )


def _planned_for_now(instant: Instant, job: int) -> Departure:
    free, needed = instant.view.free_nodes, instant.nodes(job)
    why = f"{count_nodes(free)} free, needs {needed}; delays no job ahead of it"
    return late(instant, job, "missed backfill", why, free_nodes=free, needed_nodes=needed)


def _out_of_turn(instant: Instant, job: int, plan: Plan) -> Departure:
    """Return the departure of a job that started before its place in the plan."""
    others = plan.without(job)
    lacks_s, spare = others.first_lack(
        instant.time_s, instant.asked_until_s(job), instant.nodes(job)
    )
    if lacks_s is None:
        planned_s = plan.start_of(job)
        what = f"although it was promised {planned_s}"
        return early(instant, job, "before its promise", what, first_reserved_s=planned_s)
    if lacks_s == instant.time_s:
        return too_few_nodes(instant, job, spare)
    return delayed(instant, job, others.last_starting_at(lacks_s), lacks_s, spare)
