"""Numbers from texts that schedulers write: ``jobid_00012``, ``gpu:v100:2``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_GPUS = r"^(?:gres[/:])?gpu(?::([A-Za-z]\w*))?[:=](\d+)$"
"""The form in which Slurm writes the GPUs that a job asks for."""


def with_plain_ids(frame: pl.DataFrame) -> pl.DataFrame:
    """Take job numbers from names, if all names end in a number and no two in the same."""
    import polars as pl

    if frame.schema.get("job_id") != pl.String:
        return frame
    names = frame["job_id"].str.strip_chars()
    numbers = names.str.extract(r"^\D*?(\d{1,15})$")
    told = names.str.contains(r"^[A-Za-z]").all() and numbers.null_count() == 0
    if not told or numbers.n_unique() < len(numbers):
        return frame
    return frame.with_columns(numbers.alias("job_id"))


def with_plain_gpus(frame: pl.DataFrame) -> pl.DataFrame:
    """Take numbers of GPUs from ``gpu:v100:2``, and their types if no column has these."""
    import polars as pl

    for column in ("gpus_per_node", "gpus"):
        if frame.schema.get(column) != pl.String:
            continue
        texts = frame[column].str.strip_chars()
        numbers, types = texts.str.extract(_GPUS, 2), texts.str.extract(_GPUS, 1)
        frame = frame.with_columns(pl.coalesce(numbers, texts).alias(column))
        if types.null_count() < len(types) and "gpu_type" not in frame.columns:
            frame = frame.with_columns(types.alias("gpu_type"))
    return frame
