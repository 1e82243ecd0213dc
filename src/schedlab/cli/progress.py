"""A bar on a terminal for what takes longer than two seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

Report = Callable[[int, int | None], None]
"""Called with how much is done and, where it is known, of how much."""

PATIENCE_S = 2.0


@contextmanager
def progress(what: str, *, in_bytes: bool = False) -> Iterator[Report]:
    """Show on stderr, if it is a terminal, how far the work in the block has come."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    from schedlab.cli.console import err

    description = TextColumn("{task.description}", markup=False)
    amount = DownloadColumn() if in_bytes else TaskProgressColumn()
    columns = (description, BarColumn(), amount, TimeRemainingColumn())
    bar = Progress(*columns, console=err(), transient=True)
    task = bar.add_task(what, total=None)
    patience = Timer(PATIENCE_S, bar.start)
    patience.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        patience.cancel()
        patience.join()
        bar.stop()
