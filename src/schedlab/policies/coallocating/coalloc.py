"""Local schedulers that agree, round by round, on the starts of the jobs that have arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schedlab.coalloc import Limits, Objective, Solver, find_solver
from schedlab.errors import MemoryLimitError, ParameterError, UnknownNameError
from schedlab.policies.coallocating.negotiation import problem_of, still_open
from schedlab.policies.coallocating.places import planned_places, running_places
from schedlab.policies.policy import Policy, View
from schedlab.policies.promises import Promises

ROUND_S = 60
SLOTS = 20
MOST_SLOTS = 10_000
JOBS = 12
REPLAN = ("rounds", "always")


class Coalloc(Policy):
    """Collects arrivals in rounds and lets a solver of co-allocation agree on their starts.

    At a round the newcomers are first planned in order of submission, which names the nodes that
    each would get; a solver then rearranges them in time around running and promised jobs, and each
    is promised the earliest start in the order of the agreed slots. Promises are kept; where jobs
    that end early leave room, they move earlier, at the next round or at once.
    """

    counts_nodes = True

    def __init__(
        self,
        solver: str | Solver = "wd",
        round_s: int = ROUND_S,
        objective: str = "sum-of-starts",
        slots: int = SLOTS,
        jobs: int = JOBS,
        replan: str = "rounds",
    ) -> None:
        """Set how newcomers agree on their starts, and when.

        Args:
            solver: a name from ``SOLVERS``, such as ``cpsat`` or ``wd:width=3``, or a solver.
            round_s: new jobs wait for the next multiple of this, in seconds.
            objective: what to minimise: ``sum-of-starts``, ``makespan``, or one and then the other.
            slots: the number of slots in the time that first come, first served needs.
            jobs: maximum number of jobs in one round, in order of arrival.
            replan: when promises move earlier: at ``rounds``, or ``always`` when there is room.
        """
        super().__init__()
        for what, value in (("round_s", round_s), ("slots", slots), ("jobs", jobs)):
            if value < 1:
                raise ParameterError(f'policy "coalloc": {what} is {value}; must be >= 1')
        if slots > MOST_SLOTS:
            raise ParameterError(f'policy "coalloc": slots is {slots}; must be <= {MOST_SLOTS}')
        self._solver = find_solver(solver) if isinstance(solver, str) else solver
        self._objective = Objective.parse(objective)
        if self._objective.may_leave_out:
            raise ParameterError(
                f'policy "coalloc": objective is "{objective}"; must not leave out jobs: '
                "sum-of-starts or makespan"
            )
        if replan not in REPLAN:
            raise UnknownNameError("time to replan", replan, REPLAN)
        self._round_s, self._slots, self._jobs, self._replan = round_s, slots, jobs, replan
        self.begin()

    def begin(self) -> None:
        """Forget an earlier simulation."""
        self._promises = Promises()
        self._agreed = self._failed = self._bytes = 0

    def counters(self) -> Mapping[str, int]:
        """Return how often newcomers agreed, how often they did not, and the bytes of messages."""
        return {
            "agreements": self._agreed,
            "without agreement": self._failed,
            "message bytes": self._bytes,
        }

    def schedule(self, view: View) -> None:
        """Keep promises; at a round, let the newcomers agree."""
        queue = view.queue
        waiting = queue.job.tolist()
        self._promises.renew(view, waiting)
        if self._replan == "always":
            self._promises.move_earlier(view)
        newcomers = {
            job: view.now - wait_s
            for job, wait_s in zip(waiting, queue.wait_s.tolist(), strict=True)
            if job not in self._promises
        }
        round_s = self._next_round_s([*newcomers.values(), self._promises.room_since_s])
        if round_s is not None and round_s <= view.now:
            self._promises.move_earlier(view)
            for begin in range(0, len(newcomers), self._jobs):
                self._settle(view, list(newcomers)[begin : begin + self._jobs])
            round_s = None
        self._promises.start_due(view, waiting, round_s)

    def _next_round_s(self, since_s: Sequence[int | None]) -> int | None:
        """Return the first round that is not before the earliest of these times.

        Return None if there is no time.
        """
        known = [time_s for time_s in since_s if time_s is not None]
        return -(-min(known) // self._round_s) * self._round_s if known else None

    def _settle(self, view: View, newcomers: Sequence[int]) -> None:
        """Promise each newcomer a start; jobs that agree get theirs in the order of their slots."""
        first_come_s = {job: view.reserve(job, promise=False) for job in newcomers}
        order = self._agree(view, first_come_s) if len(newcomers) > 1 else []
        for job in newcomers:
            view.give_back(job)
        for job in newcomers:
            if job not in order:
                self._promises.make(view, job, at=first_come_s[job])
        for job in order:
            self._promises.make(view, job)

    def _agree(self, view: View, first_come_s: Mapping[int, int]) -> list[int]:
        """Return the newcomers whose starts are open, in the order of the slots they agree on."""
        running = running_places(view)
        places = planned_places(view, {**self._promises.starts_s, **first_come_s}, running)
        newcomers = {job: places.pop(job) for job in first_come_s}
        free_s = still_open([*running, *places.values()], newcomers)
        if len(free_s) < 2:
            return []
        problem = problem_of(view.now, newcomers, free_s, self._slots)
        try:
            found = self._solver.solve(problem, self._objective, Limits())
        except MemoryLimitError:
            found = None
        if found is None or not found.feasible:
            self._failed += 1
            return []
        self._agreed += 1
        self._bytes += found.messages.bytes if found.messages else 0
        slot_of = dict(zip(free_s, found.starts, strict=True))
        return sorted(free_s, key=lambda job: (slot_of[job], first_come_s[job], job))
