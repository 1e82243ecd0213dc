"""The answers to one simulation of Batsim, from its first message to the last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schedlab.errors import PeerError, WorkloadError
from schedlab.live.batsim.messages import (
    Event,
    Fields,
    answer,
    clock_s,
    interval_set,
    parse_message,
    request_s,
    typed,
)
from schedlab.live.scheduler import LiveScheduler, require_no_oracle
from schedlab.platform.cluster import MAX_NODES
from schedlab.policies import PolicyLike, find_policy

_ALL_SUBMITTED = "no_more_static_job_to_submit"
_HARMLESS = (_ALL_SUBMITTED, "no_more_external_event_to_occur")
_KILLED = ("COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED")


@dataclass
class Served:
    """Counts of what a session has served so far."""

    policy: str
    nodes: int = 0
    jobs: int = 0
    """Submitted jobs, without the rejected ones."""
    ended: int = 0
    killed: int = 0
    """Ended jobs that were killed, for example at their walltime."""
    rejected: int = 0
    """Jobs wider than the machine."""


class Session:
    """Answers Batsim's messages with the decisions of a policy.

    Args:
        policy: as ``simulate`` takes it.
        tick: decisions are made at multiples of this, in seconds; 0: at once.
        depth: number of waiting jobs that a pass considers. Default: all.
        default_request_s: request of the jobs without a walltime. Default: such a job is an error.
    """

    def __init__(
        self,
        policy: PolicyLike,
        *,
        tick: int = 0,
        depth: int | None = None,
        default_request_s: int | None = None,
    ) -> None:
        self._policy = find_policy(policy, depth=depth)
        require_no_oracle(self._policy)
        self._tick, self._default_request_s = tick, default_request_s
        self.served = Served(self._policy.name)
        self.finished = False
        self._now = 0.0
        self._scheduler: LiveScheduler | None = None
        self._resources: Sequence[int] = ()
        self._users: dict[str, int] = {}
        self._rejected: set[str] = set()
        self._all_submitted = False
        self._calls: set[int] = set()
        self._events: list[tuple[str, Fields]] = []

    def answer(self, raw: bytes) -> bytes:
        """Return the answer to this message."""
        message = parse_message(raw)
        if message.now < self._now:
            raise PeerError(f"Batsim's clock went back from {self._now} to {message.now}")
        self._now = message.now
        for event in message.events:
            self._take_in(event)
        if self._scheduler is not None and not self.finished:
            self._decide(self._scheduler)
        events, self._events = self._events, []
        return answer(message.now, events)

    def _take_in(self, event: Event) -> None:
        if event.kind == "SIMULATION_BEGINS":
            self._begin(event)
        elif event.kind not in _HANDLERS:
            known = ", ".join(("SIMULATION_BEGINS", *_HANDLERS))
            raise PeerError(f"Batsim sent the event {event.kind}; known are {known}")
        elif self._scheduler is None:
            raise PeerError(f"Batsim sent {event.kind} before SIMULATION_BEGINS")
        else:
            _HANDLERS[event.kind](self, self._scheduler, event)

    def _begin(self, event: Event) -> None:
        if self._scheduler is not None:
            raise PeerError("Batsim sent SIMULATION_BEGINS twice")
        config = typed({"config": {}, **event.data}, "config", dict, event.kind)
        if config.get("redis-enabled"):
            raise PeerError("Batsim keeps its jobs in Redis; start it without --enable-redis")
        self._resources = _compute_resources(event)
        self.served.nodes = len(self._resources)
        self._scheduler = LiveScheduler(self._policy, len(self._resources), tick=self._tick)
        if config.get("dynamic-jobs-enabled"):
            self._events.append(("NOTIFY", {"type": "registration_finished"}))

    def _submit(self, scheduler: LiveScheduler, event: Event) -> None:
        job_id, job = event.field("job_id", str), event.field("job", dict)
        nodes = typed(job, "res", int, f"job {job_id}")
        if job_id in self._rejected:
            raise PeerError(f"job {job_id} is submitted twice")
        if nodes > scheduler.nodes:
            self._rejected.add(job_id)
            self.served.rejected += 1
            self._events.append(("REJECT_JOB", {"job_id": job_id}))
            return
        scheduler.submit(
            job_id,
            clock_s(event.timestamp),
            nodes=nodes,
            request_s=self._request_s(job_id, job),
            user=self._user(job),
        )
        self.served.jobs += 1

    def _user(self, job: Fields) -> int:
        """Return a number for the job's user; Batsim passes on any value from its workload."""
        given = job.get("user")
        return -1 if given is None else self._users.setdefault(str(given), len(self._users))

    def _request_s(self, job_id: str, job: Fields) -> int:
        walltime = job.get("walltime", -1)
        if isinstance(walltime, bool) or not isinstance(walltime, int | float):
            raise PeerError(f"Batsim sent job {job_id} with walltime {walltime!r}; must be seconds")
        if 0 < walltime < float("inf"):
            return request_s(walltime)
        if self._default_request_s is None:
            raise WorkloadError(f"job {job_id} has no walltime; say which request to plan with")
        return self._default_request_s

    def _complete(self, scheduler: LiveScheduler, event: Event) -> None:
        scheduler.end(event.field("job_id", str), clock_s(event.timestamp))
        self.served.ended += 1
        self.served.killed += event.data.get("job_state") in _KILLED

    def _kill(self, scheduler: LiveScheduler, event: Event) -> None:
        """End the jobs that are killed; some may have completed already."""
        for job_id in event.field("job_ids", list):
            if scheduler.is_running(str(job_id)):
                scheduler.end(str(job_id), clock_s(event.timestamp))
                self.served.ended += 1
                self.served.killed += 1

    def _notify(self, scheduler: LiveScheduler, event: Event) -> None:
        what = event.field("type", str)
        if what not in _HARMLESS:
            raise PeerError(f"Batsim notifies of {what}; known are {', '.join(_HARMLESS)}")
        self._all_submitted |= what == _ALL_SUBMITTED

    def _finish(self, scheduler: LiveScheduler, event: Event) -> None:
        self.finished = True

    def _pass_over(self, scheduler: LiveScheduler, event: Event) -> None:
        """Do nothing: a pass follows every message anyway, and we ask Batsim no questions."""

    def _decide(self, scheduler: LiveScheduler) -> None:
        for start in scheduler.decide(clock_s(self._now)):
            alloc = interval_set(
                [self._resources[node] for a, b in start.node_ranges for node in range(a, b + 1)]
            )
            self._events.append(("EXECUTE_JOB", {"job_id": start.job_id, "alloc": alloc}))
        time_s = scheduler.next_pass_s
        if time_s is not None and time_s not in self._calls:
            self._calls.add(time_s)
            self._events.append(("CALL_ME_LATER", {"timestamp": float(time_s)}))
        if self._all_submitted:
            scheduler.require_progress()


_HANDLERS: dict[str, Callable[[Session, LiveScheduler, Event], None]] = {
    "JOB_SUBMITTED": Session._submit,
    "JOB_COMPLETED": Session._complete,
    "JOB_KILLED": Session._kill,
    "REQUESTED_CALL": Session._pass_over,
    "ANSWER": Session._pass_over,
    "NOTIFY": Session._notify,
    "SIMULATION_ENDS": Session._finish,
}


def _compute_resources(event: Event) -> Sequence[int]:
    """Return the numbers of the machine's nodes; storage has numbers too, so there may be gaps."""
    if "compute_resources" not in event.data:
        numbers: Sequence[int] = range(event.field("nb_resources", int))
    else:
        resources = event.field("compute_resources", list)
        described = (typed({"resource": each}, "resource", dict, event.kind) for each in resources)
        numbers = sorted({typed(each, "id", int, event.kind) for each in described})
    if not 0 < len(numbers) <= MAX_NODES:
        raise PeerError(f"Batsim has {len(numbers)} compute resources; must be 1 to {MAX_NODES:,}")
    return numbers
