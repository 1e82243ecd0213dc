"""Jobs that need nodes of several clusters at once, in both simulators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.audit import audit
from schedlab.errors import ParameterError, PolicyError, WorkloadError
from schedlab.platform import Cluster, Platform
from schedlab.policies import Policy, View
from schedlab.sim import load_schedules, save_schedules, simulate
from schedlab.sim.feasibility import check_feasible
from schedlab.testing import ReferencePolicy, ReferenceSchedule, reference_simulate
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import (
    SimulationOptions,
    examples,
    multi_cluster_workloads,
    simulation_options,
    workloads,
)
from schedlab.workload import Workload
from schedlab.workload.needs import with_needs

SIZES = {"a": 4, "b": 3, "c": 2}
GRID = Platform(tuple(Cluster.homogeneous(nodes, name) for name, nodes in SIZES.items()), "grid")


def needing(*needs: dict[str, int]) -> Workload:
    """Return jobs 1, 2, ... submitted together, each with a request and a run time of 10 s."""
    return with_needs(jobs(*((0, 1, 10, 10) for _ in needs)), needs)


def test_a_job_gets_its_nodes_on_the_clusters_it_names() -> None:
    """Node numbers run through the clusters: b begins at 4, c at 7."""
    schedule = simulate(needing({"b": 2}, {"a": 3, "c": 1}, {"c": 1}), GRID, "conservative")
    assert schedule.start_s.tolist() == [0, 0, 0]
    assert ReferenceSchedule.of(schedule).nodes_of == [[4, 5], [0, 1, 2, 7], [8]]


def test_a_job_waits_until_all_its_clusters_are_free_together() -> None:
    """Job 3 could have its nodes of a at once, but they are useless without its node of b."""
    schedule = simulate(needing({"b": 3}, {"a": 1}, {"a": 3, "b": 1}), GRID, "conservative")
    assert schedule.start_s.tolist() == [0, 0, 10]
    assert schedule.first_reserved_s.tolist() == [0, 0, 10]


def test_idle_nodes_of_another_cluster_do_not_help() -> None:
    """Five nodes of nine are idle, none of them in a."""
    assert simulate(needing({"a": 4}, {"a": 1}), GRID, "conservative").start_s.tolist() == [0, 10]


def test_with_one_promise_a_job_may_overtake_all_but_the_head() -> None:
    """Job 3 ends before job 2 can start; job 4 would delay job 2."""
    workload = with_needs(
        jobs((0, 1, 10, 10), (0, 1, 5, 5), (0, 1, 10, 10), (0, 1, 11, 11)),
        [{"a": 4}, {"a": 1, "b": 3}, {"b": 1}, {"b": 1}],
    )
    schedule = simulate(workload, GRID, "conservative:promises=1")
    assert schedule.start_s.tolist() == [0, 10, 0, 15]


def check_agreement(
    workload: Workload, options: SimulationOptions, promises: int | None, predict: str
) -> None:
    """Compare all columns of both simulators."""
    name = "conservative" if promises is None else f"conservative:promises={promises}"
    native = simulate(workload, GRID, name, predict=predict, **options)
    plain = reference_simulate(
        workload,
        GRID,
        ReferencePolicy(backfill="conservative", promises=promises, predict=predict),
        **options,
    )
    assert ReferenceSchedule.of(native) == plain


PROMISES = st.sampled_from((None, None, 1, 2))
ALL_PROMISES = ("conservative:promises=1000", "conservative")
PREDICTORS = st.sampled_from(("request", "request", "last-two", "actual"))


@examples(40)
@given(multi_cluster_workloads(SIZES), simulation_options(), PROMISES, PREDICTORS)
def test_both_simulators_agree(
    workload: Workload, options: SimulationOptions, promises: int | None, predict: str
) -> None:
    """They agree on each start and node, with ticks, overruns, predictions and dependencies."""
    check_agreement(workload, options, promises, predict)


@pytest.mark.slow
@examples(1000)
@given(multi_cluster_workloads(SIZES, max_jobs=25), simulation_options(), PROMISES, PREDICTORS)
def test_both_simulators_agree_at_length(
    workload: Workload, options: SimulationOptions, promises: int | None, predict: str
) -> None:
    """Longer workloads and more of them, for the rare coincidences."""
    check_agreement(workload, options, promises, predict)


@examples(30)
@given(workload=workloads(), options=simulation_options())
def test_on_one_cluster_more_promises_than_jobs_are_all(
    workload: Workload, options: SimulationOptions
) -> None:
    """The promises in Python are those of the core; all jobs need nodes of the only cluster."""
    mine, native = (simulate(workload, 8, name, **options) for name in ALL_PROMISES)
    assert ReferenceSchedule.of(mine) == ReferenceSchedule.of(native)


@examples(30)
@given(multi_cluster_workloads(SIZES), simulation_options(), PREDICTORS)
def test_on_several_clusters_more_promises_than_jobs_are_all(
    workload: Workload, options: SimulationOptions, predict: str
) -> None:
    """The native plan of nodes and the promises in Python give the same starts and nodes."""
    mine, native = (
        simulate(workload, GRID, name, predict=predict, **options) for name in ALL_PROMISES
    )
    assert ReferenceSchedule.of(mine) == ReferenceSchedule.of(native)


@examples(30)
@given(workload=workloads())
def test_with_one_promise_on_one_cluster_it_is_easy(workload: Workload) -> None:
    """The head's promise is its shadow time."""
    mine, native = (simulate(workload, 8, name) for name in ("conservative:promises=1", "easy"))
    assert mine.start_s.tolist() == native.start_s.tolist()


@examples(20)
@given(
    workload=multi_cluster_workloads(SIZES),
    policy=st.sampled_from(("conservative", "conservative:promises=1", "coalloc")),
)
def test_an_audit_finds_nothing(workload: Workload, policy: str) -> None:
    """Nodes are named once, on the right clusters, and the same decisions are taken again."""
    verdict = audit(simulate(workload, GRID, policy), policy)
    assert verdict.feasible
    assert verdict.faithful


@examples(20)
@given(workload=multi_cluster_workloads(SIZES))
def test_nodes_are_named_where_only_times_are_known(workload: Workload) -> None:
    """A job gets as many nodes of each cluster as it needs, and no node is named twice."""
    times = replace(simulate(workload, GRID, "conservative"), node_ranges=None)
    named = replace(times, node_ranges=times.named_nodes())
    assert audit(named, "conservative").feasible


def test_a_schedule_of_clusters_survives_its_files(tmp_path: Path) -> None:
    """The files keep the needs of its jobs and the clusters of its platform."""
    schedule = simulate(needing({"b": 2}, {"a": 3, "c": 1}), GRID, "conservative")
    for name in ("a.parquet", "a.csv"):
        save_schedules([schedule], tmp_path / name)
        assert load_schedules(tmp_path / name) == [schedule]


class Impatient(Policy):
    """A policy that starts every job that fits, without asking whether it may."""

    def schedule(self, view: View) -> None:
        """Go through the queue once."""
        for job in view.queue.job.tolist():
            if view.fits(job):
                view.start(job)


def test_a_policy_of_ones_own_can_have_clusters() -> None:
    """A job fits only if every cluster that it needs has room for it."""
    workload = needing({"a": 4}, {"a": 1, "b": 1}, {"b": 3})
    assert simulate(workload, GRID, Impatient).start_s.tolist() == [0, 10, 0]


@pytest.mark.parametrize(
    "policy", ["easy-one-reserved:reservation=pinned", "wrsabf-ar:reservation=pinned"]
)
def test_a_policy_that_plans_one_pool_is_refused(policy: str) -> None:
    """It would start jobs on nodes of the wrong clusters."""
    with pytest.raises(ParameterError, match=r"plans whole nodes of one pool.*take easy"):
        simulate(needing({"a": 1}), GRID, policy)


def test_easy_has_a_head_on_each_cluster() -> None:
    """Job 2 waits for cluster a; job 3, on cluster b, does not wait for it."""
    workload = needing({"a": 3}, {"a": 4}, {"b": 3}, {"a": 1})
    assert simulate(workload, GRID, "easy").start_s.tolist() == [0, 10, 0, 0]


def test_environments_of_one_machine_refuse_such_jobs() -> None:
    """Learning environments and other simulators check this before they run a workload."""
    with pytest.raises(WorkloadError, match=r"need nodes of named clusters; here all nodes are"):
        check_feasible(needing({"a": 1}), Cluster.homogeneous(8))


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        ({"d": 1}, r'job 1: unknown cluster "d"; known: a, b, c, site/a'),
        ({"a": 1, "b": 4}, r'job 1: needs 4 nodes of cluster "b", which has 3'),
        ({"a": 1, "site/a": 1}, r"job 1: needs a cluster under two names"),
    ],
)
def test_a_job_that_could_never_run(needs: dict[str, int], reason: str) -> None:
    """The error comes before anything is simulated."""
    with pytest.raises(WorkloadError, match=reason):
        simulate(needing(needs), GRID, "conservative")


def test_needs_that_contradict_the_job() -> None:
    """A job's nodes must be the sum of its needs, and every job must have needs."""
    workload = needing({"a": 2}, {"b": 1})
    with pytest.raises(WorkloadError, match=r"job 1: nodes is 3 but its needs add up to 2"):
        simulate(workload.replace(nodes=[3, 1]), GRID, "conservative")
    with pytest.raises(WorkloadError, match=r"job 2: does not say which clusters it needs"):
        simulate(workload.replace(needs=[0, -1]), GRID, "conservative")


class Doing(Policy):
    """A policy that does with the view what a test wants."""

    def __init__(self, what: Callable[[View], object]) -> None:
        super().__init__()
        self.what = what

    def schedule(self, view: View) -> None:
        """Call the test's function."""
        self.what(view)


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        (lambda view: view.give_back(0), "job 1 has no reservation in this pass"),
        (lambda view: view.reserve(0, at=-1), "job 1 cannot be reserved at -1"),
        (lambda view: [view.reserve(job, at=0) for job in (0, 1)], "job 2 cannot be reserved at 0"),
        (lambda view: view.reserve(5), "there is no job at position 5"),
        (lambda view: view.needs(-1), "there is no job at position -1"),
        (lambda view: view.nodes_of(0), "job 1 has not been started"),
        (lambda view: view.release_s(0), "job 1 has not been started"),
        (
            lambda view: [view.start(job) for job in (0, 1)],
            "job 2 needs 2 nodes but too few have room for it",
        ),
    ],
)
def test_what_a_view_refuses(what: Callable[[View], object], reason: str) -> None:
    """The author of a policy gets one sentence."""
    with pytest.raises(PolicyError, match=reason):
        simulate(needing({"a": 4}, {"a": 1, "b": 1}), GRID, Doing(what))
