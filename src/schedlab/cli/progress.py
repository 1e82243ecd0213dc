"""A progress bar on a terminal for work that takes longer than two seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Protocol

PATIENCE_S = 2.0


class ProgressReport(Protocol):
    """How a piece of work reports its progress."""

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        """Report what is done, the total if it is known, and a note."""


@contextmanager
def progress(what: str, *, in_bytes: bool = False) -> Iterator[ProgressReport]:
    """Show the progress of the work in the block on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total, note="": None
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
        yield lambda done, total, note="": bar.update(
            task, completed=done, total=total, description=f"{what} {note}".rstrip()
        )
    finally:
        patience.cancel()
        patience.join()
        bar.stop()
