"""The task lists of Alibaba's GPU cluster trace of 2023 (``openb_pod_list_*.csv``)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from schedlab.errors import InputError
from schedlab.workload.readers.frame_records import frame_records
from schedlab.workload.readers.reader import Reader, ReadOptions
from schedlab.workload.readers.repair import repair
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

if TYPE_CHECKING:
    import polars as pl

_FIRST = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec"
_NUMBERS = ("cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "creation_time", "deletion_time")
_WHOLE_GPU_MILLI = 1000


class AlibabaGpuReader(Reader):
    """Reads one task per row; a core of ours is a thousandth of one of theirs."""

    suffixes = (".csv",)

    def recognises(self, head: bytes) -> bool:
        """Recognise it by the names of its columns."""
        return head.startswith(_FIRST.encode())

    def read(self, source: Source, options: ReadOptions) -> Workload:
        """Return the tasks, each a job on one node."""
        frame = _jobs(source, _table(source))
        lines = np.arange(2, len(frame) + 2)
        records, labels = frame_records(source.path, frame, lines)
        columns, report = repair(records, options)
        return Workload(columns, name=source.stem, labels=labels, report=report)


def _table(source: Source) -> pl.DataFrame:
    import polars as pl

    try:
        table = pl.read_csv(io.StringIO(source.decoded()), infer_schema_length=0)
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{source.path}: is not a table: {reason}") from None
    for name in (*_NUMBERS, "gpu_spec", "scheduled_time", "qos"):
        if name not in table.columns:
            raise InputError(f"{source.path}: has no column {name}")
    for name in _NUMBERS:
        wrong = np.flatnonzero(table[name].cast(pl.Int64, strict=False).is_null().to_numpy())
        if len(wrong):
            line = int(wrong[0]) + 2
            reason = f'{name} is "{table[name][int(wrong[0])] or ""}"; must be a whole number'
            raise InputError.at(source.path, line, reason)
    return table


def _jobs(source: Source, table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with our columns.

    A task that was never placed counts as running from its creation.
    """
    import polars as pl

    number = {name: pl.col(name).cast(pl.Int64) for name in _NUMBERS}
    begun = pl.col("scheduled_time").cast(pl.Int64, strict=False)
    began = begun.fill_null(number["creation_time"])
    gpus, milli = number["num_gpu"], number["gpu_milli"]
    part = (gpus == 1) & (milli < _WHOLE_GPU_MILLI)
    return table.select(
        job_id=pl.int_range(1, pl.len() + 1),
        submit_s=number["creation_time"],
        nodes=pl.lit(1),
        request_s=pl.max_horizontal(number["deletion_time"] - began, 1),
        run_s=pl.max_horizontal(number["deletion_time"] - began, 0),
        cores_per_node=number["cpu_milli"],
        memory_per_node_kb=number["memory_mib"].cast(pl.Float64) * 1024,
        gpus_per_node=pl.when(gpus > 0).then(gpus).otherwise(-1),
        gpu_milli=pl.when(part).then(milli).otherwise(-1),
        constraint=pl.col("gpu_spec"),
        qos=pl.col("qos"),
    )
