"""The paper's figures from a run of solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from schedlab.experiments.document import Picture
from schedlab.experiments.run_folder import RunFolder
from schedlab.viz.coalloc import draw_accuracy_by_edges, draw_cycles, draw_relaxations
from schedlab.viz.paper import save_figure

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class _Figure:
    """A picture, and the measures that it shows."""

    title: str
    measures: tuple[str, ...]
    draw: Callable[[pl.DataFrame], Figure]


FIGURES = {
    "figures-3-4": _Figure(
        "Accuracy, deleted edges and width reduction over jobs",
        ("accuracy", "solved", "deleted_edges", "width_reduction"),
        draw_relaxations,
    ),
    "figure-5": _Figure(
        "Accuracy over deleted edges", ("accuracy", "deleted_edges"), draw_accuracy_by_edges
    ),
    "figure-6": _Figure(
        "Message cycles over jobs", ("deleted_edges", "cycles_before", "cycles"), draw_cycles
    ),
}


def draw_figures(folder: RunFolder, results: pl.DataFrame) -> list[Picture]:
    """Draw the figures that the results allow; none without relaxations or Matplotlib."""
    drawn: list[Picture] = []
    if find_spec("matplotlib") is None:
        return drawn
    for name, figure in FIGURES.items():
        measured = set(figure.measures).issubset(results.columns)
        if measured and results["deleted_edges"].count():
            path = folder.path / f"{name}.svg"
            save_figure(figure.draw(results), path)
            drawn.append(Picture(figure.title, path))
    return drawn
