"""schedlab history validate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Exit

from schedlab.cli.console import AsJson, print_json, print_notes
from schedlab.cli.store_place import require_history

EXAMPLES = (
    "schedlab history validate jobs.jsonl",
    "schedlab history validate jobs.json --json",
)
_INVALID = 2


def validate(
    files: Annotated[
        list[Path], Argument(metavar="FILE...", help="Job records as JSON, one or many.")
    ],
    json: AsJson = False,
) -> None:
    """Check files against the standard; each fault is listed with its path in the JSON."""
    require_history()
    from schedlab.history.schema import validate_file

    faults = {str(path): validate_file(path) for path in files}
    if json:
        print_json({path: [str(fault) for fault in found] for path, found in faults.items()})
    else:
        for fault in (fault for found in faults.values() for fault in found):
            typer.echo(str(fault))
        good = [f"{path}: keeps to the standard" for path, found in faults.items() if not found]
        print_notes(good, to_stderr=False)
    if any(faults.values()):
        raise Exit(_INVALID)
