"""Decisions for Batsim are those of simulate(), job by job and node by node."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab import simulate
from schedlab.live.batsim import Session
from schedlab.sim import Schedule
from schedlab.testing.batsim import play_batsim
from schedlab.testing.batsim.peer import Ask
from schedlab.testing.instances import head_blocked, jobs, killed
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload, apply, generate, read_workload

Connect = Callable[[Session], AbstractContextManager[Ask]]

POLICIES = ("fcfs", "easy", "sjf+easy", "conservative")
OTHERS = (
    "wfp3+easy",
    "wrsabf-ar",
    "easy-one-reserved:reservation=pinned",
    "easy:reserve=nodes",
    "easy-one-reserved:reservation=frozen",
    "conservative:predict=last-two",
    "sjf+easy:predict=regression",
)


def independent(workload: Workload) -> Workload:
    """Return the same jobs without dependencies and withdrawals, which Batsim does not have."""
    columns = ("job_id", "submit_s", "nodes", "request_s", "run_s", "user")
    return workload.with_columns({name: workload[name] for name in columns})


def assert_same(played: Schedule, ours: Schedule) -> None:
    """Check that every job starts at the same second on the same nodes and ends in the same way."""
    assert played.start_s.tolist() == ours.start_s.tolist()
    assert played.end_s.tolist() == ours.end_s.tolist()
    assert played.state.tolist() == ours.state.tolist()
    assert played.node_ranges == ours.node_ranges


@pytest.mark.parametrize("policy", POLICIES)
def test_over_a_socket_the_schedule_is_that_of_simulate(connect: Connect, policy: str) -> None:
    """Two weeks of a crowded machine are played message by message."""
    workload = apply(generate("lublin:nodes=64", 400, seed=7), ["load=1.1:64"])
    with connect(Session(policy)) as ask:
        played = play_batsim(workload, 64, ask)
    assert_same(played, simulate(workload, 64, policy))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_published_workload_of_batsim(connect: Connect, shared_data: Path, policy: str) -> None:
    """Casagrande and Pillon's jobs at full load, on their ten machines."""
    workload = read_workload(shared_data / "grid" / "load_100.json")
    with connect(Session(policy)) as ask:
        played = play_batsim(workload, 10, ask)
    assert_same(played, simulate(workload, 10, policy))


@settings(deadline=None)
@given(drawn=workloads(max_jobs=12), policy=st.sampled_from(POLICIES + OTHERS))
def test_any_small_workload(drawn: Workload, policy: str) -> None:
    """Ties, bursts, kills and jobs of no length: all events of an instant are decided together."""
    workload = independent(drawn)
    played = play_batsim(workload, 8, Session(policy).answer)
    assert_same(played, simulate(workload, 8, policy))


@settings(deadline=None)
@given(
    drawn=workloads(max_jobs=12), policy=st.sampled_from(POLICIES), tick=st.sampled_from((7, 60))
)
def test_a_tick_is_asked_for_by_calls(drawn: Workload, policy: str, tick: int) -> None:
    """Between ticks nothing is decided, so the scheduler must ask to be called at the next one."""
    workload = independent(drawn)
    played = play_batsim(workload, 8, Session(policy, tick=tick).answer)
    # A job is seen to end at the tick, but Batsim records when it did.
    assert played.start_s.tolist() == simulate(workload, 8, policy, tick=tick).start_s.tolist()


def test_depth_is_handed_on() -> None:
    """With one job considered, EASY cannot backfill the fourth."""
    played = play_batsim(head_blocked(), 4, Session("easy", depth=1).answer)
    assert played.start_s.tolist() == simulate(head_blocked(), 4, "easy", depth=1).start_s.tolist()


def test_jobs_wider_than_the_machine_are_rejected() -> None:
    """They could never start; the other jobs go on as if they were not there."""
    workload = jobs((0, 2, 5, 5), (1, 9, 5, 5), (2, 3, 5, 5))
    session = Session("fcfs")
    played = play_batsim(workload, 4, session.answer)
    assert played.start_s.tolist() == [0, -1, 5]
    assert (session.served.jobs, session.served.rejected) == (2, 1)


def test_what_was_served_is_counted() -> None:
    """Jobs that Batsim kills at their walltime are counted as killed."""
    session = Session("easy")
    play_batsim(killed(), 1, session.answer)
    served = session.served
    assert (served.policy, served.nodes, served.jobs) == ("easy", 1, 2)
    assert (served.ended, served.killed) == (2, 1)
    assert session.finished


def test_starts_are_told_in_the_order_of_the_policy() -> None:
    """Batsim executes starts one after the other."""
    workload = jobs((0, 1, 9, 9), (0, 1, 3, 3), (0, 1, 5, 5))
    session = Session("sjf")
    order: list[str] = []

    def listening(message: bytes) -> bytes:
        reply = session.answer(message)
        order.extend(part.split(b'"')[0].decode() for part in reply.split(b'job_id": "')[1:])
        return reply

    played = play_batsim(workload, 3, listening)
    assert order == ["w0!2", "w0!3", "w0!1"]
    assert np.all(played.start_s == 0)
