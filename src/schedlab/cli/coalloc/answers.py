"""Answers of solvers, as rows for JSON and sentences for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from schedlab.cli.coalloc.distribution import privacy_rows
from schedlab.cli.console import cell
from schedlab.cli.version import installed

if TYPE_CHECKING:
    from schedlab.coalloc import Solution

INFEASIBLE = 1
"""The exit code if the input is valid but no feasible schedule was found."""

_PACKAGES = ("numpy", "ortools")


def answer_row(solution: Solution, seed: int) -> dict[str, Any]:
    """Return one answer for JSON."""
    problem = solution.problem
    return {
        "problem": problem.name,
        "solver": solution.solver,
        "objective": str(solution.objective),
        "feasible": solution.feasible,
        "ending": solution.ending,
        "faults": list(solution.faults),
        "value": solution.value,
        "makespan": solution.makespan,
        "sum_of_starts": solution.sum_of_starts,
        "bound": solution.bound,
        "gap": solution.gap,
        "starts": {
            job.name: start for job, start in zip(problem.jobs, solution.starts, strict=True)
        },
        "unscheduled": [problem.jobs[place].name for place in solution.unscheduled],
        "messages": None if solution.messages is None else asdict(solution.messages),
        "counters": dict(solution.counters),
        "privacy": privacy_rows(solution),
        "wall_s": solution.wall_s,
        "seed": seed,
    }


def versions() -> dict[str, str | None]:
    """Return the versions of the software that computed an answer."""
    import platform

    from schedlab.version import __version__

    return {
        "schedlab": __version__,
        "python": platform.python_version(),
        **{name: installed(name) for name in _PACKAGES},
    }


def verdict(solution: Solution) -> str:
    """Return how good the answer is, in a few words."""
    if solution.ending == "infeasible":
        return "infeasible: it is proven that not all jobs fit"
    if not solution.feasible:
        return f"no feasible schedule found; {'; '.join(solution.faults[:3])}"
    if solution.gap is None:
        return "feasible"
    return "optimal" if solution.gap == 0 else f"at most {solution.gap:.2%} from the optimum"


def amounts(solution: Solution) -> Iterator[tuple[str, str]]:
    """Yield the lines of a table on one answer."""
    from schedlab.units import short_bytes, three_digits

    scheduled = len(solution.starts) - len(solution.unscheduled)
    yield "scheduled", f"{scheduled:,} of {len(solution.starts):,} jobs"
    yield "value", f"{solution.value:,.6g}"
    yield "makespan", f"{solution.makespan:,}"
    yield "sum of starts", f"{solution.sum_of_starts:,}"
    yield f"bound on {solution.objective.first}", cell(solution.bound, "{:,.6g}".format)
    if solution.messages is not None:
        told = solution.messages
        yield "messages", f"{told.messages:,} in {told.cycles:,} cycles, {short_bytes(told.bytes)}"
        yield "largest", f"{told.largest_cells:,} cells, {short_bytes(told.largest_bytes)}"
        yield "width", str(told.width)
    for name, count in solution.counters.items():
        yield name, f"{count:,.6g}"
    yield "took", f"{three_digits(solution.wall_s)} s"
