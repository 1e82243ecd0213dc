"""Gantt chart of a co-allocation: which job has which resource in which slot."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from schedlab.coalloc import Solution
from schedlab.viz.colours import LIGHT, STRONG
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 0.84
_ROW_IN, _FRAME_IN = 0.24, 0.9
_LABEL_PT = 6.0
_WRONG = STRONG[1]


def draw_coalloc_gantt(solution: Solution, *, width_in: float = 7.0) -> Figure:
    """Draw a row for each resource; a job has the same colour on all of its resources.

    Jobs that overlap have a red frame, so that an infeasible schedule is easy to see.
    """
    rows = len(solution.problem.resources)
    with paper_style():
        figure, axes = panels(1, 1, width_in, _FRAME_IN + _ROW_IN * rows)
        _draw_jobs(axes[0], solution)
        _frame(axes[0], solution)
    return figure


def _draw_jobs(axes: Axes, solution: Solution) -> None:
    from matplotlib.patches import Rectangle

    wrong = {job for pair in solution.overlaps() for job in pair}
    colours = _colours(solution)
    for place, job in enumerate(solution.problem.jobs):
        start = solution.starts[place]
        for row in job.resources if start is not None else ():
            assert start is not None
            corner = (start - 0.5, row - _HEIGHT / 2)
            axes.add_patch(
                Rectangle(
                    corner,
                    job.slots,
                    _HEIGHT,
                    facecolor=LIGHT[colours[place]],
                    edgecolor=_WRONG if place in wrong else "#333333",
                    linewidth=1.5 if place in wrong else 0.3,
                    alpha=0.6 if place in wrong else 1.0,
                )
            )
            axes.text(
                start + (job.slots - 1) / 2,
                row,
                job.name,
                ha="center",
                va="center_baseline",
                fontsize=_LABEL_PT,
                clip_on=True,
            )


def _colours(solution: Solution) -> list[int]:
    """Give each job the colour least used among the jobs in conflict with it, in turn."""
    chosen: list[int] = []
    for place, near in enumerate(solution.problem.conflicts()):
        used = Counter(chosen[other] for other in near if other < place)
        turn = [(place + step) % len(LIGHT) for step in range(len(LIGHT))]
        chosen.append(min(turn, key=used.__getitem__))
    return chosen


def _frame(axes: Axes, solution: Solution) -> None:
    from matplotlib.ticker import MaxNLocator

    problem = solution.problem
    axes.set_title(_title(solution))
    axes.set_xlabel("slot")
    axes.set_xlim(0.5, problem.slots + 0.5)
    axes.set_ylim(len(problem.resources) - 0.5, -0.5)
    axes.set_yticks(range(len(problem.resources)), problem.resources)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if solution.makespan:
        axes.axvline(solution.makespan + 0.5, color="#444444", linewidth=0.8, linestyle="--")


def _title(solution: Solution) -> str:
    scheduled = len(solution.starts) - len(solution.unscheduled)
    words = [
        f"{scheduled} of {len(solution.starts)} jobs",
        f"value {solution.value:,.6g}",
        f"makespan {solution.makespan:,}",
    ]
    if not solution.feasible:
        words.append("not feasible")
    elif solution.gap is not None:
        words.append("optimal" if solution.gap == 0 else f"gap at most {solution.gap:.1%}")
    return f"{solution.problem.name}, {solution.solver}: {', '.join(words)}"
