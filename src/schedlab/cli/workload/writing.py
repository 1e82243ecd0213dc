"""Writing of workloads, with remarks on what was written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from schedlab.cli.completion import writing_formats
from schedlab.cli.console import print_json, print_notes, reading_notes

if TYPE_CHECKING:
    from schedlab.workload import Workload

OutFile = Annotated[Path, Argument(metavar="OUT", help="File to write; .gz is compressed.")]
_TO_WRITE = "Format to write, if the suffix of the file does not show it."
Format = Annotated[
    str | None, Option(metavar="NAME", help=_TO_WRITE, autocompletion=writing_formats)
]
OutFormat = Annotated[
    str | None,
    Option("--out-format", metavar="NAME", help=_TO_WRITE, autocompletion=writing_formats),
]
"""For commands whose --format is the format of the trace that they read."""


def check_target(path: Path, format: str | None) -> None:
    """Refuse a file that could not be written, before anything is read or drawn."""
    from schedlab.workload.writers import check_writing

    check_writing(path, format=format)


def write(workload: Workload, path: Path, format: str | None, *, json: bool) -> None:
    """Write the workload, and print remarks on what was written."""
    from schedlab.units import short_duration
    from schedlab.workload import write_workload

    left_out = write_workload(workload, path, format=format)
    if json:
        steps = [step["step"] for step in workload.provenance]
        facts = {"path": str(path), "jobs": len(workload), "left_out": left_out, "steps": steps}
        print_json(facts)
    else:
        span = short_duration(workload.span_s())
        typer.echo(f"{path}: {len(workload):,} jobs submitted within {span}")
    lost = [f"the format has no place for: {', '.join(left_out)}"] if left_out else []
    print_notes([*reading_notes(workload.report), *lost], to_stderr=json)
