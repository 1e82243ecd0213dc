"""What relaxations of DPOP cost and save, as in the figures of Namekata, Matsui and Matsuo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedlab.viz.colours import OTHERS, policy_colour
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONTROL = "restart-greedy"
_SHOWN = {
    "accuracy": "accuracy where solved",
    "solved": "share solved",
    "deleted_edges": "deleted edges",
    "width_reduction": "width reduction",
}
GROUPS = 6
"""Number of groups of instances by their deleted edges; all have the same size."""


def draw_relaxations(results: pl.DataFrame, *, width_in: float = 8.0) -> Figure:
    """Draw accuracy, solved instances, deleted edges and width reduction over the number of jobs.

    A row for each kind of problem, a colour for each relaxation; the control in grey (their
    Figures 3 and 4).

    Args:
        results: a row per instance and solver, as ``schedlab.experiments.results`` gives them.
        width_in: width of the picture.
    """
    kinds, solvers = _kinds(results), _relaxations(results)
    with paper_style():
        figure, axes = panels(len(kinds), len(_SHOWN), width_in, 0.6 + 1.7 * len(kinds))
        for place, panel in enumerate(axes):
            row, column = divmod(place, len(_SHOWN))
            measure = list(_SHOWN)[column]
            of_kind = results.filter(workload=kinds[row])
            _plot(panel, of_kind.filter(policy=CONTROL), measure, OTHERS, CONTROL, wide=True)
            for colour, solver in enumerate(solvers):
                chosen = of_kind.filter(policy=solver)
                _plot(panel, chosen, measure, policy_colour(colour), solver)
            panel.set_title(_SHOWN[measure] if row == 0 else "")
            _number_of_jobs(panel, results)
            panel.set_ylabel(kinds[row] if column == 0 else "")
        _legend(figure, axes[0])
    return figure


def draw_accuracy_by_edges(results: pl.DataFrame, *, width_in: float = 8.0) -> Figure:
    """Draw the mean accuracy over the number of deleted edges (their Figure 5).

    A panel for each kind of problem; a mark stands for a sixth of the instances.
    """
    kinds, solvers = _kinds(results), _relaxations(results)
    with paper_style():
        figure, axes = panels(1, len(kinds), width_in, 2.6, sharey=True)
        for panel, kind in zip(axes, kinds, strict=True):
            for place, solver in enumerate(solvers):
                _plot_groups(panel, results.filter(workload=kind, policy=solver), place, solver)
            panel.set(title=kind, xlabel="deleted edges")
            panel.grid()
        axes[0].set_ylabel("accuracy where solved")
        _legend(figure, axes[0])
    return figure


def draw_cycles(results: pl.DataFrame, *, width_in: float = 8.0) -> Figure:
    """Draw message cycles over the number of jobs, UTIL and VALUE together (their Figure 6).

    A panel for each kind of problem, on a logarithmic scale; dashed: DPOP on the whole problem,
    along a tree by the same heuristic, whether its messages would fit or not.
    """
    kinds, solvers = _kinds(results), _relaxations(results)
    with paper_style():
        figure, axes = panels(1, len(kinds), width_in, 2.8, sharey=True)
        for panel, kind in zip(axes, kinds, strict=True):
            for place, solver in enumerate(solvers):
                chosen = results.filter(workload=kind, policy=solver)
                _plot(panel, chosen, "cycles_before", policy_colour(place), None)
                _plot(panel, chosen, "cycles", policy_colour(place), solver)
            panel.set(title=kind, yscale="log")
            _number_of_jobs(panel, results)
            panel.yaxis.set_major_formatter("{x:,.0f}")
            panel.yaxis.set_minor_formatter("")
        axes[0].set_ylabel("message cycles")
        _legend(figure, axes[0])
    return figure


def _kinds(results: pl.DataFrame) -> list[str]:
    return results["workload"].unique(maintain_order=True).to_list()


def _relaxations(results: pl.DataFrame) -> list[str]:
    """Return the solvers that delete edges."""
    deleting = results.drop_nulls("deleted_edges")
    return deleting["policy"].unique(maintain_order=True).to_list()


def _plot(
    axes: Axes,
    results: pl.DataFrame,
    measure: str,
    colour: str,
    solver: str | None,
    *,
    wide: bool = False,
) -> None:
    """Draw the mean over instances for each number of jobs; dashed without a solver's name.

    A wide line stays visible behind another.
    """
    import polars as pl

    means = results.drop_nulls(measure).group_by("jobs").agg(pl.col(measure).mean()).sort("jobs")
    axes.plot(
        means["jobs"],
        means[measure],
        "o-" if solver else "--",
        color=colour,
        linewidth=4 if wide else 1.2,
        markersize=2.5,
        label=solver,
    )


def _plot_groups(axes: Axes, results: pl.DataFrame, place: int, solver: str) -> None:
    found = results.drop_nulls(["deleted_edges", "accuracy"]).sort("deleted_edges")
    groups = np.array_split(found.select("deleted_edges", "accuracy").to_numpy(), GROUPS)
    points = np.array([group.mean(axis=0) for group in groups if len(group)]).reshape(-1, 2)
    axes.plot(*points.T, "o-", color=policy_colour(place), markersize=2.5, label=solver)


def _number_of_jobs(axes: Axes, results: pl.DataFrame) -> None:
    axes.set_xticks(results["jobs"].unique().sort().to_list())
    axes.set_xlabel("jobs")
    axes.grid()


def _legend(figure: Figure, axes: Axes) -> None:
    lines, names = axes.get_legend_handles_labels()
    figure.legend(lines, names, loc="outside upper center", ncols=max(1, len(names)))
