"""One message and its answer: what the protocol requires, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.errors import ParameterError, PeerError, PolicyError, SchedlabError, WorkloadError
from schedlab.live.batsim import Session
from schedlab.live.batsim.messages import clock_s, interval_set, request_s
from schedlab.policies import Policy, View

Events = list[dict[str, Any]]


def event(kind: str, timestamp: float = 0, **data: Any) -> dict[str, Any]:
    """Return an event of that type."""
    return {"timestamp": timestamp, "type": kind, "data": data}


def tell(session: Session, now: float, *events: dict[str, Any]) -> Events:
    """Send the events in one message; return the events of the answer."""
    raw = session.answer(json.dumps({"now": now, "events": events}).encode())
    answer = json.loads(raw)
    assert answer["now"] == now
    assert all(each["timestamp"] == now for each in answer["events"])
    return list(answer["events"])


def begun(policy: Any = "easy", ids: tuple[int, ...] = (0, 1, 2, 3), **options: Any) -> Session:
    """Return a session that has begun, by default on four resources."""
    session = Session(policy, **options)
    resources = [{"id": number, "name": f"host{number}"} for number in ids]
    tell(session, 0, event("SIMULATION_BEGINS", compute_resources=resources))
    return session


def submitted(name: str, now: float = 0, **job: Any) -> dict[str, Any]:
    """Return the submission of a job, by default of one node for ten seconds."""
    described = {"id": name, "res": 1, "walltime": 10, **job}
    return event("JOB_SUBMITTED", now, job_id=name, job=described)


def completed(name: str, now: float) -> dict[str, Any]:
    """Return the event that the job has ended well."""
    return event("JOB_COMPLETED", now, job_id=name, job_state="COMPLETED_SUCCESSFULLY")


def test_a_job_that_fits_is_executed_on_the_lowest_resources() -> None:
    """The allocation names resources by Batsim's numbers, in its notation."""
    (answer,) = tell(begun(ids=(2, 3, 4, 7)), 1.5, submitted("w0!1", 1.5, res=4))
    assert answer["type"] == "EXECUTE_JOB"
    assert answer["data"] == {"job_id": "w0!1", "alloc": "2-4 7"}


def test_times_are_seen_to_the_nearest_second() -> None:
    """Messages take microseconds, which must not add a second of wait; walltimes round up."""
    assert [clock_s(time) for time in (0.0, 7.000045, 7.5, 7.499, 7.999985)] == [0, 7, 8, 7, 8]
    assert [request_s(time) for time in (0.2, 10.0, 10.0000001, 10.2)] == [1, 10, 10, 11]


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([3], "3"), ([0, 1, 2], "0-2"), ([0, 2, 3, 9], "0 2-3 9")]
)
def test_an_interval_set(numbers: list[int], text: str) -> None:
    """Neighbouring numbers are joined."""
    assert interval_set(numbers) == text


def test_a_job_seen_late_is_decided_now() -> None:
    """Events may be older than the message; the past cannot be changed."""
    session = begun("fcfs")
    tell(session, 0, submitted("a", res=4))
    (answer,) = tell(session, 12.3, submitted("b", 4.0, res=4), completed("a", 12.0))
    assert answer["data"]["job_id"] == "b"


def test_a_reservation_asks_to_be_called() -> None:
    """A conservative promise is kept at its time even if nothing happens then."""
    session = begun("conservative")
    first = tell(session, 0, submitted("a", res=4), submitted("b", res=4))
    assert [each["type"] for each in first] == ["EXECUTE_JOB", "CALL_ME_LATER"]
    assert first[1]["data"] == {"timestamp": 10.0}
    assert tell(session, 5, submitted("c", 5)) == []
    late = tell(session, 10.00002, completed("a", 10.00002), event("REQUESTED_CALL", 10.00002))
    assert late[0]["data"]["job_id"] == "b"


def test_dynamic_registration_is_ended_at_once() -> None:
    """We register no jobs, and without this Batsim would wait for them for ever."""
    config = {"dynamic-jobs-enabled": True}
    begins = event("SIMULATION_BEGINS", nb_resources=2, config=config)
    (answer,) = tell(Session("easy"), 0, begins)
    assert (answer["type"], answer["data"]) == ("NOTIFY", {"type": "registration_finished"})


def test_the_last_answer_is_empty() -> None:
    """The scheduler answers without events, then leaves."""
    session = begun()
    assert tell(session, 3, event("SIMULATION_ENDS", 3)) == []
    assert session.finished


def test_killed_jobs_end_once() -> None:
    """A kill is acknowledged for jobs that may have completed before it."""
    session = begun()
    tell(session, 0, submitted("a"), submitted("b"))
    tell(session, 5, completed("a", 5), event("JOB_KILLED", 5, job_ids=["a", "b"]))
    assert (session.served.ended, session.served.killed) == (2, 1)


def test_users_are_known_by_any_name() -> None:
    """Batsim passes on all fields of its workload; predictors learn from the user's jobs."""
    session = begun("fcfs:predict=last-two")
    tell(session, 0, submitted("a", user="ann", walltime=100, res=4))
    tell(session, 3, completed("a", 3))
    (start, call) = tell(session, 3, submitted("b", 3, user="ann", walltime=100, res=4))
    assert start["type"] == "EXECUTE_JOB"
    assert call["data"] == {"timestamp": 6.0}  # when it outlives the prediction


def test_jobs_without_walltime_need_a_request() -> None:
    """Policies plan by requests; Batsim lets such jobs run without limit."""
    without = event("JOB_SUBMITTED", job_id="a", job={"res": 1})
    for job in (submitted("a", walltime=-1), without):
        with pytest.raises(WorkloadError, match="job a has no walltime"):
            tell(begun(), 0, job)
        (answer,) = tell(begun(default_request_s=60), 0, job)
        assert answer["type"] == "EXECUTE_JOB"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\x80", "not JSON"),
        (b"hello", "not JSON"),
        (b"[1]", "must be an object"),
        (b'{"events": []}', "with now None"),
        (b'{"now": -1, "events": []}', "with now -1"),
        (b'{"now": NaN, "events": []}', "with now nan"),
        (b'{"now": 0}', "events None; must be a list"),
        (b'{"now": 0, "events": [7]}', "an event 7"),
        (b'{"now": 0, "events": [{"timestamp": 0}]}', "type None"),
        (b'{"now": 0, "events": [{"timestamp": 5, "type": "NOTIFY"}]}', "time 5.0 in a message"),
        (b'{"now": 0, "events": [{"timestamp": 0, "type": "NOTIFY", "data": 3}]}', "data 3"),
    ],
)
def test_a_message_that_is_none(raw: bytes, reason: str) -> None:
    """An invalid message is refused in one sentence that says what was sent."""
    with pytest.raises(PeerError, match=reason):
        begun().answer(raw)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([event("SIMULATION_BEGINS", nb_resources=4)], "SIMULATION_BEGINS twice"),
        ([event("RESOURCE_STATE_CHANGED", resources="1")], "the event RESOURCE_STATE_CHANGED"),
        ([submitted("a"), submitted("a")], "job a is submitted twice"),
        ([submitted("a", res=9), submitted("a", res=9)], "job a is submitted twice"),
        ([completed("a", 0)], "job a was never submitted"),
        ([submitted("a"), completed("a", 0)], "job a ends but was never started"),
        ([submitted("a", res=0)], "asks for 0 nodes; must be 1 to 4"),
        ([submitted("a", res="2")], "res '2'; must be a whole number"),
        ([submitted("a", walltime="1")], "walltime '1'; must be seconds"),
        ([submitted("a", walltime=2e12)], "asks for 2000000000000 seconds; must be 1 to"),
        ([submitted("a", walltime=10**400)], "seconds; must be 1 to"),
        ([event("JOB_SUBMITTED", job_id="a")], "JOB_SUBMITTED with job None; must be an object"),
        ([event("NOTIFY", type="event_machine_unavailable")], "event_machine_unavailable"),
    ],
)
def test_events_that_cannot_be_true(events: Events, reason: str) -> None:
    """An event that Batsim would never send is refused, not guessed at."""
    with pytest.raises(PeerError, match=reason):
        tell(begun(), 0, *events)


def test_events_in_no_order() -> None:
    """Time must not go back, neither within a message nor from one to the next."""
    session = begun()
    tell(session, 5)
    with pytest.raises(PeerError, match=r"went back from 5\.0 to 4\.0"):
        tell(session, 4)
    with pytest.raises(PeerError, match="out of order"):
        tell(session, 9, submitted("a", 8), submitted("b", 7))


def test_a_job_does_not_end_twice() -> None:
    """By then its nodes may be another job's."""
    session = begun()
    tell(session, 0, submitted("a"))
    tell(session, 1, completed("a", 1))
    with pytest.raises(PeerError, match="job a ends twice"):
        tell(session, 2, completed("a", 2))


@pytest.mark.parametrize(
    ("begins", "reason"),
    [
        (event("NOTIFY", type="x"), "NOTIFY before SIMULATION_BEGINS"),
        (event("SIMULATION_BEGINS", compute_resources=[]), "has 0 compute resources"),
        (event("SIMULATION_BEGINS", compute_resources=[1]), "resource 1; must be an object"),
        (event("SIMULATION_BEGINS", nb_resources=10**9), "must be 1 to 16,777,216"),
        (event("SIMULATION_BEGINS", nb_resources=2, config=[]), "config .*; must be an object"),
        (event("SIMULATION_BEGINS", config={"redis-enabled": True}), "without --enable-redis"),
        (event("SIMULATION_BEGINS"), "nb_resources None"),
    ],
)
def test_a_beginning_we_cannot_go_on_from(begins: dict[str, Any], reason: str) -> None:
    """It is refused at once, not after hours of simulation."""
    with pytest.raises(PeerError, match=reason):
        tell(Session("easy"), 0, begins)


NAMES = st.sampled_from(("job_id", "job", "job_ids", "res", "walltime", "user", "type", "id"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 9) | st.floats() | st.sampled_from(("a", "b")),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
JOBS = st.fixed_dictionaries({"res": st.integers(0, 5)}, optional={"walltime": VALUES})
DATA = st.dictionaries(NAMES, VALUES, max_size=3) | st.fixed_dictionaries(
    {"job_id": st.sampled_from(("a", "b", "c"))}, optional={"job": JOBS}
)
KINDS = st.sampled_from(("SIMULATION_BEGINS", "JOB_SUBMITTED", "JOB_COMPLETED", "JOB_KILLED"))
MESSAGES = st.lists(st.lists(st.tuples(KINDS, DATA | VALUES), max_size=3), max_size=5)


@settings(deadline=None, max_examples=50)
@given(MESSAGES)
def test_whatever_comes_is_answered_or_refused(messages: list[list[tuple[str, Any]]]) -> None:
    """No message ends in a traceback; after a refusal another session begins."""
    session = begun(default_request_s=5)
    for now, events in enumerate(messages):
        told = [{"timestamp": now, "type": kind, "data": data} for kind, data in events]
        try:
            answer = json.loads(session.answer(json.dumps({"now": now, "events": told}).encode()))
        except SchedlabError:
            session = begun(default_request_s=5)
        else:
            assert answer["now"] >= now
            assert {each["type"] for each in answer["events"]} <= {"EXECUTE_JOB", "REJECT_JOB"}


class Idle(Policy):
    """A policy that starts no job."""

    def schedule(self, view: View) -> None:
        """Let all jobs wait."""


def test_a_policy_that_starts_nothing_is_told_so() -> None:
    """Once no more jobs can come, Batsim would wait for the policy for ever."""
    session = begun(Idle)
    assert tell(session, 0, submitted("a")) == []
    with pytest.raises(PolicyError, match="leaves 1 jobs waiting for ever"):
        tell(session, 1, event("NOTIFY", 1, type="no_more_static_job_to_submit"))


@pytest.mark.parametrize("predictor", ["actual", "noisy:sigma=0.5"])
def test_an_oracle_cannot_be_asked(predictor: str) -> None:
    """The true run times of jobs that have not run are unknown."""
    with pytest.raises(ParameterError, match="are unknown"):
        Session(f"easy:predict={predictor}")


def test_a_misspelt_policy_is_refused_before_batsim_is_waited_for() -> None:
    """The error suggests the nearest name."""
    with pytest.raises(SchedlabError, match='did you mean "easy"'):
        Session("eazy")
