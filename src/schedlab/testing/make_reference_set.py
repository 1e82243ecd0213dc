"""Writes the reference set: ``python -m schedlab.testing.make_reference_set [FOLDER]``.

Without a folder it regenerates the data shipped with the package.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from schedlab.atomic import atomic_write
from schedlab.platform import platform_from_header
from schedlab.policies import find_policy
from schedlab.sim import simulate
from schedlab.testing.reference_set import DATA, SCHEDULES
from schedlab.testing.reference_workloads import reference_workloads
from schedlab.workload import Workload, write_workload

if TYPE_CHECKING:
    import polars as pl

CLASSIC_ORDERS = (
    *("fcfs", "lcfs", "sjf", "ljf", "saf", "laf", "snf", "lnf"),
    *("wfp3", "unicef", "f1", "f2", "f3", "f4"),
)
COLUMNS = ("workload", "policy", "job_id", "start_s", "end_s", "first_reserved_s")


def write_reference_set(folder: Path) -> None:
    """Write every workload as SWF, and the schedules of all policies as one CSV."""
    import polars as pl

    workloads = reference_workloads()
    for workload in workloads:
        write_workload(workload, folder / f"{workload.name}.swf")
    policies = reference_policies()
    rows = [_rows(workload, policy) for workload in workloads for policy in policies]
    with atomic_write(folder / SCHEDULES) as temporary:
        pl.concat(rows).write_csv(temporary)


def reference_policies() -> list[str]:
    """Return every classic order with every classic backfilling, and two variants of these."""
    names = [f"{order}{how}" for how in ("", "+easy", "+conservative") for order in CLASSIC_ORDERS]
    names += ["easy:backfill=sjf", "conservative:rebuild=true"]
    return [find_policy(name).name for name in names]


def _rows(workload: Workload, policy: str) -> pl.DataFrame:
    import polars as pl

    frame = simulate(workload, platform_from_header(workload), policy).frame()
    return frame.with_columns(workload=pl.lit(workload.name)).select(COLUMNS)


if __name__ == "__main__":
    write_reference_set(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
