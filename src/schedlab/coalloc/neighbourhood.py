"""One move of a large-neighbourhood search: free some jobs, and let DPOP place them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab._core import Combine
from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork, Variable
from schedlab.coalloc.orders import min_fill
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.propagation import messages_of_pass, propagate
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.timetable import Timetable, starts_of
from schedlab.coalloc.utility import Utilities
from schedlab.errors import ParameterError

Table = NDArray[np.float64]

_BYTES_PER_CELL = 8


@dataclass(frozen=True)
class Reach:
    """How large a neighbourhood is."""

    jobs: int = 16
    """How many jobs are freed at a time."""
    cells: int = 4096
    """The maximum number of cells of a message; jobs are fixed again until none has more."""

    def __post_init__(self) -> None:
        if self.jobs < 1 or self.cells < 1:
            raise ParameterError(f"{self.jobs} jobs and {self.cells} cells; both must be >= 1")


class Neighbourhood:
    """A schedule that moves: each move is the best for the jobs freed, with all others fixed.

    Utilities are disturbed at random for each move, so that the search does not end in the first
    local optimum. The optimum of disturbed utilities is close to a random draw in which better
    schedules are likelier (perturb and MAP; Papandreou & Yuille, ICCV 2011).
    """

    def __init__(
        self,
        problem: Problem,
        starts: Sequence[int | None],
        utilities: Sequence[Table],
        disturbance: float,
        reach: Reach,
    ) -> None:
        """Begin with a schedule of the problem.

        Args:
            problem: what is scheduled.
            starts: the first slot of each job, without overlaps.
            utilities: for each job, by its start; at ``LEFT_OUT`` that of leaving it out.
            disturbance: the largest amount added to a utility.
            reach: how many jobs move at once.
        """
        self.starts = list(starts)
        self._problem, self._utilities, self._reach = problem, utilities, reach
        self._disturbance = disturbance
        self._neighbours = problem.conflicts()
        self._near = [sorted(others) for others in self._neighbours]
        self._timetable = Timetable(problem)
        for job, start in enumerate(starts):
            self._place(job, start)

    def move(self, rng: np.random.Generator) -> MessageStatistics:
        """Free some connected jobs and place them again; return what DPOP sent for it."""
        free = self._pick(rng)
        for job in free:
            self._lift(job)
        network, tree = self._narrowed(free, rng)
        tables = tuple(
            self._utilities[job][variable.starts]
            + self._disturbance * rng.random(len(variable.starts))
            for job, variable in zip(free, network.variables, strict=True)
        )
        found = propagate(network, tree, Utilities(tables, Combine.SUM, 1.0))
        for job, value in zip(free, found.values, strict=True):
            self.starts[job] = None if value == LEFT_OUT else value
            self._place(job, self.starts[job])
        return messages_of_pass(tree, network.sizes, _BYTES_PER_CELL)

    def _pick(self, rng: np.random.Generator) -> list[int]:
        """Return connected jobs: each is in conflict with one picked before it."""
        picked = [int(rng.integers(len(self._near)))]
        for which, next_to_it in rng.random((4 * self._reach.jobs, 2)).tolist():
            near = self._near[picked[int(which * len(picked))]]
            job = near[int(next_to_it * len(near))] if near else picked[0]
            if job not in picked and len(picked) < self._reach.jobs:
                picked.append(job)
        return picked

    def _narrowed(
        self, free: list[int], rng: np.random.Generator
    ) -> tuple[ConstraintNetwork, PseudoTree]:
        """Return the freed jobs as a network with small messages.

        While a message is too large, a random member of the largest separator is fixed again where
        it was, and so leaves the network.
        """
        while True:
            network = self._network(free)
            order = min_fill(network.neighbours, list(range(len(free))))
            tree = PseudoTree.along(order, network.neighbours)
            cells = tree.cells(network.sizes)
            largest = max(range(len(cells)), key=cells.__getitem__)
            if cells[largest] <= self._reach.cells:
                return network, tree
            fixed = free.pop(int(rng.choice(tree.separators[largest])))
            self._place(fixed, self.starts[fixed])

    def _network(self, free: list[int]) -> ConstraintNetwork:
        """Return each job with its free starts; an edge where these could overlap."""
        place = {job: at for at, job in enumerate(free)}
        network = ConstraintNetwork(
            tuple(self._variable(job) for job in free),
            tuple(
                frozenset(place[other] for other in self._neighbours[job] if other in place)
                for job in free
            ),
        )
        return network.without_void_edges()

    def _variable(self, job: int) -> Variable:
        starts = starts_of(self._timetable.free_starts(job))
        return Variable(
            np.array([LEFT_OUT, *starts], dtype=np.int32), self._problem.jobs[job].slots
        )

    def _place(self, job: int, start: int | None) -> None:
        if start is not None:
            self._timetable.place(job, start)

    def _lift(self, job: int) -> None:
        start = self.starts[job]
        if start is not None:
            self._timetable.remove(job, start)
