"""Attempts of interrupted jobs: in the schedule, its files, metrics, pictures and the audit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from tests.sim.changing_machines import Changing, changing

from schedlab import Simulation, Workload, simulate
from schedlab.audit.feasible import find_violations
from schedlab.errors import ParameterError, UnknownNameError, WorkloadError
from schedlab.metrics import find_metric, summary
from schedlab.platform import (
    CapacityStep,
    Cluster,
    Consumable,
    Failure,
    NodeGroup,
    Outage,
    Platform,
)
from schedlab.sim import JobOutcome, Preemption, Schedule, WhyEnded, load_schedules, save_schedules
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import examples

PAIR = jobs((0, 2, 10, 10), (0, 1, 5, 5))


def failed(checkpoint_s: int = -1) -> Schedule:
    """Return a job of 2 nodes that a failure interrupts at 4, and one that runs meanwhile."""
    workload = PAIR.replace(checkpoint_s=[checkpoint_s, -1])
    return simulate(workload, 2, "easy", failures=[Failure(0, 4, 5)])


def test_a_failed_job_runs_again() -> None:
    """The node is back at 9, when the other job has ended."""
    made = failed()
    assert made.attempts is not None
    assert made.attempts.frame(made.workload["job_id"]).rows() == [
        (1, 1, 0, 4, "failure", 4, "0-1"),
        (1, 2, 9, 19, "completed", 0, "0-1"),
        (2, 1, 4, 9, "completed", 0, "1"),
    ]
    assert made.start_s.tolist() == [9, 4]
    assert (made.wait_s.tolist(), made.ran_s.tolist()) == ([5, 4], [14, 5])
    assert made.worked_s.tolist() == [10, 5]


def test_a_suspended_job_that_is_lost_is_forgotten_by_the_plan() -> None:
    """Job 1 has a promise when the node fails at 8, and must not run again.

    Job 3 still has a promise, so it comes before job 2, which has lost its start.
    """
    workload = jobs((0, 1, 100, 100), (5, 1, 10, 10), (6, 1, 20, 20)).replace(requeue=[0, 1, 1])
    rule = Preemption(by="srpt", mode="suspend")
    made = simulate(workload, 1, "conservative", failures=[Failure(0, 8, 3)], preemption=rule)
    assert made.state.tolist() == [JobOutcome.KILLED, JobOutcome.COMPLETED, JobOutcome.COMPLETED]
    assert made.start_s.tolist() == [0, 31, 11]


def test_two_jobs_do_not_preempt_each_other_for_ever() -> None:
    """Both jobs outlive their requests, and each seems to have less than a tick left."""
    workload = jobs((0, 1, 30, 91), (1, 1, 10, 71))
    rule = Preemption(by="srpt", mode="requeue")
    made = simulate(workload, 1, "easy", tick=60, kill_at_request=False, preemption=rule)
    assert made.start_s.tolist() == [0, 120]


def test_a_licence_that_is_short_between_two_ticks_is_not_missed() -> None:
    """The licence is gone at 1 and back at 2; the policy sees both at 7."""
    steps = (CapacityStep(1, 0), CapacityStep(2, 1))
    platform = replace(Platform.homogeneous(1), consumables=(Consumable("x", 1, steps),))
    columns = {name: PAIR[name][1:] for name in PAIR.columns} | {"licences": [0]}
    workload = Workload(columns, labels={"licences": ["x:1"]})
    for policy in ("easy", "conservative", "easy-one-reserved:reservation=frozen"):
        assert simulate(workload, platform, policy, tick=7).start_s.tolist() == [0]


def test_metrics_count_lost_work() -> None:
    """8 of 33 node-seconds are lost; the only idle node is node 0, from 4 to 9."""
    made = failed()
    assert find_metric("lost_work").value(made) == pytest.approx(8 / 33)
    assert find_metric("interruptions").value(made) == 0.5
    assert find_metric("utilisation").value(made) == pytest.approx(33 / 38)
    assert find_metric("bounded_slowdown").value(made) == pytest.approx((1.9 + 1.0) / 2)
    assert summary(made)["makespan_s"] == 19


def test_a_checkpoint_saves_work() -> None:
    """The checkpoint keeps 3 of the 4 seconds."""
    made = failed(checkpoint_s=3)
    assert made.attempts is not None
    assert made.attempts.lost_s.tolist() == [1, 0, 0]
    assert made.end_s.tolist() == [16, 9]


def test_a_file_keeps_attempts(tmp_path: Path) -> None:
    """Both formats that hold a whole schedule keep the attempts."""
    made = failed()
    for name in ("a.csv", "a.parquet"):
        save_schedules([made], tmp_path / name)
        assert load_schedules(tmp_path / name)[0] == made


def test_a_saved_simulation_goes_on_with_its_failures(tmp_path: Path) -> None:
    """The failure comes after the moment at which the simulation was saved."""
    run = Simulation(PAIR, 2, "easy", failures=[Failure(0, 4, 5)], preemption=Preemption("srpt"))
    run.run(1).save(tmp_path / "state")
    again = Simulation.load(tmp_path / "state").run().schedule()
    assert again == run.fork().run().schedule()
    assert again.attempts is not None


def test_rows_by_attempt() -> None:
    """Each attempt has a row, numbered through, with the id of its job."""
    each = failed().by_attempt()
    assert each.start_s.tolist() == [0, 4, 9]
    assert each.job_id.tolist() == [1, 2, 1]
    assert each.wait_s.tolist() == [0, 4, 5]
    assert each.used_nodes().value.tolist() == failed().used_nodes().value.tolist()


def test_a_job_that_is_cancelled_while_it_waits_again_has_ended() -> None:
    """Job 1 is interrupted at 4 and cancelled at 6; all its work is lost."""
    run = Simulation(PAIR, 2, "easy", failures=[Failure(0, 4, 5)]).run(6)
    made = run.cancel(1).run().schedule()
    assert made.attempts is not None
    assert made.attempts.why.tolist() == [WhyEnded.FAILURE, WhyEnded.COMPLETED]
    assert made.state.tolist() == [2, 1]


@examples(60)
@given(drawn=changing(max_jobs=10))
def test_the_audit_finds_all_feasible(drawn: Changing) -> None:
    """No node is used twice, whatever happens, and all held time is work or lost."""
    made = simulate(
        drawn.workload,
        drawn.platform,
        "easy",
        failures=drawn.failures,
        preemption=drawn.preemption,
    )
    assert find_violations(made) == []
    assert np.all(made.worked_s <= np.maximum(made.workload["run_s"], 0))


def test_what_cannot_be_is_refused() -> None:
    """Unknown rules and modes, a policy that counts nodes, and a node that closes for ever."""
    with pytest.raises(UnknownNameError, match="unknown preemption"):
        Preemption("age")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown preemption mode"):
        Preemption("tier", "kill")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="plans whole nodes of one pool"):
        simulate(PAIR, 2, "wrsabf-or:reservation=pinned", failures=[Failure(0, 4, 5)])
    closed = Cluster("c", (NodeGroup(count=2),), outages=(Outage(50, nodes="0"),))
    with pytest.raises(WorkloadError, match="job 1 can never start once the machine has changed"):
        simulate(PAIR, Platform((closed,)), "easy")
