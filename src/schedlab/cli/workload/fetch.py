"""schedlab workload fetch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from schedlab.cli.completion import catalogued_traces
from schedlab.cli.console import AsJson, print_json, print_notes

EXAMPLES = (
    "schedlab workload fetch KTH-SP2-1996-2.1-cln",
    "schedlab workload fetch RICC-2010-2 --cache-dir traces",
)


def fetch(
    name: Annotated[
        str,
        Argument(
            metavar="NAME",
            autocompletion=catalogued_traces,
            help="A trace as schedlab workload catalog names it.",
        ),
    ],
    cache_dir: Annotated[
        Path | None,
        Option(metavar="DIR", help="Where the trace is kept, instead of your cache."),
    ] = None,
    mirror: Annotated[
        str | None,
        Option(metavar="URL", help="A mirror of the Parallel Workloads Archive."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Download a public trace, verify it, keep it, and print its path."""
    from schedlab.cli.progress import progress
    from schedlab.workload.catalog import catalogued
    from schedlab.workload.fetch import fetch

    trace = catalogued(name)
    with progress(f"fetching {name}", in_bytes=True) as report:
        path = fetch(name, cache_dir=cache_dir, base_url=mirror, progress=report)
    if json:
        print_json({"name": name, "path": str(path), "citation": trace.citation})
        return
    typer.echo(str(path))
    print_notes([f"Please cite: {trace.citation}"], to_stderr=True)
