"""Pictures of co-allocation: schedules, constraint graphs and pseudo trees."""

from schedlab.viz.coalloc.gantt import draw_coalloc_gantt
from schedlab.viz.coalloc.graph import draw_constraint_graph
from schedlab.viz.coalloc.tree import draw_pseudo_tree

__all__ = ["draw_coalloc_gantt", "draw_constraint_graph", "draw_pseudo_tree"]
