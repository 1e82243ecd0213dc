"""The rules of every feasible schedule, whatever the policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from schedlab.audit.gpu_parts import first_unpacked
from schedlab.audit.node_shares import HeldNodes, first_forbidden, first_overfull
from schedlab.audit.verdict import Rule, Violation
from schedlab.audit.wording import count_nodes
from schedlab.platform import demands_of
from schedlab.sim import NodeRanges, Schedule, StepSeries
from schedlab.sim.cluster_needs import ClusterNeeds, cluster_needs
from schedlab.sim.eligible_times import NEVER_S, eligible_times, first_starts
from schedlab.sim.gpu_columns import asks_for_parts
from schedlab.sim.node_demands import demands_if_any
from schedlab.sim.schedule import Times
from schedlab.workload.labels import label_of
from schedlab.workload.readers.records import and_more

Mask = NDArray[np.bool_]


UNREPLAYABLE = frozenset({"duration", "width"})
"""Rules; a schedule that breaks one of them cannot be compared with the schedule of any policy."""


def find_violations(schedule: Schedule, tolerance_s: int = 0) -> list[Violation]:
    """Return one violation for each rule that is broken.

    Args:
        schedule: the observed schedule.
        tolerance_s: allow starts up to this much too early, and over-use that lasts no longer.
    """
    found = list(_impossible_jobs(schedule))
    if found:
        return found
    found += _too_early(schedule, tolerance_s)
    schedule = schedule.by_attempt()
    needs = cluster_needs(schedule.workload, schedule.platform)
    if _is_shared(schedule):
        found += _on_shared_nodes(schedule, tolerance_s)
        return found
    if needs is None:
        nodes, total = schedule.workload["nodes"], schedule.platform.nodes
        found += _overuse(schedule, nodes, total, "the machine", tolerance_s)
    else:
        found += _overuse_of_clusters(schedule, needs, tolerance_s)
    if schedule.node_ranges is not None:
        found += _named_nodes(schedule, schedule.node_ranges, tolerance_s)
        if needs is not None:
            found += _named_clusters(schedule, schedule.node_ranges, needs)
    return found


def _is_shared(schedule: Schedule) -> bool:
    """Return whether jobs share nodes, or may have only some of them."""
    demands = demands_if_any(schedule.workload, schedule.platform)
    return demands is not None and "needs" not in schedule.workload


def _on_shared_nodes(schedule: Schedule, tolerance_s: int) -> Iterator[Violation]:
    if schedule.node_ranges is None:
        return
    demands, total = demands_of(schedule.workload, schedule.platform), schedule.platform.nodes
    widths = _widths(schedule, schedule.node_ranges, demands.least, total)
    wrong = list(widths)
    yield from wrong
    if wrong:
        return
    held = HeldNodes.of(schedule, schedule.node_ranges)
    sizes = [group.nodes for group in schedule.platform.groups]
    capacity = np.repeat(demands.resources.capacity, sizes, axis=0)
    forbidden = first_forbidden(held, demands, total)
    yield from _broken(
        schedule,
        "allowed nodes",
        forbidden >= 0,
        lambda job: f"ran on node {forbidden[job]:,}, which it may not have",
    )
    overfull = first_overfull(schedule, held, demands, capacity, tolerance_s)
    if asks_for_parts(demands):
        gpus = capacity[:, demands.resources.place["gpu"]]
        unpacked = first_unpacked(schedule, held, demands, gpus, tolerance_s)
        overfull = np.where(overfull >= 0, overfull, unpacked)
    yield from _broken(
        schedule,
        "shared nodes",
        overfull >= 0,
        lambda job: (
            f"started at {schedule.start_s[job]} on node {overfull[job]:,}, which had not enough "
            "free for it"
        ),
    )


def _impossible_jobs(schedule: Schedule) -> Iterator[Violation]:
    nodes, total = schedule.workload["nodes"], schedule.platform.nodes
    yield from _broken(
        schedule,
        "duration",
        schedule.started & (schedule.end_s < schedule.start_s),
        lambda job: f"ends at {schedule.end_s[job]}, before its start at {schedule.start_s[job]}",
    )
    yield from _broken(
        schedule,
        "width",
        nodes > total,
        lambda job: f"needs {count_nodes(nodes[job])} and the machine has {total:,}",
    )


def _too_early(schedule: Schedule, tolerance_s: int) -> Iterator[Violation]:
    workload, latest_s = schedule.workload, schedule.start_s + tolerance_s
    early = schedule.started & (latest_s < workload["submit_s"])
    yield from _broken(
        schedule,
        "submission",
        early,
        lambda job: (
            f"started at {schedule.start_s[job]}, before its submission at "
            f"{workload['submit_s'][job]}"
        ),
    )
    eligible_s = eligible_times(schedule)
    yield from _broken(
        schedule,
        "dependency",
        schedule.started & ~early & (first_starts(schedule) + tolerance_s < eligible_s),
        lambda job: (
            f"started at {first_starts(schedule)[job]}, but {_what_it_waits_for(schedule, job)} "
            f"lets it start {_at(eligible_s[job])}"
        ),
    )


def _at(time_s: int) -> str:
    return "never" if time_s >= NEVER_S else f"only at {time_s}"


def _what_it_waits_for(schedule: Schedule, job: int) -> str:
    workload = schedule.workload
    if workload["depends_on"][job] >= 0:
        return f"job {workload['depends_on'][job]}, on which it depends,"
    if workload["dependencies"][job] >= 0:
        text = label_of(workload, "dependencies", int(workload["dependencies"][job]))
        return f"what it depends on ({text})"
    return "its begin time" if workload["array_limit"][job] < 0 else "the limit of its array"


def _overuse(
    schedule: Schedule, nodes: Times, total: int, where: str, tolerance_s: int
) -> Iterator[Violation]:
    """Yield a violation if the jobs use too many nodes in all for longer than the tolerance.

    ``nodes`` has the number of nodes of each job.
    """
    ran = schedule.started & (nodes > 0)
    used = StepSeries.from_changes(
        (schedule.start_s[ran], nodes[ran]), (schedule.end_s[ran], -nodes[ran])
    )
    over = np.concatenate([[False], used.value > total, [False]])
    begin, end = np.flatnonzero(~over[:-1] & over[1:]), np.flatnonzero(over[:-1] & ~over[1:])
    lasting = used.time_s[end] - used.time_s[begin] > tolerance_s
    if not lasting.any():
        return
    first = begin[lasting][0]
    time_s, peak = int(used.time_s[first]), int(used.value[first])
    job = int(np.flatnonzero(ran & (schedule.start_s == time_s))[-1])
    sentence = f"{count_nodes(peak)} are in use at {time_s} and {where} has {total:,}"
    yield _violation(schedule, "nodes", job, int(lasting.sum()), sentence)


def _overuse_of_clusters(
    schedule: Schedule, needs: ClusterNeeds, tolerance_s: int
) -> Iterator[Violation]:
    for nodes, cluster in zip(needs.by_cluster(), schedule.platform.clusters, strict=True):
        where = f"cluster {cluster.name}"
        yield from _overuse(schedule, nodes, cluster.nodes, where, tolerance_s)


def _named_clusters(
    schedule: Schedule, ranges: NodeRanges, needs: ClusterNeeds
) -> Iterator[Violation]:
    """Yield jobs on nodes of clusters that they did not name, or on too many or too few of one."""
    needed, ran_on = needs.by_cluster(), np.zeros_like(needs.by_cluster())
    for place, width in enumerate(ranges.width_within(needs.clusters)):
        np.add.at(ran_on[place], ranges.job(), width)
    wrong = np.argmax(ran_on != needed, axis=0)
    names = [cluster.name for cluster in schedule.platform.clusters]
    yield from _broken(
        schedule,
        "named clusters",
        schedule.started & np.any(ran_on != needed, axis=0),
        lambda job: (
            f"ran on {count_nodes(ran_on[wrong[job], job])} of cluster {names[wrong[job]]} "
            f"and needs {needed[wrong[job], job]:,}"
        ),
    )


def _widths(
    schedule: Schedule, ranges: NodeRanges, needed: Times, total: int
) -> Iterator[Violation]:
    """Yield jobs on too many or too few nodes, or on some that do not exist."""
    given, highest = np.zeros(len(schedule), dtype=np.int64), np.full(len(schedule), -1)
    np.add.at(given, ranges.job(), ranges.width())
    np.maximum.at(highest, ranges.job(), ranges.last)
    yield from _broken(
        schedule,
        "named nodes",
        schedule.started & (given != needed),
        lambda job: f"ran on {count_nodes(given[job])} and needs {needed[job]:,}",
    )
    yield from _broken(
        schedule,
        "unknown nodes",
        highest >= total,
        lambda job: f"ran on node {highest[job]:,} and the last of the machine is {total - 1:,}",
    )


def _named_nodes(schedule: Schedule, ranges: NodeRanges, tolerance_s: int) -> Iterator[Violation]:
    total = schedule.platform.nodes
    yield from _widths(schedule, ranges, schedule.workload["nodes"], total)
    highest = int(ranges.last.max(initial=-1))
    shared = _shared_nodes(schedule, ranges, max(total, highest + 1), tolerance_s)
    yield from _broken(
        schedule,
        "shared nodes",
        shared >= 0,
        lambda job: (
            f"started at {schedule.start_s[job]} on node {shared[job]:,}, which another job was "
            "still using"
        ),
    )


def _shared_nodes(
    schedule: Schedule, ranges: NodeRanges, total: int, tolerance_s: int
) -> NDArray[np.int64]:
    """Return for each job the first node that was still in use when it started on it, or -1."""
    busy_until_s = np.zeros(total, dtype=np.int64)
    shared = np.full(len(schedule), -1)
    in_order = np.lexsort((schedule.end_s, schedule.start_s))
    for job in in_order[schedule.started[in_order]].tolist():
        for first, last in ranges.of(job):
            until_s = busy_until_s[first : last + 1]
            taken = np.flatnonzero(until_s > schedule.start_s[job] + tolerance_s)
            if len(taken) and shared[job] < 0:
                shared[job] = first + taken[0]
            np.maximum(until_s, schedule.end_s[job], out=until_s)
    return shared


def _broken(
    schedule: Schedule, rule: Rule, which: Mask, what: Callable[[int], str]
) -> Iterator[Violation]:
    """Yield the violation of a rule by these jobs, described for the job that starts first."""
    jobs = np.flatnonzero(which)
    if len(jobs):
        job = int(jobs[np.argmin(schedule.start_s[jobs])])
        sentence = f"job {schedule.job_id[job]} {what(job)}"
        yield _violation(schedule, rule, job, len(jobs), sentence)


def _violation(schedule: Schedule, rule: Rule, job: int, count: int, sentence: str) -> Violation:
    job_id, start_s = schedule.job_id[job], schedule.start_s[job]
    return Violation(rule, int(job_id), int(start_s), count, sentence + and_more(count))
