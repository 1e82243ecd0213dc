"""Output of commands: tables and remarks for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from schedlab.workload import ReadReport

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def out() -> Console:
    """Return the console for results."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def err() -> Console:
    """Return the console for progress and remarks, which must not mix with results."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def heading(line: str) -> Text:
    """Return a line above a table."""
    from rich.text import Text

    return Text(line, "bold")


def new_table(*headings: str, text_columns: int = 1) -> Table:
    """Return a table without frame: the first columns hold text, the others numbers.

    If the table is too wide, lines break in text before they break in numbers.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
        header_style="bold",
    )
    for place, heading in enumerate(headings):
        number, name = place >= text_columns, place == 0 < text_columns - 1
        table.add_column(
            heading,
            justify="right" if number else "left",
            no_wrap=number or name,
            overflow="fold",
        )
    return table


def cell(value: float | None, written: Callable[[float], str]) -> str:
    """Return the value as the function writes it; a dash if there is no value."""
    return "–" if value is None or math.isnan(value) else written(value)


def print_json(value: Any) -> None:
    """Print the value as JSON, and nothing else."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_notes(notes: Iterable[str], *, to_stderr: bool) -> None:
    """Print remarks beneath the result, or on stderr if stdout is for JSON."""
    console = err() if to_stderr else out()
    for note in notes:
        console.print(note, style="dim", soft_wrap=True)


def reading_notes(report: ReadReport) -> Iterator[str]:
    """Return remarks on what the reader did to the trace."""
    return (f"reader: {line}" for line in report.lines())
