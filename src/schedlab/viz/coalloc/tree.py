"""A pseudo tree: tree edges downwards, back edges as arcs, separators beside the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedlab.coalloc import Problem
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.viz.coalloc.graph import Places, draw_nodes
from schedlab.viz.colours import LIGHT, STRONG
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEVEL_IN, _LEAST_LEVEL_IN, _TALLEST_IN, _FRAME_IN = 0.42, 0.22, 9.0, 0.8
_LABEL_PT, _LETTER_IN, _NODE_IN = 5.0, 0.04, 0.22


def draw_pseudo_tree(problem: Problem, tree: PseudoTree, *, width_in: float = 7.0) -> Figure:
    """Draw the tree from its roots down, with each node's separator: the jobs of its message.

    The nodes with the largest separators, which make the induced width, are red.
    """
    places, levels = _layout(tree), tree.height + 1
    level_in = max(_LEAST_LEVEL_IN, min(_LEVEL_IN, _TALLEST_IN / levels))
    room_in = width_in / (1 + places[:, 0].max()) - _NODE_IN
    with paper_style():
        figure, axes = panels(1, 1, width_in, _FRAME_IN + level_in * levels)
        _draw_edges(axes[0], problem, tree, places)
        widest = [bool(each) and len(each) == tree.width for each in tree.separators]
        draw_nodes(axes[0], problem, places, [LIGHT[1] if each else LIGHT[0] for each in widest])
        _draw_separators(axes[0], problem, tree, places, letters=int(room_in / _LETTER_IN))
        axes[0].set_title(f"{problem.name}: pseudo tree of width {tree.width}")
        axes[0].set_axis_off()
        axes[0].margins(0.08, 0.04)
    return figure


def _layout(tree: PseudoTree) -> Places:
    """Put leaves side by side, parents above the middle of their children."""
    across = np.zeros(len(tree.order))
    for place, leaf in enumerate(_leaves(tree)):
        across[leaf] = place
    for job in reversed(tree.order):
        if tree.children[job]:
            across[job] = np.mean([across[child] for child in tree.children[job]])
    found: Places = np.stack([across, -np.array(tree.depths, dtype=float)], axis=1)
    return found


def _leaves(tree: PseudoTree) -> list[int]:
    """Return the leaves from left to right, each subtree together."""
    found, waiting = [], list(reversed(tree.roots))
    while waiting:
        job = waiting.pop()
        if tree.children[job]:
            waiting.extend(reversed(tree.children[job]))
        else:
            found.append(job)
    return found


def _draw_edges(axes: Axes, problem: Problem, tree: PseudoTree, places: Places) -> None:
    from matplotlib.patches import FancyArrowPatch

    for job, parent in enumerate(tree.parents):
        if parent is not None:
            axes.plot(*places[[job, parent]].T, color="#444444", linewidth=1.0, zorder=2)
    for ancestor, job in tree.back_edges(problem.conflicts()):
        arc = FancyArrowPatch(
            places[ancestor],
            places[job],
            connectionstyle="arc3,rad=0.35",
            arrowstyle="-",
            linestyle="--",
            linewidth=0.6,
            color=STRONG[0],
            alpha=0.7,
            zorder=1,
        )
        axes.add_patch(arc)


def _draw_separators(
    axes: Axes, problem: Problem, tree: PseudoTree, places: Places, *, letters: int
) -> None:
    """Write the separator beside each node, or its number of jobs if the names do not fit."""
    for job, separator in enumerate(tree.separators):
        listed = " ".join(problem.jobs[other].name for other in separator)
        short = listed if len(listed) <= letters else f"{len(separator)} jobs"
        axes.annotate(
            f"{{{short}}}" if separator else "",
            places[job],
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            fontsize=_LABEL_PT,
            color="#666666",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.4},
            zorder=2.5,
        )
