"""Pictures of co-allocation: schedules, constraint graphs, pseudo trees, and what solvers reach."""

from schedlab.viz.coalloc.gantt import draw_coalloc_gantt
from schedlab.viz.coalloc.graph import draw_constraint_graph
from schedlab.viz.coalloc.relaxations import (
    draw_accuracy_by_edges,
    draw_cycles,
    draw_relaxations,
)
from schedlab.viz.coalloc.tree import draw_pseudo_tree

__all__ = [
    "draw_accuracy_by_edges",
    "draw_coalloc_gantt",
    "draw_constraint_graph",
    "draw_cycles",
    "draw_pseudo_tree",
    "draw_relaxations",
]
