"""Explanations of departures from EASY backfilling."""

from __future__ import annotations

from collections.abc import Iterator

from schedlab import _core
from schedlab.audit.explain.instant import Instant
from schedlab.audit.explain.no_backfill import start_in_order, too_far_back
from schedlab.audit.explain.sentences import delayed, late, too_few_nodes
from schedlab.audit.verdict import Departure
from schedlab.audit.wording import count_nodes


def explain_easy(instant: Instant) -> Iterator[Departure]:
    """Explain a job that was passed over, or a backfilled job that delays the head of the queue."""
    queue = instant.queue
    considered = queue[: instant.depth]
    place = yield from start_in_order(instant, considered)
    if place is None:
        return
    if place < len(considered):
        yield from _backfill(instant, considered[place], considered[place + 1 :])
    yield from too_far_back(instant, queue)


def _backfill(instant: Instant, head: int, behind: list[int]) -> Iterator[Departure]:
    view = instant.view
    if head in instant.early:
        yield too_few_nodes(instant, head, view.free_nodes)
    first_reserved_s = view.reserve(head)
    for job in _candidates(instant, behind):
        if view.can_start(job):
            if job in instant.late:
                yield _missed(instant, job, head, first_reserved_s)
            if job in instant.both:
                instant.start(job)
        elif job in instant.early and view.fits(job):
            yield _delayed_head(instant, job, head, first_reserved_s)
        elif job in instant.early:
            yield too_few_nodes(instant, job, view.free_nodes)


def _candidates(instant: Instant, behind: list[int]) -> list[int]:
    """Return the jobs behind the head in the order in which they are tried."""
    order: _core.Order | None = instant.policy.parameters.get("backfill")
    if order is None:
        return behind
    wanted = set(behind)
    return [job for job in instant.queue_in(order) if job in wanted]


def _missed(instant: Instant, job: int, head: int, first_reserved_s: int) -> Departure:
    free, needed, until_s = instant.view.free_nodes, instant.nodes(job), instant.asked_until_s(job)
    spare = _spare_nodes(instant, head, first_reserved_s)
    promise = f"the head, job {instant.job_id(head)}, is promised {first_reserved_s}"
    if until_s <= first_reserved_s:
        why = f"it asks until {until_s} and {promise}"
    else:
        why = f"{promise} and leaves {spare} to spare"
    return late(
        instant,
        job,
        "missed backfill",
        f"{count_nodes(free)} free, needs {needed}; {why}",
        free_nodes=free,
        needed_nodes=needed,
        head_job_id=instant.job_id(head),
        first_reserved_s=first_reserved_s,
        spare_nodes=spare,
        asked_until_s=until_s,
    )


def _delayed_head(instant: Instant, job: int, head: int, first_reserved_s: int) -> Departure:
    spare = _spare_nodes(instant, head, first_reserved_s)
    return delayed(instant, job, head, first_reserved_s, spare, whom="the head, ")


def _spare_nodes(instant: Instant, head: int, first_reserved_s: int) -> int:
    """Return the number of nodes that the head does not need when its promise is due."""
    running = instant.view.running
    released = int(running.nodes[running.release_s <= first_reserved_s].sum())
    return instant.view.free_nodes + released - instant.nodes(head)
