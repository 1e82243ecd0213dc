"""Large-neighbourhood search with DPOP of small width as the solver of its neighbourhoods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from schedlab.coalloc.bounds import best_bound
from schedlab.coalloc.greedy import left_shift
from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.neighbourhood import Neighbourhood, Reach, Table
from schedlab.coalloc.network import LEFT_OUT
from schedlab.coalloc.objective import Objective, measure
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.restart import RestartGreedy
from schedlab.coalloc.solution import Ending, Solution, Starts
from schedlab.coalloc.solver import Limits, Stopwatch

MOVES = 1000
"""The number of moves, where neither this nor a time limit is given."""

_FIRST_RESTARTS = 200
_DISTURBANCE = 0.2
"""The largest disturbance, as a share of the mean value of a job."""


@dataclass(frozen=True)
class Lns:
    """Frees a few conflicting jobs, places them optimally by DPOP, and so on; keeps the best.

    Messages stay within kilobytes. Criteria are optimised in stages; the makespan by searching
    for an equally good schedule within one slot less, as long as one is found. The search ends at
    the number of moves, at the time limit, or when a bound is reached.
    """

    jobs: int = Reach.jobs
    cells: int = Reach.cells
    moves: int | None = None
    """None: as many as the time limit allows, or ``MOVES`` without one."""
    name: ClassVar[str] = "lns"

    def __post_init__(self) -> None:
        Reach(self.jobs, self.cells)  # refuses wrong numbers now, not in the middle of a search

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return the best schedule found, beginning with that of a short restart greedy."""
        watch = Stopwatch(limits.time_s)
        begin = RestartGreedy(_FIRST_RESTARTS).solve(problem, objective, limits)
        reach = Reach(self.jobs, self.cells)
        search = _LnsSearch(problem, objective, reach, limits.seed, begin.starts)
        ending: Ending = begin.ending
        try:
            if ending == "finished":
                ending = search.run(watch, self._moves(limits))
        except KeyboardInterrupt:
            ending = "interrupted"
        return Solution(
            problem,
            search.best,
            self.name,
            objective,
            search.bound,
            MessageStatistics.together(search.sent) if search.sent else None,
            watch.elapsed_s,
            ending,
            {"moves": len(search.sent)},
        )

    def _moves(self, limits: Limits) -> float:
        if self.moves is not None:
            return self.moves
        return MOVES if limits.time_s is None else float("inf")


@dataclass
class _LnsSearch:
    """The best schedule so far, and what was spent on it."""

    problem: Problem
    objective: Objective
    reach: Reach
    seed: int
    best: Starts
    sent: list[MessageStatistics] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self.bound = best_bound(self.problem, self.objective.first)
        self._best_key = self.objective.key(self.problem, self.best)

    def run(self, watch: Stopwatch, moves: float) -> Ending:
        """Run one stage for each criterion.

        Each has half of the time and the moves that are left, the last one all of them.
        """
        ending: Ending = "finished"
        for place in range(len(self.objective.criteria)):
            share = 2 if self.objective.criteria[place + 1 :] else 1
            last_move = len(self.sent) + (moves - len(self.sent)) / share
            clock = Stopwatch(watch.left_s / share)
            for _ in self._moves(place):
                reached = place == 0 and self.objective.reached(self._best_key, self.bound)
                if reached or len(self.sent) >= last_move:
                    break
                if clock.expired:
                    ending = "time-limit"
                    break
        return ending

    def _moves(self, place: int) -> Iterator[None]:
        """Make moves for the criterion at that place; for the makespan on ever fewer slots."""
        shrinks = self.objective.criteria[place] == "makespan"
        while (slots := self._slots(place)) > 0:
            problem = replace(self.problem, slots=slots)
            utilities, disturbance = self._utilities(problem, place)
            starts = _until(self.problem, self.best, slots)
            neighbourhood = Neighbourhood(problem, starts, utilities, disturbance, self.reach)
            improved = False
            while not (improved and shrinks):
                yield
                self.sent.append(neighbourhood.move(self._rng))
                improved = self._offer(neighbourhood.starts)

    def _slots(self, place: int) -> int:
        """Return how many slots to use: one fewer than now at the makespan's turn, then as many."""
        until_now = self.objective.criteria[: place + 1]
        if "makespan" not in until_now or not self._complete(self.best):
            return self.problem.slots
        makespan = int(measure("makespan", self.problem, self.best))
        return makespan - 1 if until_now[-1] == "makespan" else makespan

    def _complete(self, starts: Starts) -> bool:
        return self.objective.may_leave_out or None not in starts

    def _utilities(self, problem: Problem, place: int) -> tuple[list[Table], float]:
        """Return utilities of all starts by the criteria up to that place, and the disturbance."""
        criteria, jobs = self.objective.criteria[: place + 1], problem.jobs
        weights = [job.value if "value" in criteria else 1.0 for job in jobs]
        disturbance = _DISTURBANCE * float(np.mean(weights))
        unit, starts = 1.0, np.zeros(problem.slots + 1)
        if "sum-of-starts" in criteria:
            # Scheduling a job outweighs all the waiting that it may cause for others.
            unit, starts = 1.0 + len(jobs) * problem.slots, np.arange(problem.slots + 1.0)
            disturbance = 1.0
        scheduled = np.arange(problem.slots + 1) != LEFT_OUT
        return [unit * weight * scheduled - starts for weight in weights], disturbance

    def _offer(self, starts: Sequence[int | None]) -> bool:
        """Keep the schedule, moved as early as possible, if it is better than the best."""
        if self.objective.may_leave_out:
            value = measure("value", self.problem, starts)
            if value < -self._best_key[1]:
                return False
        shifted = left_shift(self.problem, starts)
        key = self.objective.key(self.problem, shifted)
        if key >= self._best_key:
            return False
        self.best, self._best_key = shifted, key
        return True


def _until(problem: Problem, starts: Starts, slots: int) -> list[int | None]:
    """Return the schedule without the jobs that end after a number of slots."""
    return [
        start if start is not None and start + job.slots - 1 <= slots else None
        for job, start in zip(problem.jobs, starts, strict=True)
    ]
