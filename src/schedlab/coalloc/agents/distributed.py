"""A solver whose messages are sent by agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from schedlab.coalloc.agents.coordinator import Coordinator
from schedlab.coalloc.agents.in_process import InProcess
from schedlab.coalloc.agents.owners import adopted, job_owners
from schedlab.coalloc.agents.privacy import crossing, learnt
from schedlab.coalloc.agents.transport import Transport
from schedlab.coalloc.dpop import Dpop
from schedlab.coalloc.objective import Objective
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.solution import Solution
from schedlab.coalloc.solver import Limits, Solver, Stopwatch
from schedlab.coalloc.split import Split
from schedlab.coalloc.wd import WidthDeletion
from schedlab.errors import AgentLostError, ParameterError, UnknownNameError

MessagePassingSolver = Dpop | WidthDeletion | Split
"""The solvers that send messages."""

IF_LOST = ("fail", "drop", "adopt")


@dataclass(frozen=True)
class Distributed:
    """Runs DPOP or one of its relaxations on agents that own the jobs.

    An agent that fails is replaced; what happens to the jobs of one that cannot be replaced is
    ``if_lost``: the run fails, they are left out, or the agents with the fewest jobs adopt them.
    """

    solver: MessagePassingSolver = field(default_factory=Dpop)
    transport: Callable[[], Transport] = InProcess
    """Makes a transport, for each problem a new one."""
    agents: int | None = None
    """The maximum number of agents; None: one for each cluster, or job, that owns something."""
    owners: str = "cluster"
    if_lost: str = "fail"
    name: ClassVar[str] = "agents"

    def __post_init__(self) -> None:
        if self.if_lost not in IF_LOST:
            raise UnknownNameError("way to go on", self.if_lost, IF_LOST)

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return the solver's answer, with what was sent between agents and what they learnt."""
        owners = job_owners(problem, self.agents, self.owners)
        if self.if_lost == "drop" and not objective.may_leave_out:
            raise ParameterError(
                f"objective {objective} wants all jobs: those of a lost agent cannot be dropped"
            )
        watch, transport = Stopwatch(), self.transport()
        try:
            transport.start(sorted(set(owners)))
            run = _AgentRun(self, problem, owners, transport)
            return replace(run.solve(objective, limits), wall_s=watch.elapsed_s)
        finally:
            transport.close()


class _AgentRun:
    """One problem, and those of its jobs and agents that are left."""

    def __init__(
        self, how: Distributed, problem: Problem, owners: Sequence[int], transport: Transport
    ) -> None:
        self._how, self._problem, self._transport = how, problem, transport
        self._jobs = list(range(len(problem.jobs)))
        self._coordinator = Coordinator(transport, owners)
        self._adopted = 0

    def solve(self, objective: Objective, limits: Limits) -> Solution:
        """Return the solver's answer; it begins again with fewer agents where one is lost."""
        while True:
            part = replace(self._problem, jobs=tuple(self._problem.jobs[job] for job in self._jobs))
            solver = replace(self._how.solver, propagate=self._coordinator)
            try:
                found = solver.solve(part, objective, limits)
            except AgentLostError as lost:
                self._go_on_without(lost)
            else:
                return self._whole(found)

    def _go_on_without(self, lost: AgentLostError) -> None:
        coordinator = self._coordinator
        owners = list(coordinator.owners)
        if self._how.if_lost == "fail" or set(owners) == {lost.agent}:
            raise lost
        if self._how.if_lost == "adopt":
            self._adopted += owners.count(lost.agent)
            coordinator.owners = adopted(owners, lost.agent)
        else:
            pairs = zip(self._jobs, owners, strict=True)
            self._jobs = [job for job, owner in pairs if owner != lost.agent]
            coordinator.owners = [owner for owner in owners if owner != lost.agent]
        coordinator.passes.clear()

    def _whole(self, found: Solution) -> Solution:
        """Return the whole problem's answer, with what agents did in the run that succeeded."""
        coordinator = self._coordinator
        start = dict(zip(self._jobs, found.starts, strict=True))
        complete = len(start) == len(self._problem.jobs)
        return replace(
            found,
            problem=self._problem,
            starts=tuple(start.get(job) for job in range(len(self._problem.jobs))),
            bound=found.bound if complete else None,
            counters={**found.counters, **self._counters()},
            privacy=learnt(found.problem, coordinator.owners, coordinator.passes),
        )

    def _counters(self) -> dict[str, float]:
        coordinator = self._coordinator
        messages, sent = crossing(coordinator.passes, coordinator.owners)
        counters: dict[str, float] = {
            "agents": len(set(coordinator.owners)),
            "messages between agents": messages,
            "bytes between agents": sent,
        }
        if isinstance(self._transport, InProcess):
            counters[self._transport.clock] = self._transport.clock_s
        happened = {
            "agents replaced": coordinator.replaced,
            "asked again": coordinator.asked_again,
            "jobs dropped": len(self._problem.jobs) - len(self._jobs),
            "jobs adopted": self._adopted,
        }
        return counters | {name: times for name, times in happened.items() if times}


def require_message_passing(solver: Solver) -> MessagePassingSolver:
    """Return the solver, if it sends messages that agents could send."""
    if not isinstance(solver, MessagePassingSolver):
        raise ParameterError(
            f'solver "{solver.name}" sends no messages; agents need dpop, wd or split'
        )
    return solver
