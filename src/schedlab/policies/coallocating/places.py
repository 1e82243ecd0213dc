"""Where jobs would run: named nodes for the jobs of a plan that only counts nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

from schedlab.policies.policy import View


@dataclass(frozen=True)
class NodeSpan:
    """A span of time on some nodes."""

    start_s: int
    end_s: int
    nodes: list[int] = field(default_factory=list)


def running_places(view: View) -> list[NodeSpan]:
    """Return what running jobs hold until their expected release.

    An overdue one may end any moment.
    """
    places, running = [], view.running
    for job, release_s in zip(running.job.tolist(), running.release_s.tolist(), strict=True):
        ranges = view.nodes_of(job)
        nodes = [node for first, last in ranges for node in range(first, last + 1)]
        places.append(NodeSpan(view.now, max(release_s, view.now + 1), nodes))
    return places


def planned_places(
    view: View, starts_s: dict[int, int], running: Iterable[NodeSpan]
) -> dict[int, NodeSpan]:
    """Return nodes for jobs with planned starts: lowest numbers first, none twice at the same time.

    If the counts of a plan fit, such nodes are always found in the order of the starts.
    """
    queue = view.queue
    estimate_s = dict(zip(queue.job.tolist(), queue.estimate_s.tolist(), strict=True))
    first = [0, *accumulate(view.clusters or [view.nodes])]
    busy_until_s = [0] * first[-1]
    places = {}
    for place in running:
        _occupy(busy_until_s, place)
    for start_s, job in sorted((start_s, job) for job, start_s in starts_s.items()):
        nodes: list[int] = []
        for cluster, count in view.needs(job):
            own = range(first[cluster], first[cluster + 1])
            nodes += [node for node in own if busy_until_s[node] <= start_s][:count]
        places[job] = NodeSpan(start_s, start_s + estimate_s[job], nodes)
        _occupy(busy_until_s, places[job])
    return places


def _occupy(busy_until_s: list[int], place: NodeSpan) -> None:
    for node in place.nodes:
        busy_until_s[node] = place.end_s
