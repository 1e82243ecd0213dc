"""The answers of several solvers to the same problems, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from schedlab.cli.console import cell, new_table

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.coalloc import Limits, Objective, Problem, Solution


@dataclass
class SolverTally:
    """One solver's answers, in the order of the problems; None where it refused."""

    solver: str
    answers: list[Solution | None] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    @property
    def given(self) -> list[Solution]:
        """The answers to the problems that the solver did not refuse."""
        return [answer for answer in self.answers if answer is not None]

    @property
    def solved(self) -> list[Solution]:
        """The feasible answers."""
        return [answer for answer in self.given if answer.feasible]


def take(
    solver: str, problems: Sequence[Problem], objective: Objective, limits: Limits
) -> SolverTally:
    """Let the solver answer all problems; it refuses a problem that needs too much memory."""
    from schedlab.cli.progress import progress
    from schedlab.coalloc import solve
    from schedlab.errors import MemoryLimitError

    tally = SolverTally(solver)
    with progress(f"solving by {solver}") as report:
        for done, problem in enumerate(problems):
            report(done, len(problems))
            try:
                tally.answers.append(solve(problem, solver, objective, limits))
            except MemoryLimitError as error:
                tally.answers.append(None)
                tally.refusals.append(f"{solver} refuses {problem.name}: {error}")
    return tally


def table(tallies: Sequence[SolverTally]) -> Table:
    """Return a row for each solver: means over what it has solved."""
    best = _best(tallies)
    found = new_table(
        "solver",
        "solved",
        "value",
        "makespan",
        "of the\nbest",
        "gap\nat most",
        "largest\nmessage",
        "time\ns",
    )
    for tally in tallies:
        solved = tally.solved
        gaps = [answer.gap for answer in solved if answer.gap is not None]
        ratios = [
            _ratio(answer, best[place])
            for place, answer in enumerate(tally.answers)
            if answer is not None and answer.feasible
        ]
        found.add_row(
            tally.solver,
            f"{len(solved)} of {len(tally.answers)}",
            cell(_mean([answer.value for answer in solved]), "{:,.5g}".format),
            cell(_mean([answer.makespan for answer in solved]), "{:,.4g}".format),
            cell(_mean(ratios), "{:.3f}".format),
            cell(_mean(gaps), "{:.2%}".format),
            _largest(tally),
            cell(_mean([answer.wall_s for answer in tally.given]), "{:.2f}".format),
        )
    return found


def _best(tallies: Sequence[SolverTally]) -> list[float | None]:
    """Return for each problem the best that any solver found, by the first criterion."""
    found: list[float | None] = []
    for answers in zip(*(tally.answers for tally in tallies), strict=True):
        feasible = [answer for answer in answers if answer is not None and answer.feasible]
        first = min(
            feasible, key=lambda each: each.objective.key(each.problem, each.starts), default=None
        )
        found.append(None if first is None else first.measured(first.objective.first))
    return found


def _ratio(answer: Solution, best: float | None) -> float:
    """Return the paper's accuracy, with the best known value for the optimum; 1 is best."""
    got = answer.measured(answer.objective.first)
    worse, better = (got, best) if answer.objective.may_leave_out else (best, got)
    return 1.0 if not worse or not better else worse / better


def _largest(tally: SolverTally) -> str:
    from schedlab.units import short_bytes

    sizes = [each.messages.largest_bytes for each in tally.given if each.messages is not None]
    return short_bytes(max(sizes)) if sizes else "–"


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
