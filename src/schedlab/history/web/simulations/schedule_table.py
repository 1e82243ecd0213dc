"""The schedules of a what-if as one table, small enough to be kept beside its figures."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedlab.history.web.simulations.window import FACTS, HistoryWindow
from schedlab.sim import Schedule

if TYPE_CHECKING:
    import polars as pl

_OF_RUNS = ("start_time", "end_time", "wait_s")
_MOMENTS = ("submit_time", "start_time", "end_time")


def pack_schedules(replay: HistoryWindow, schedules: Sequence[Schedule]) -> str:
    """Return a row for each counted job under each policy, as Parquet in base64."""
    import polars as pl

    stream = io.BytesIO()
    pl.concat(_frame(replay, each) for each in schedules).write_parquet(stream, compression="zstd")
    return base64.b64encode(stream.getvalue()).decode()


def unpack_schedules(text: str) -> pl.DataFrame:
    """Return the table that ``pack_schedules`` made."""
    import polars as pl

    return pl.read_parquet(base64.b64decode(text))


def _frame(replay: HistoryWindow, schedule: Schedule) -> pl.DataFrame:
    import polars as pl

    told = replay.told(schedule)
    jobs = told.workload
    epoch_s = int(jobs.header["UnixStartTime"][0])
    facts = [replay.facts[number - 1] for number in jobs["job_id"]]
    whose = {name: pl.Series([each[name] for each in facts], dtype=pl.String) for name in FACTS}
    ran = pl.Series(told.started)
    frame = pl.DataFrame(
        {
            "policy": [schedule.policy] * len(told),
            **whose,
            "nodes": jobs["nodes"],
            "request_s": jobs["request_s"],
            "submit_time": epoch_s + jobs["submit_s"],
            "start_time": epoch_s + told.start_s,
            "end_time": epoch_s + told.end_s,
            "wait_s": told.wait_s,
        }
    )
    known = [pl.when(ran).then(pl.col(name)).alias(name) for name in _OF_RUNS]
    moments = [pl.from_epoch(pl.col(name)).dt.replace_time_zone("UTC") for name in _MOMENTS]
    return frame.with_columns(known).with_columns(moments)
