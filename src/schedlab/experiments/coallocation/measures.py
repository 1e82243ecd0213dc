"""What is measured of a solver's answer to a drawn problem."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.solution import Solution
from schedlab.errors import UnknownNameError
from schedlab.experiments.coallocation.instance import Instance

BYTES_PER_CELL = 4
MIB = 2**20


@dataclass(frozen=True)
class SolverAnswer:
    """A solver's answer to an instance.

    Args:
        instance: the problem and its optimum.
        solution: None if the solver refused, as its messages would not fit.
        tree: the tree of the whole problem before any relaxation; None for solvers without one.
    """

    instance: Instance
    solution: Solution | None
    tree: PseudoTree | None

    @property
    def solved(self) -> Solution | None:
        """The solution, if it is feasible."""
        return self.solution if self.solution is not None and self.solution.feasible else None

    @property
    def sent(self) -> MessageStatistics | None:
        """The messages, if any were sent."""
        messages = self.solution.messages if self.solution is not None else None
        return messages if messages is not None and messages.messages else None

    def util_mib(self, width: float | None) -> float | None:
        """Return the MiB of a message about jobs that may start in any slot, 4 bytes a cell."""
        if width is None:
            return None
        return BYTES_PER_CELL * math.pow(self.instance.problem.slots, width) / MIB


@dataclass(frozen=True)
class AnswerMeasure:
    """One number for an answer, or None where it is not defined; ``formula`` computes it."""

    formula: Callable[[SolverAnswer], float | None]
    unit: str = "1"
    signed: ClassVar[bool] = False

    @property
    def sentence(self) -> str:
        """What the number means, in one sentence."""
        return (self.formula.__doc__ or "").partition("\n")[0]


def accuracy(answer: SolverAnswer) -> float | None:
    """Value over the optimal value, or optimal makespan or sum over that obtained: 1 is optimal."""
    if answer.solved is None:
        return None
    first = answer.solved.objective.first
    got, optimum = answer.solved.measured(first), answer.instance.optimum
    worse, better = (got, optimum) if first == "value" else (optimum, got)
    return worse / better if better else 1.0


def solved(answer: SolverAnswer) -> float:
    """1 for a feasible solution, else 0."""
    return float(answer.solved is not None)


def refused(answer: SolverAnswer) -> float:
    """1 where the messages would not have fitted into the memory, else 0."""
    return float(answer.solution is None)


def optimal(answer: SolverAnswer) -> float:
    """1 for a solution as good as the optimum, else 0."""
    return float(accuracy(answer) == 1)


def proven(answer: SolverAnswer) -> float:
    """1 where the optimum is proven; 0 where only a bound is known, which accuracy then takes."""
    return float(answer.instance.proven)


def draws(answer: SolverAnswer) -> float:
    """Number of problems drawn until all jobs fitted into one."""
    return answer.instance.draws


def gap(answer: SolverAnswer) -> float | None:
    """The largest share by which it falls short of the optimum, by the solver's own bound."""
    return None if answer.solved is None else answer.solved.gap


def deleted_edges(answer: SolverAnswer) -> float | None:
    """Constraints between jobs that the relaxation took out of the graph."""
    return None if answer.solution is None else answer.solution.counters.get("deleted edges")


def width_before(answer: SolverAnswer) -> float | None:
    """The induced width of the pseudo tree of the whole problem."""
    return None if answer.tree is None else answer.tree.width


def width(answer: SolverAnswer) -> float | None:
    """The induced width after the relaxation: the largest number of jobs in one message."""
    if answer.solution is not None and "width after" in answer.solution.counters:
        return answer.solution.counters["width after"]
    return None if answer.sent is None else answer.sent.width


def width_reduction(answer: SolverAnswer) -> float | None:
    """By how much the relaxation made the tree narrower."""
    before, after = width_before(answer), width(answer)
    return None if before is None or after is None else before - after


def util_size_before(answer: SolverAnswer) -> float | None:
    """The largest UTIL message of the whole problem, with full domains of 4 bytes per cell."""
    return answer.util_mib(width_before(answer))


def util_size(answer: SolverAnswer) -> float | None:
    """The same after the relaxation."""
    return answer.util_mib(width(answer))


def cycles_before(answer: SolverAnswer) -> float | None:
    """Message cycles of UTIL and VALUE on the whole problem: twice the height of its tree."""
    return None if answer.tree is None else 2 * answer.tree.height


def cycles(answer: SolverAnswer) -> float | None:
    """Message cycles that the solver took, all its passes together."""
    return None if answer.sent is None else answer.sent.cycles


def largest_message(answer: SolverAnswer) -> float | None:
    """The largest UTIL message as it was sent, its domains restricted by what was known."""
    return None if answer.sent is None else answer.sent.largest_bytes / MIB


MEASURES: dict[str, AnswerMeasure] = {
    "accuracy": AnswerMeasure(accuracy),
    "solved": AnswerMeasure(solved),
    "refused": AnswerMeasure(refused),
    "optimal": AnswerMeasure(optimal),
    "proven": AnswerMeasure(proven),
    "draws": AnswerMeasure(draws),
    "gap": AnswerMeasure(gap),
    "deleted_edges": AnswerMeasure(deleted_edges),
    "width_before": AnswerMeasure(width_before),
    "width": AnswerMeasure(width),
    "width_reduction": AnswerMeasure(width_reduction),
    "util_size_before": AnswerMeasure(util_size_before, "MiB"),
    "util_size": AnswerMeasure(util_size, "MiB"),
    "cycles_before": AnswerMeasure(cycles_before),
    "cycles": AnswerMeasure(cycles),
    "largest_message": AnswerMeasure(largest_message, "MiB"),
}


def find_measure(name: str) -> AnswerMeasure:
    """Return the measure of that name."""
    if name not in MEASURES:
        raise UnknownNameError("metric of co-allocation", name, MEASURES)
    return MEASURES[name]
