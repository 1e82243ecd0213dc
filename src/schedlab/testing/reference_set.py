"""The reference set: small workloads with the schedules of all classic policies, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab.platform import platform_from_header
from schedlab.workload import Workload, read_workload

if TYPE_CHECKING:
    import polars as pl

DATA = Path(__file__).with_name("data")
SCHEDULES = "schedules.csv"


@dataclass(frozen=True)
class ReferenceTimes:
    """When each job starts and ends, and the first start it was promised, -1 if none.

    In order of submission.
    """

    start_s: NDArray[np.int64]
    end_s: NDArray[np.int64]
    first_reserved_s: NDArray[np.int64]


@dataclass(frozen=True)
class ReferenceCase:
    """A workload, the size of its machine, and its schedule under each policy."""

    workload: Workload
    nodes: int
    schedules: Mapping[str, ReferenceTimes]

    @property
    def name(self) -> str:
        """The name of the workload."""
        return self.workload.name


def reference_set(folder: Path = DATA) -> list[ReferenceCase]:
    """Return the reference set as shipped, or one that was written to a folder."""
    import polars as pl

    by_workload = pl.read_csv(folder / SCHEDULES).partition_by("workload", as_dict=True)
    return [
        _case(read_workload(folder / f"{name}.swf"), schedules)
        for (name,), schedules in by_workload.items()
    ]


def _case(workload: Workload, schedules: pl.DataFrame) -> ReferenceCase:
    by_policy = schedules.partition_by("policy", as_dict=True)
    return ReferenceCase(
        workload,
        platform_from_header(workload).nodes,
        {str(policy): _times(rows) for (policy,), rows in by_policy.items()},
    )


def _times(rows: pl.DataFrame) -> ReferenceTimes:
    return ReferenceTimes(
        *(rows[name].to_numpy() for name in ("start_s", "end_s", "first_reserved_s"))
    )
