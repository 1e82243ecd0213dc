"""The constraint graph of a problem: jobs, and edges between those that share a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.coalloc import Problem
from schedlab.viz.colours import LIGHT
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Places = NDArray[np.float64]

MAX_NAMES = 60
"""With more jobs names would cover each other."""

_STEPS = 300


def draw_constraint_graph(problem: Problem, *, width_in: float = 5.0) -> Figure:
    """Draw jobs in conflict joined and close together; the darker the edge, the more they share."""
    places = _spring_layout(problem)
    with paper_style():
        figure, axes = panels(1, 1, width_in, width_in)
        _draw_edges(axes[0], problem, places)
        draw_nodes(axes[0], problem, places, [LIGHT[0]] * len(places))
        edges = sum(map(len, problem.conflicts())) // 2
        axes[0].set_title(f"{problem.name}: {len(places):,} jobs, {edges:,} conflicts")
        axes[0].set_axis_off()
        axes[0].set_aspect("equal")
        axes[0].margins(0.06)
    return figure


def draw_nodes(axes: Axes, problem: Problem, places: Places, colours: list[str]) -> None:
    """Draw a circle for each job, with its name while there is room."""
    named = len(places) <= MAX_NAMES
    axes.scatter(
        places[:, 0],
        places[:, 1],
        s=150 if named else 16,
        c=colours,
        edgecolors="#333333",
        linewidths=0.5,
        zorder=3,
    )
    for (x, y), job in zip(places.tolist(), problem.jobs, strict=True):
        if named:
            axes.text(x, y, job.name, ha="center", va="center_baseline", fontsize=5.5, zorder=4)


def _draw_edges(axes: Axes, problem: Problem, places: Places) -> None:
    from matplotlib.collections import LineCollection

    pairs = [(one, other) for one, near in enumerate(problem.conflicts()) for other in near]
    pairs = [(one, other) for one, other in pairs if one < other]
    needs = [set(job.resources) for job in problem.jobs]
    shared = [len(needs[one] & needs[other]) for one, other in pairs]
    lines: list[Any] = [places[list(pair)] for pair in pairs]
    shades = [str(max(0.35, 0.9 - 0.2 * count)) for count in shared]
    axes.add_collection(LineCollection(lines, colors=shades, linewidths=0.6, zorder=1))


def _spring_layout(problem: Problem) -> Places:
    """Place jobs by Fruchterman and Reingold's forces (1991) from a circle; conflicts attract."""
    jobs = len(problem.jobs)
    joined = np.zeros((jobs, jobs))
    for job, near in enumerate(problem.conflicts()):
        joined[job, sorted(near)] = 1.0
    angles = 2 * np.pi * np.arange(jobs) / jobs
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ideal = np.sqrt(4.0 / jobs)
    for step in range(_STEPS):
        apart = places[:, None] - places[None]
        far = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = (apart * (ideal**2 / far**2 - joined * far / ideal)[:, :, None]).sum(axis=1)
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        heat = 0.1 * (1 - step / _STEPS)
        places = places + force / length * np.minimum(length, heat)
    found: Places = places
    return found
