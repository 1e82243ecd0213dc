"""No part of the service reads jobs that the viewer may not see."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from schedlab.history import web

FOLDER = Path(web.__file__).parent

EXCEPTIONS = {
    ("queries/search.py", "documents"): "records under keys that a query with visible gave",
    ("queries/listing.py", "footprints"): "means under such keys",
    ("queries/waiting.py", "_counted"): "counts under what its caller made of countable",
    ("queries/timelines.py", "_occupancy"): "who else was on a shared node divides its sensors",
    ("queries/unfinished.py", "heard_s"): "a moment, which tells nothing of any job",
    ("simulations/forecast_jobs.py", "records_of"): "a queue without others is none; pages show "
    "of the result what their reader sees",
}
"""Functions that read jobs without such a condition, and why they may."""

CONDITIONS = {"visible", "visible_of_few", "visible_parts", "countable"}
"""Conditions that decide who sees a job, and whether it may be counted without being shown."""

# Tables of jobs, and of data about them.
TABLES = {"jobs", "hosts", "tags", "aggregates"}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a file, including methods and nested functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def names_in(function: ast.AST) -> set[str]:
    """Return the names that the code uses."""
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}


def reads_jobs(function: ast.AST) -> bool:
    """Return whether a function selects from a table of jobs, and runs the query itself."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    selects = any(
        isinstance(call.func, ast.Name) and call.func.id == "select" and names_in(call) & TABLES
        for call in calls
    )
    executes = any(
        isinstance(call.func, ast.Attribute) and call.func.attr == "execute" for call in calls
    )
    return selects and executes


def test_every_selection_of_jobs_asks_who_looks() -> None:
    """A select without a condition in the same function must be in ``EXCEPTIONS``."""
    without = {
        (str(path.relative_to(FOLDER)), function.name)
        for path in FOLDER.rglob("*.py")
        for function in functions(path)
        if reads_jobs(function) and not CONDITIONS & names_in(function)
    }
    assert without == set(EXCEPTIONS)
