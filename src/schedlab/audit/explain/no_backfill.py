"""Explanations of departures from a queue served strictly in order."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from schedlab.audit.explain.instant import Instant
from schedlab.audit.explain.sentences import beyond_depth, early, late, too_few_nodes
from schedlab.audit.verdict import Departure
from schedlab.audit.wording import count_nodes


def explain_no_backfill(instant: Instant) -> Iterator[Departure]:
    """Explain a job that was passed over, or a job that overtook the first that does not fit."""
    queue = instant.queue
    considered = queue[: instant.depth]
    place = yield from start_in_order(instant, considered)
    if place is None:
        return
    for job in considered[place:]:
        if job in instant.early and instant.view.fits(job):
            yield _overtook(instant, job, considered[place])
        elif job in instant.early:
            yield too_few_nodes(instant, job, instant.view.free_nodes)
    yield from too_far_back(instant, queue)


def start_in_order(
    instant: Instant, considered: list[int]
) -> Generator[Departure, None, int | None]:
    """Start jobs up to the first that does not fit, and return its place.

    Return None if a job fits that the policy does not start: then the policy does not decide at
    this instant.
    """
    for place, job in enumerate(considered):
        if not instant.view.fits(job):
            return place
        if job in instant.late:
            yield passed_over(instant, job)
        if job not in instant.both:
            return None
        instant.start(job)
    return len(considered)


def too_far_back(instant: Instant, queue: list[int]) -> Iterator[Departure]:
    """Yield the departures of jobs that started although the policy did not consider them."""
    for place, job in enumerate(queue):
        if instant.depth is not None and place >= instant.depth and job in instant.early:
            yield beyond_depth(instant, job, place)


def passed_over(instant: Instant, job: int) -> Departure:
    """Return the departure of a job that fits, while no job ahead of it has to wait."""
    free, needed = instant.view.free_nodes, instant.nodes(job)
    why = f"{count_nodes(free)} free, needs {needed}; no job ahead of it had to wait"
    return late(instant, job, "next in queue", why, free_nodes=free, needed_nodes=needed)


def _overtook(instant: Instant, job: int, first: int) -> Departure:
    free, needed = instant.view.free_nodes, instant.nodes(first)
    what = (
        f"before job {instant.job_id(first)}, which was ahead of it in the queue "
        f"({count_nodes(free)} free, needs {needed}; no backfilling)"
    )
    return early(
        instant,
        job,
        "overtook",
        what,
        ahead_job_id=instant.job_id(first),
        free_nodes=free,
        needed_nodes=needed,
    )
