"""schedlab coalloc show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from schedlab.cli.coalloc.effort import ProblemFile
from schedlab.cli.console import AsJson, cell, heading, new_table, out, print_json, print_notes

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.coalloc import Problem

Facts = dict[str, Any]

EXAMPLES = (
    "schedlab coalloc show thirty.toml",
    "schedlab coalloc show thirty.toml --figure graph.png",
    "schedlab coalloc show thirty.toml --figure t.png --figure-kind tree --heuristic max-degree",
    "schedlab coalloc show thirty.toml --json",
)


def show(
    file: ProblemFile,
    figure: Annotated[
        Path | None,
        Option(metavar="FILE", help="Draw a picture as .png, .pdf or .svg."),
    ] = None,
    figure_kind: Annotated[
        Literal["graph", "tree"],
        Option(
            metavar="graph|tree",
            help="What --figure draws: the constraint graph, or the pseudo tree with back edges "
            "and separators.",
        ),
    ] = "graph",
    heuristic: Annotated[
        str,
        Option(
            metavar="NAME",
            help="Heuristic for the drawn tree: max-degree, max-cardinality, min-fill or best.",
        ),
    ] = "min-fill",
    json: AsJson = False,
) -> None:
    """Describe a problem: its graph, its bounds, and the width of its pseudo trees."""
    from schedlab.cli.pictures import Pictures
    from schedlab.coalloc import read_problem
    from schedlab.coalloc.orders import CHOICES
    from schedlab.errors import UnknownNameError

    if heuristic not in CHOICES:
        raise UnknownNameError("heuristic", heuristic, CHOICES)
    Pictures(figure=figure).check()
    problem = read_problem(file)
    if figure is not None:
        _draw(problem, figure, figure_kind, heuristic)
    found = facts(problem)
    if json:
        print_json(found)
    else:
        _print(found)
    written = [] if figure is None else [f"written: {figure}"]
    print_notes(written, to_stderr=json)


def facts(problem: Problem) -> Facts:
    """Return the facts of a problem that are known without solving it."""
    from schedlab.coalloc.bounds import load_bound, triangle_bound
    from schedlab.coalloc.minibucket import quick_minibucket_bound
    from schedlab.coalloc.objective import CRITERIA
    from schedlab.coalloc.prices import lp_bound

    conflicts = problem.conflicts()
    return {
        "name": problem.name,
        "origin": problem.origin,
        "jobs": len(problem.jobs),
        "resources": len(problem.resources),
        "slots": problem.slots,
        "total_value": sum(job.value for job in problem.jobs),
        "conflicts": sum(map(len, conflicts)) // 2,
        "most_conflicts": max(map(len, conflicts)),
        "bounds": {
            criterion: {
                "load": load_bound(problem, criterion),
                "triangle": triangle_bound(problem, criterion),
                "lp": lp_bound(problem, criterion),
                "mini_buckets": _finite(quick_minibucket_bound(problem, criterion)),
            }
            for criterion in CRITERIA
        },
        "trees": list(_trees(problem)),
    }


def _finite(bound: float | None) -> float | None:
    """Return None for infinity, which means that there is no schedule: JSON has no such number."""
    return None if bound is None or math.isinf(bound) else bound


def _trees(problem: Problem) -> Iterator[Facts]:
    """Yield the pseudo tree of each heuristic; jobs may be left out, as with objective value."""
    from schedlab.coalloc.network import ConstraintNetwork
    from schedlab.coalloc.orders import CHOICES, make_tree

    network = ConstraintNetwork.of(problem, may_leave_out=True)
    for heuristic in CHOICES:
        tree = make_tree(network, heuristic)
        yield {
            "heuristic": heuristic,
            "width": tree.width,
            "height": tree.height,
            "largest_cells": max(tree.cells(network.sizes)),
        }


def _draw(problem: Problem, path: Path, kind: Literal["graph", "tree"], heuristic: str) -> None:
    from schedlab.coalloc.network import ConstraintNetwork
    from schedlab.coalloc.orders import make_tree
    from schedlab.viz import draw_constraint_graph, draw_pseudo_tree, save_figure

    if kind == "graph":
        save_figure(draw_constraint_graph(problem), path)
    else:
        made = make_tree(ConstraintNetwork.of(problem, may_leave_out=True), heuristic)
        save_figure(draw_pseudo_tree(problem, made), path)


def _print(found: Facts) -> None:
    console = out()
    size = f"{found['jobs']:,} jobs on {found['resources']:,} resources in {found['slots']:,} slots"
    about = new_table("", "", text_columns=2)
    about.show_header = False
    about.add_row("total value", f"{found['total_value']:,.6g}")
    about.add_row(
        "conflicts", f"{found['conflicts']:,} pairs, a job has up to {found['most_conflicts']:,}"
    )
    if found["origin"]:
        about.add_row("origin", found["origin"])
    console.print(heading(f"{found['name']}: {size}"), "", about, "", sep="\n")
    console.print(_bounds(found), "", _widths(found), "", sep="\n")


def _bounds(found: Facts) -> Table:
    table = new_table("no schedule beats", "load", "triangle", "linear program", "mini-buckets")
    for criterion, bounds in found["bounds"].items():
        table.add_row(criterion, *(cell(bound, "{:,.6g}".format) for bound in bounds.values()))
    return table


def _widths(found: Facts) -> Table:
    table = new_table("pseudo tree", "width", "height", "cells of the largest message")
    for tree in found["trees"]:
        table.add_row(
            tree["heuristic"],
            str(tree["width"]),
            str(tree["height"]),
            f"{float(tree['largest_cells']):,.4g}",
        )
    return table
