"""Accounting of a scheduler as a workload, on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schedlab.history.ingest import Fault
    from schedlab.workload import Workload
    from schedlab.workload.readers import ReadOptions

ACCOUNTING = (
    "slurm-sacct",
    "slurm-sacct-json",
    "slurm-jobcomp",
    "grid-engine",
    "clustercockpit",
)
"""Kinds of job sources that are files or folders, as a history names them."""


def read_accounting(kind: str, path: Path, options: ReadOptions) -> Workload:
    """Return the jobs that have ended; raise an error if the extra is missing."""
    from schedlab.cli.store_place import require_history

    require_history()
    from schedlab.history.accounting import read_accounting as read

    return read(kind, path, options)


def sacct_records(path: Path) -> tuple[list[dict[str, Any]], list[Fault]]:
    """Return the output of sacct as standard job records, and what could not be read."""
    from schedlab.cli.store_place import require_history

    require_history()
    from schedlab.history.accounting import sacct_records as read

    return read(path)
