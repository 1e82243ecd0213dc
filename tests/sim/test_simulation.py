"""A simulation that is stopped, looked at, changed, forked and saved."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab import Policy, Schedule, Simulation, Workload, simulate
from schedlab.errors import InputError, ParameterError, WorkloadError
from schedlab.policies import View
from schedlab.sim import JobOutcome
from schedlab.testing import ORDERS, ReferenceSchedule
from schedlab.testing.instances import crowd, jobs
from schedlab.testing.reference.conservative import Conservative, RebuiltConservative
from schedlab.testing.reference.easy import Easy
from schedlab.testing.reference.given import jobs_of
from schedlab.testing.reference.machine import Machine
from schedlab.testing.reference.no_backfill import NoBackfill
from schedlab.testing.reference.predictors import PREDICTORS
from schedlab.testing.reference.reserving import AllReserved, OneReserved
from schedlab.testing.reference.simulate import reference_schedule
from schedlab.testing.reference.simulation import Backfill, ReferenceSimulation
from schedlab.testing.strategies import examples, workloads
from schedlab.workload.transforms.merge import merge

NODES = 8
POLICIES = (
    "fcfs",
    "easy",
    "sjf+easy:backfill=saf",
    "wfp3+easy",
    "easy:backfill=wrsa",
    "easy:reserve=nodes",
    "conservative",
    "sjf+conservative",
    "conservative:rebuild=true",
    "wrsabf-or:depth=5",
    "wrsabf-ar",
    "wrsa+one-reserved:reservation=frozen",
    "sjf+one-reserved:reservation=pinned",
    "fcfs+all-reserved:reservation=pinned",
    "easy:predict=last-two",
    "sjf+conservative:predict=regression",
)
TIMES_S = st.integers(0, 400)
drawn = examples(60)


class Sticky(Policy):
    """FCFS that counts its passes, to see whether a fork has a count of its own."""

    def __init__(self) -> None:
        self.passes = [0]

    def schedule(self, view: View) -> None:
        """Start in order."""
        self.passes[0] += 1
        for job in view.queue.job.tolist():
            if not view.fits(job):
                break
            view.start(job)


@pytest.mark.parametrize("policy", POLICIES)
@drawn
@given(workload=workloads(NODES, 15), stop_s=TIMES_S, later_s=TIMES_S)
def test_a_run_in_parts_is_the_same_run(
    policy: str, workload: Workload, stop_s: int, later_s: int
) -> None:
    """Stopping, looking and forking change nothing, whatever the policy keeps between passes."""
    whole = simulate(workload, NODES, policy)
    parts = Simulation(workload, NODES, policy).run(stop_s)
    fork = parts.fork()
    assert len(fork.queue) == len(parts.queue)
    assert fork.run(later_s).run().schedule() == whole
    parts.step()
    assert parts.run().schedule() == whole


@pytest.mark.parametrize("policy", POLICIES)
@drawn
@given(workload=workloads(NODES, 15), stop_s=TIMES_S)
def test_a_fork_that_goes_elsewhere_leaves_the_original_alone(
    policy: str, workload: Workload, stop_s: int
) -> None:
    """The original shows nothing of what a fork does."""
    original = Simulation(workload, NODES, policy).run(stop_s)
    fork = original.fork().use("ljf")
    fork.submit(jobs((fork.now_s + 3, NODES, 50, 50)).replace(job_id=[1000]))
    fork.run()
    assert original.run().schedule() == simulate(workload, NODES, policy)


BACKFILLS: dict[str, Callable[[], Backfill]] = {
    "none": NoBackfill,
    "easy": Easy,
    "conservative": Conservative,
    "conservative:rebuild=true": RebuiltConservative,
    "all-reserved": AllReserved,
    "one-reserved": lambda: OneReserved(1.5),
}


def reference_switched(
    workload: Workload, first: tuple[str, str], second: tuple[str, str], switch_s: int
) -> ReferenceSchedule:
    """Return what the plain simulator does under two policies, one after the other."""
    machine = Machine.whole_nodes(NODES)
    sim = ReferenceSimulation(
        jobs_of(workload, Simulation(workload, NODES, "fcfs").platform),
        machine,
        0.3,
        PREDICTORS["request"](),
    )
    for (order, way), until_s in ((first, float(switch_s)), (second, float("inf"))):
        sim.run(ORDERS[order], BACKFILLS[way](), None, until_s)
    return reference_schedule(sim)


def _named(order: str, way: str) -> str:
    kind, colon, parameters = way.partition(":")
    return (order if kind == "none" else f"{order}+{kind}") + colon + parameters


policies = st.tuples(st.sampled_from(sorted(ORDERS)), st.sampled_from(sorted(BACKFILLS)))


@examples(400)
@given(workload=workloads(NODES, 15), first=policies, second=policies, switch_s=TIMES_S)
def test_another_policy_from_then_on(
    workload: Workload, first: tuple[str, str], second: tuple[str, str], switch_s: int
) -> None:
    """Core and reference agree: jobs that run go on, promises are forgotten."""
    simulation = Simulation(workload, NODES, _named(*first)).run(switch_s)
    made = simulation.use(_named(*second)).run().schedule()
    assert ReferenceSchedule.of(made) == reference_switched(workload, first, second, switch_s)


def test_a_job_that_ended_before_the_switch_leaves_room_once() -> None:
    """Job 2, of no length, ends at the second of the switch: the new policy finds it gone."""
    workload = jobs((60, 1, 1, 1), (60, 1, 2, 0), (61, 7, 1, 1), (61, 1, 1, 1), (61, 1, 1, 1))
    simulation = Simulation(workload, 8, "f1+all-reserved").run(60)
    made = simulation.use("f1+conservative").run().schedule()
    assert made.start_s.tolist() == [60, 60, 61, 61, 62]


@drawn
@given(early=workloads(NODES, 8), late=workloads(NODES, 8), policy=st.sampled_from(POLICIES[:8]))
def test_jobs_added_are_as_good_as_jobs_given(early: Workload, late: Workload, policy: str) -> None:
    """Added jobs queue by submission; in the same second they come behind the given jobs."""
    plain = ("job_id", "submit_s", "nodes", "request_s", "run_s", "user")
    early, late = (Workload({column: part[column] for column in plain}) for part in (early, late))
    late = late.replace(job_id=late["job_id"] + 1000)
    added = Simulation(early, NODES, policy).submit(late).run().schedule()
    whole = simulate(merge(early, late), NODES, policy)
    assert added.workload == whole.workload
    assert ReferenceSchedule.of(added) == ReferenceSchedule.of(whole)


def test_the_state_can_be_read() -> None:
    """Two of four nodes are held at 5; two jobs wait."""
    workload = jobs((0, 2, 10, 10), (1, 4, 10, 10), (2, 3, 10, 10))
    simulation = Simulation(workload, 4, "fcfs").run(5)
    assert (simulation.now_s, simulation.free_nodes, simulation.policy) == (5, 2, "fcfs")
    assert simulation.job_id(simulation.running.job).tolist() == [1]
    assert simulation.job_id(simulation.queue.job).tolist() == [2, 3]
    assert len(simulation.schedule()) == 0
    assert simulation.run(12).schedule().workload["job_id"].tolist() == [1]


def test_jobs_can_be_cancelled() -> None:
    """A waiting job is withdrawn, a running job is killed, and a future job never arrives."""
    workload = jobs((0, 4, 100, 100), (1, 4, 10, 10), (2, 4, 10, 10), (50, 4, 10, 10))
    simulation = Simulation(workload, 4, "conservative").run(20)
    schedule = simulation.cancel(1).cancel(2).cancel(4).run().schedule()
    assert schedule.state.tolist() == [
        JobOutcome.KILLED,
        JobOutcome.CANCELLED,
        JobOutcome.COMPLETED,
        JobOutcome.CANCELLED,
    ]
    assert schedule.start_s.tolist() == [0, -1, 20, -1]
    assert schedule.end_s.tolist() == [20, -1, 30, -1]


def test_a_policy_in_python_is_copied_with_what_it_keeps() -> None:
    """A fork counts its own passes."""
    policy = Sticky()
    simulation = Simulation(crowd(count=20), 16, policy).run(50)
    before = policy.passes[0]
    fork = simulation.fork()
    fork.run()
    assert policy.passes[0] == before
    assert simulation.run().schedule() == fork.schedule()


def test_forks_run_on_threads() -> None:
    """Sixteen forks at once give the same schedules as one after the other."""
    simulation = Simulation(crowd(count=150), 16, "easy").run(300)
    names = ["easy", "sjf+easy", "conservative", "wrsabf-or"] * 4

    def go_on(name: str) -> Schedule:
        return simulation.fork().use(name).run().schedule()

    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(go_on, names))
    assert together == [go_on(name) for name in names]


def test_a_state_in_a_file(tmp_path: Path) -> None:
    """A saved simulation goes on as if nothing had happened."""
    all_at_once = crowd(count=60).replace(submit_s=[0] * 60)
    simulation = Simulation(all_at_once, 16, "wrsabf-or:depth=9", tick=7, seed=3).run(100)
    simulation.use("sjf+easy").step()
    simulation.submit(jobs((simulation.now_s + 5, 2, 30, 20)).replace(job_id=[777])).run(200)
    simulation.cancel(int(simulation.job_id(simulation.queue.job)[-1]))
    simulation.save(tmp_path / "state.zip")
    loaded = Simulation.load(tmp_path / "state.zip")
    assert loaded.now_s == simulation.now_s
    one, other = loaded.run().schedule(), simulation.run().schedule()
    assert one == other
    assert one.provenance["seed"] == 3
    assert [next(iter(step)) for step in one.provenance["steps"]][:2] == ["run", "policy"]


def test_only_a_policy_by_name_can_be_saved(tmp_path: Path) -> None:
    """A policy object cannot be restored from a file."""
    with pytest.raises(ParameterError, match=r"package\.module:Class"):
        Simulation(crowd(count=5), 16, Sticky()).save(tmp_path / "state.zip")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18), b"nothing of the kind"])
def test_a_file_that_holds_no_state(content: bytes, tmp_path: Path) -> None:
    """The error is one sentence with the file's name."""
    (tmp_path / "state.zip").write_bytes(content)
    with pytest.raises(InputError, match=r"state\.zip.*not a saved simulation"):
        Simulation.load(tmp_path / "state.zip")


def test_a_file_changed_by_hand_is_noticed(tmp_path: Path) -> None:
    """Its steps, when repeated, lead to a different state from the one in the file."""
    all_at_once = crowd(count=20).replace(submit_s=[0] * 20)
    Simulation(all_at_once, 16, "easy").run(90).save(tmp_path / "state.zip")
    with zipfile.ZipFile(tmp_path / "state.zip") as file:
        parts = {name: file.read(name) for name in file.namelist()}
    document = json.loads(parts["simulation.json"])
    document["begin"]["policy"] = "lcfs"
    with zipfile.ZipFile(tmp_path / "state.zip", "w") as file:
        for name, content in parts.items():
            file.writestr(name, json.dumps(document) if name.endswith("json") else content)
    with pytest.raises(InputError, match="comes to another state"):
        Simulation.load(tmp_path / "state.zip")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"submit_s": [0]}, "submit_s is 0; must be >= 50"),
        ({"job_id": [1]}, "job 1 is in the simulation already"),
        ({"nodes": [99]}, "job 500 needs 99 nodes but the cluster has 16"),
        ({"depends_on": [1]}, "cannot have depends_on"),
    ],
)
def test_jobs_that_cannot_be_added(changes: dict[str, list[int]], sentence: str) -> None:
    """The error is one sentence, and no job is added."""
    simulation = Simulation(crowd(count=10), 16, "easy").run(50)
    job = jobs((60, 1, 10, 10)).replace(**({"job_id": [500]} | changes))
    with pytest.raises(WorkloadError, match=sentence):
        simulation.submit(job)
    assert len(simulation.workload) == 10


def test_what_cannot_be_cancelled_or_changed() -> None:
    """A job that has ended, an unknown job and another predictor are refused."""
    simulation = Simulation(jobs((0, 1, 10, 10)), 4, "easy").run()
    with pytest.raises(WorkloadError, match="job 1 has ended"):
        simulation.cancel(1)
    with pytest.raises(WorkloadError, match="job 9 is not in the workload"):
        simulation.cancel(9)
    with pytest.raises(ParameterError, match="keeps its predictor"):
        simulation.use("easy:predict=last-two")
    with pytest.raises(ParameterError, match="until_s is -1"):
        simulation.run(-1)


def test_a_fork_costs_little() -> None:
    """Forks share the jobs, so a thousand forks hold no more memory than their states."""
    simulation = Simulation(crowd(count=150), 16, "easy").run(300)
    forks = [simulation.fork() for _ in range(1000)]
    assert {len(fork.queue) for fork in forks} == {len(simulation.queue)}
    assert np.array_equal(forks[-1].run().start_times(), simulation.run().start_times())
