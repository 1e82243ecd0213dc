"""The rules that every feasible schedule keeps, whatever its policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from schedlab.audit import Verdict, Violation, audit
from schedlab.platform import Cluster, Platform
from schedlab.sim import NodeRanges, Schedule, simulate
from schedlab.testing.instances import crowd, head_blocked, jobs
from schedlab.workload.needs import with_needs

Moved = Callable[..., Schedule]


def violation(verdict: Verdict) -> Violation:
    """Return the only violation."""
    assert not verdict.feasible
    (found,) = verdict.violations
    return found


def test_more_nodes_than_there_are(moved: Moved) -> None:
    """Jobs 1, 3 and 4 use five of four nodes from 0 on."""
    verdict = audit(moved(simulate(head_blocked(), 4, "easy"), {3: 0, 2: 7}), "easy")
    assert violation(verdict).sentence == "5 nodes are in use at 0 and the machine has 4"
    assert verdict.departure is not None
    assert verdict.departure.job_id == 3


def test_over_use_is_counted_by_stretches_of_time(moved: Moved) -> None:
    """Two periods with too many nodes in use are two violations of one rule."""
    workload = jobs((0, 1, 5, 5), (0, 1, 5, 5), (0, 1, 5, 5), (0, 1, 5, 5))
    schedule = moved(simulate(workload, 1, "fcfs"), {2: 0, 3: 20, 4: 20})
    found = violation(audit(schedule, "fcfs"))
    assert (found.rule, found.count, found.time_s) == ("nodes", 2, 0)
    assert found.sentence.endswith("(and 1 more like this)")


def test_nodes_freed_and_taken_at_one_instant_are_not_over_used() -> None:
    """What ends at t and what starts at t may share nodes, as every simulation does."""
    assert audit(simulate(crowd(), 16, "easy"), "easy").feasible


def test_a_start_before_submission(moved: Moved) -> None:
    """The job did not exist yet."""
    verdict = audit(moved(simulate(jobs((7, 1, 5, 5)), 1, "easy"), {1: 4}), "easy")
    assert violation(verdict).sentence == "job 1 started at 4, before its submission at 7"
    assert verdict.departure is not None
    assert verdict.departure.sentence == "job 1 started at 4 before its submission"


def test_a_start_before_the_dependency_has_ended(moved: Moved) -> None:
    """Job 2 becomes eligible 2 s after job 1 ends at 5."""
    workload = jobs((0, 1, 5, 5), (0, 1, 5, 5), depends_on=[-1, 1], think_time_s=[-1, 2])
    verdict = audit(moved(simulate(workload, 2, "easy"), {2: 6}), "easy")
    assert violation(verdict).sentence == (
        "job 2 started at 6, but job 1, on which it depends, lets it start only at 7"
    )
    assert verdict.departure is not None
    assert (
        verdict.departure.sentence == "job 2 started at 6 before the end of the job it depends on"
    )


def test_an_end_before_the_start_cannot_be_replayed() -> None:
    """Nothing can then be said about the policy."""
    schedule = simulate(jobs((0, 1, 5, 5)), 1, "easy")
    verdict = audit(replace(schedule, end_s=np.array([-3])), "easy")
    assert violation(verdict).sentence == "job 1 ends at -3, before its start at 0"
    assert verdict.comparison is None
    assert not verdict.faithful
    assert "faithful: not asked" in "\n".join(verdict.lines())


def test_a_job_wider_than_the_machine_cannot_be_replayed() -> None:
    """The job can never run there."""
    schedule = replace(simulate(head_blocked(), 4, "easy"), platform=Platform.homogeneous(3))
    verdict = audit(schedule, "easy")
    assert violation(verdict).sentence == "job 2 needs 4 nodes and the machine has 3"
    assert verdict.comparison is None


def on_nodes(*texts: str) -> Schedule:
    """Return two jobs of two nodes that run side by side on these of four nodes."""
    schedule = simulate(jobs((0, 2, 5, 5), (0, 2, 5, 5)), 4, "easy")
    return replace(schedule, node_ranges=NodeRanges.parse(texts))


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (("0-1", "1-2"), "job 2 started at 0 on node 1, which another job was still using"),
        (("0-1", "3-4"), "job 2 ran on node 4 and the last of the machine is 3"),
        (("0-1", "2"), "job 2 ran on 1 node and needs 2"),
    ],
)
def test_named_nodes_are_held_against_the_jobs(texts: tuple[str, str], sentence: str) -> None:
    """The number of nodes alone would not show the fault."""
    verdict = audit(on_nodes(*texts), "easy")
    assert violation(verdict).sentence == sentence
    assert verdict.faithful


def test_which_nodes_is_free() -> None:
    """Nodes are interchangeable: other names are as feasible and as faithful."""
    verdict = audit(on_nodes("1,3", "0,2"), "easy")
    assert verdict.feasible
    assert verdict.faithful


def test_running_longer_than_asked_is_noticed_only() -> None:
    """Not every cluster kills at the limit."""
    schedule = simulate(jobs((0, 1, 5, 9)), 1, "easy", kill_at_request=False)
    verdict = audit(schedule, "easy")
    assert verdict.feasible
    assert verdict.faithful
    assert verdict.notes == ("1 of 1 jobs ran longer than they asked for",)


def test_jobs_of_unknown_fate_are_left_out(moved: Moved) -> None:
    """It is not known how long a job that neither started nor was withdrawn stood in the queue."""
    verdict = audit(moved(simulate(head_blocked(), 4, "easy"), {3: -1}), "easy")
    assert verdict.feasible
    assert verdict.faithful
    assert verdict.notes == ("left out 1 of 4 jobs: neither started nor withdrawn",)


def two_clusters() -> Schedule:
    """Return jobs of 2 nodes of a and 1 of b, and of 2 of a, on three nodes of a and two of b."""
    platform = Platform((Cluster.homogeneous(3, "a"), Cluster.homogeneous(2, "b")))
    workload = with_needs(jobs((0, 1, 5, 5), (0, 1, 5, 5)), [{"a": 2, "b": 1}, {"a": 2}])
    return simulate(workload, platform, "conservative")


def test_nodes_of_the_wrong_cluster() -> None:
    """Job 1 has three nodes, as many as it needs, but one too many of b."""
    nodes = NodeRanges.parse(["0,3-4", "0-1"])
    found = violation(audit(replace(two_clusters(), node_ranges=nodes), "conservative"))
    assert found.sentence == "job 1 ran on 1 node of cluster a and needs 2"


def test_a_cluster_over_used_though_the_machine_is_not(moved: Moved) -> None:
    """Four nodes of a are in use at once, but a has three; the machine has five."""
    found = violation(audit(moved(two_clusters(), {2: 0}), "conservative"))
    assert found.sentence == "4 nodes are in use at 0 and cluster a has 3"
