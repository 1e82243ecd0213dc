"""Imagined futures that replace a simulation's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.sim.changing_machines import Changing, changing
from tests.sim.described_machines import described
from tests.sim.gpu_machines import with_gpus

from schedlab import Simulation, simulate
from schedlab.errors import ParameterError
from schedlab.platform import Platform
from schedlab.sim import Arrivals
from schedlab.testing.check_policy import other_futures
from schedlab.testing.instances import crowd, jobs
from schedlab.testing.strategies import examples, workloads
from schedlab.workload import Workload

NODES = 8
TIMES_S = st.integers(0, 400)
POLICIES = ("easy", "sjf+easy:backfill=saf", "wfp3+easy", "wrsabf-ar", "conservative", "fcfs")
ON_NODES = ("easy", "saf+easy", "conservative", "wrsa+one-reserved", "unicef")


def drawn_runs(simulation: Simulation, seed: int, futures: int = 2) -> NDArray[np.int64]:
    """Return run times that the unfinished jobs may still have."""
    left = simulation.unfinished()
    more = np.random.default_rng(seed).integers(0, 60, (futures, len(left)))
    return left.least_run_s + more


def check_batch(simulation: Simulation, first: str, then: str, seed: int) -> None:
    """Compare the batch with forks that are made one by one."""
    left, runs = simulation.unfinished(), drawn_runs(simulation, seed)
    found = simulation.imagined_starts(runs, [first, [(first, 20), then]], threads=2)
    for future, run_s in enumerate(runs):
        alone = simulation.imagine(run_s).use(first)
        both = alone.fork().run(simulation.now_s + 20).use(then)
        for plan, fork in enumerate((alone, both)):
            while fork._simulator.run(fork._chosen.core, 1000):  # some may wait for ever
                pass
            assert found[future, plan].tolist() == fork.start_times()[left.job].tolist()


@examples(150)
@given(
    workload=workloads(NODES, 15),
    now_s=TIMES_S,
    policies=st.tuples(*[st.sampled_from(POLICIES)] * 3),
    predict=st.sampled_from(("request", "last-two")),
    tick=st.sampled_from((0, 60)),
    seed=st.integers(0, 9),
)
def test_the_batch_is_what_single_forks_do(
    workload: Workload,
    now_s: int,
    policies: tuple[str, str, str],
    predict: str,
    tick: int,
    seed: int,
) -> None:
    """There are dependencies, withdrawals and ticks; orders that learn know the past."""
    if predict != "request":  # jobs that wait for others are predicted now, not later
        workload = workload.replace(depends_on=np.full(len(workload), -1))
    simulation = Simulation(workload, NODES, policies[0], predict=predict, tick=tick).run(now_s)
    if predict != "request" and not simulation.unfinished().is_waiting.all():
        return
    check_batch(simulation, *policies[1:], seed)


@examples(60)
@given(
    drawn=described(12) | with_gpus(12),
    now_s=st.integers(0, 100),
    policies=st.tuples(*[st.sampled_from(ON_NODES)] * 3),
    place=st.sampled_from(("lowest", "random:seed=3", "best-fit")),
    seed=st.integers(0, 9),
)
def test_on_machines_of_every_kind(
    drawn: tuple[Platform, Workload],
    now_s: int,
    policies: tuple[str, str, str],
    place: str,
    seed: int,
) -> None:
    """There are shared nodes, partitions, clusters, parts of GPUs and several places."""
    platform, workload = drawn
    simulation = Simulation(workload, platform, policies[0], place=place).run(now_s)
    check_batch(simulation, *policies[1:], seed)


@examples(100)
@given(
    drawn=changing(12),
    now_s=st.integers(0, 100),
    policies=st.tuples(*[st.sampled_from(ON_NODES)] * 3),
    seed=st.integers(0, 9),
)
def test_on_machines_that_change(
    drawn: Changing, now_s: int, policies: tuple[str, str, str], seed: int
) -> None:
    """There are outages, drains, reservations, repairs, licences, preemption and checkpoints."""
    simulation = Simulation(
        drawn.workload,
        drawn.platform,
        policies[0],
        failures=drawn.failures,
        preemption=drawn.preemption,
    ).run(now_s)
    check_batch(simulation, *policies[1:], seed)


@examples(100)
@given(
    workload=workloads(NODES, 15),
    now_s=TIMES_S,
    policy=st.sampled_from((*POLICIES, "sjf+one-reserved:reservation=pinned")),
    seed=st.integers(0, 9),
)
def test_an_imagined_future_is_the_run_of_a_workload_that_has_it(
    workload: Workload, now_s: int, policy: str, seed: int
) -> None:
    """The policy keeps its promises, too, and goes on as if nothing had happened."""
    workload = workload.replace(
        depends_on=np.full(len(workload), -1), cancel_after_s=np.full(len(workload), -1)
    )
    simulation = Simulation(workload, NODES, policy).run(now_s)
    left, (run_s, *_) = simulation.unfinished(), drawn_runs(simulation, seed)
    fork = simulation.imagine(run_s).run()
    told = workload["run_s"].copy()
    told[left.job] = run_s
    known = workload.replace(run_s=told).take(workload["submit_s"] <= now_s)
    plain = simulate(known, NODES, policy)
    assert fork.schedule().start_s.tolist() == plain.start_s.tolist()
    assert fork.schedule().end_s.tolist() == plain.end_s.tolist()


@examples(60)
@given(workload=workloads(NODES, 15), now_s=TIMES_S, policy=st.sampled_from(POLICIES))
def test_the_true_future_makes_no_difference(workload: Workload, now_s: int, policy: str) -> None:
    """The true future is unknown, so the imagined starts stay the same when it changes."""
    simulation = Simulation(workload, NODES, policy).run(now_s)
    runs = drawn_runs(simulation, 1)
    found = simulation.imagined_starts(runs).tolist()
    for future in other_futures(simulate(workload, NODES, policy), now_s):
        cancel_after_s = np.where(
            future["submit_s"] + future["cancel_after_s"] > now_s, -1, future["cancel_after_s"]
        )
        for other in (future, future.replace(cancel_after_s=cancel_after_s)):
            same = Simulation(other, NODES, policy).run(now_s)
            assert same.imagined_starts(runs).tolist() == found


def test_the_original_is_not_changed() -> None:
    """A fork forgets the true future; the original keeps it."""
    workload = crowd(count=30)
    simulation = Simulation(workload, 16, "easy").run(100)
    simulation.imagine(drawn_runs(simulation, 0)[0]).run()
    simulation.imagined_starts(drawn_runs(simulation, 0), ["sjf+easy"])
    assert simulation.run().schedule() == simulate(workload, 16, "easy")


def test_jobs_may_come() -> None:
    """Under ``snf`` a new narrow job, like the second one, delays the wide job that waits."""
    workload = jobs((0, 2, 10, 10), (1, 1, 50, 5), (2, 4, 10, 10), (90, 1, 1, 1))
    simulation = Simulation(workload, 4, "fcfs").run(5)
    assert simulation.unfinished().job.tolist() == [0, 1, 2]
    run_s = [[10, 8, 10], [10, 8, 10]]
    nobody, one = Arrivals([], [], []), Arrivals([1], [6], [40])
    found = simulation.imagined_starts(run_s, ["fcfs", "snf"], arrivals=[nobody, one])
    assert found[:, :, 2].tolist() == [[10, 10], [10, 46]]


def test_a_horizon_ends_it() -> None:
    """A job that has not started by the horizon has no start."""
    simulation = Simulation(jobs((0, 4, 100, 9), (1, 4, 100, 9)), 4, "easy").run(1)
    assert simulation.imagined_starts([[50, 9]], until_s=49).tolist() == [[[0, -1]]]
    assert simulation.imagined_starts([[50, 9]], until_s=50).tolist() == [[[0, 50]]]


def test_the_schedule_of_an_imagined_future_has_its_run_times() -> None:
    """An imagined future cannot be saved as if it had happened."""
    simulation = Simulation(jobs((0, 4, 100, 9), (1, 4, 100, 9)), 4, "easy").run(1)
    fork = simulation.imagine([50, 70]).run()
    assert fork.schedule().workload["run_s"].tolist() == [50, 70]
    with pytest.raises(ParameterError, match="an imagined future cannot be saved"):
        fork.save(Path("no.zip"))


@pytest.mark.parametrize(
    ("run_s", "message"),
    [
        ([[5]], r"run_s has the shape \(1, 1\); must have one number for each of the 2 unfinished"),
        ([5, 5], r"run_s has the shape \(2,\)"),
        ([[1, 5]], "run_s is 1 for the job at place 0, which has run for 1 s; must be >= 2"),
        ([[2.5, 5]], "run_s must be whole numbers >= 0"),
        ([[2, -5]], "run_s must be whole numbers >= 0"),
        ([["a", "b"]], "run_s must be whole numbers >= 0"),
    ],
)
def test_run_times_that_cannot_be(run_s: list[Any], message: str) -> None:
    """One sentence says why."""
    simulation = Simulation(jobs((0, 4, 100, 9), (1, 4, 100, 9)), 4, "easy").run(1)
    with pytest.raises(ParameterError, match=message):
        simulation.imagined_starts(run_s)


@pytest.mark.parametrize(
    ("arrivals", "message"),
    [
        ([], "arrivals are given for 0 futures, run times for 1"),
        ([Arrivals([0], [5, 6], [1])], "must have the same length"),
        ([Arrivals([2], [5], [1])], "like jobs at places from 0 to 1"),
        ([Arrivals([1], [0], [1])], "submit_s of an arrival is 0; must be >= 1"),
    ],
)
def test_arrivals_that_cannot_be(arrivals: list[Arrivals], message: str) -> None:
    """One sentence says why."""
    simulation = Simulation(jobs((0, 4, 100, 9), (1, 4, 100, 9)), 4, "easy").run(1)
    with pytest.raises(ParameterError, match=message):
        simulation.imagined_starts([[5, 5]], arrivals=arrivals)


def test_a_job_to_come_does_not_come_when_what_it_waits_for_ends() -> None:
    """At 20 s job 3, which comes at 50 s and waits for job 1, is unknown.

    Job 2 waits for job 3, so neither starts.
    """
    workload = Workload(
        {
            "job_id": [1, 2, 3],
            "submit_s": [0, 10, 50],
            "nodes": [4, 4, 4],
            "request_s": [100, 100, 100],
            "run_s": [100, 100, 100],
            "depends_on": [-1, 3, 1],
        }
    )
    simulation = Simulation(workload, 4, "easy").run(20)
    left = simulation.unfinished()
    assert left.job.tolist() == [0, 1]
    fork = simulation.imagine(np.maximum(left.least_run_s, 90))
    while fork._simulator.run(fork._chosen.core, 1000):
        pass
    assert fork.start_times().tolist() == [0, -1, -1]
    assert simulation.imagined_starts([[90, 90]]).tolist() == [[[0, -1]]]
