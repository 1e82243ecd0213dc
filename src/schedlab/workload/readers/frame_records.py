"""Tables of texts or numbers turned into records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from schedlab.errors import InputError, UnknownNameError, WorkloadError
from schedlab.workload.counts import parse_licences, parse_resources
from schedlab.workload.dependencies import parse_dependencies
from schedlab.workload.needs import parse_needs
from schedlab.workload.readers.plain_texts import with_plain_gpus, with_plain_ids
from schedlab.workload.readers.reader import LEFT_OUT
from schedlab.workload.readers.records import Records, and_more
from schedlab.workload.workload import COLUMNS, Array

if TYPE_CHECKING:
    import polars as pl

CODED = (
    "user",
    "group",
    "queue",
    "partition",
    "application",
    "needs",
    "gpu_type",
    "resources",
    "licences",
    "constraint",
    "account",
    "qos",
    "job_name",
    "dependencies",
)
"""Columns that may hold names instead of numbers."""

Labels = dict[str, tuple[str, ...]]
_PARSED: dict[str, Callable[[str], object]] = {
    "needs": parse_needs,
    "resources": parse_resources,
    "licences": parse_licences,
    "dependencies": parse_dependencies,
}
_OF_A_HISTORY = {"jobid", "queue_time"}


def our_names(path: Path, theirs: Iterable[str], rename: Mapping[str, str]) -> list[str]:
    """Return our names of the columns of a file: matched without regard to case, then renamed.

    Refuse columns that are unknown or come twice, and a file that lacks one a workload needs.
    """
    theirs = [name.strip().lower() for name in theirs]
    wanted = {name.strip().lower(): ours for name, ours in rename.items()}
    for name in wanted:
        if name not in theirs:
            raise InputError(f"{path}: {UnknownNameError('column to rename', name, theirs)}")
    names = [wanted.get(name, name) for name in theirs]
    _check_names(path, [name for name in names if name != LEFT_OUT])
    return [f"-{at}" if name == LEFT_OUT else name for at, name in enumerate(names)]


def _check_names(path: Path, names: list[str]) -> None:
    if set(names) >= _OF_A_HISTORY:
        raise InputError(
            f"{path}: a table of job records, which lacks some of what a workload has; "
            "export the history as .jsonl, .json, .parquet, .swf, .gwf or .batsim.json instead"
        )
    seen = set()
    for name in names:
        if name not in COLUMNS:
            raise InputError(f"{path}: {UnknownNameError('column', name, COLUMNS)}")
        if name in seen:
            raise InputError(f"{path}: column {name} comes twice")
        seen.add(name)
    for name, column in COLUMNS.items():
        if column.required and name not in seen:
            raise InputError(f"{path}: has no column {name}, which a workload needs")


def frame_records(
    path: Path,
    frame: pl.DataFrame,
    lines: Array | None = None,
    factors: Mapping[str, float] | None = None,
) -> tuple[Records, Labels]:
    """Return the records of a frame with columns named as in ``COLUMNS``, and labels of its codes.

    An empty text or a null is a missing value; columns that are left out begin with ``-``.

    Args:
        path: the file, for messages.
        frame: the columns.
        lines: the line of each row.
        factors: by column, the factor that its numbers are multiplied by.
    """
    import polars as pl

    columns: dict[str, Array] = {}
    records = Records(path, columns, lines)
    frame = with_plain_gpus(with_plain_ids(frame))
    labels: Labels = {}
    for series in frame.select(name for name in frame.columns if name[0] != LEFT_OUT):
        if series.dtype in (pl.String, pl.Categorical, pl.Enum):
            series = series.cast(pl.String).replace("", None)
            if series.name in CODED:
                columns[series.name], names = _codes(series)
                labels |= {series.name: names} if names else {}
                _check_texts(records, series, names)
                continue
        columns[series.name] = _numbers(records, series, (factors or {}).get(series.name, 1))
    return records, labels


def _codes(texts: pl.Series) -> tuple[Array, tuple[str, ...]]:
    """Return numbers if all texts are numbers; else codes by first appearance, and their names."""
    import polars as pl

    numbers = texts.cast(pl.Int64, strict=False)
    if numbers.cast(pl.String).equals(texts):
        return numbers.fill_null(-1).to_numpy(), ()
    texts = texts.replace("-1", None)
    names = texts.drop_nulls().unique(maintain_order=True)
    codes = texts.replace_strict(names, range(len(names)), default=None, return_dtype=pl.Int64)
    return codes.fill_null(-1).to_numpy(), tuple(names)


def _check_texts(records: Records, texts: pl.Series, names: tuple[str, ...]) -> None:
    for name in names if texts.name in _PARSED else ():
        try:
            _PARSED[texts.name](name)
        except WorkloadError as error:
            raise records.error(texts.index_of(name) or 0, str(error)) from None


def _numbers(records: Records, series: pl.Series, factor: float) -> Array:
    """Return the numbers of a column; what is empty becomes the missing value."""
    name, column = series.name, COLUMNS[series.name]
    numbers = _parsed(series)
    if numbers is None:
        raise InputError(f"{records.path}: column {name} is {series.dtype}; must be numbers")
    bad = numbers.is_null() & (series.is_not_null() | column.required)
    bad |= numbers.is_infinite().fill_null(False)
    if bad.any():
        first = bad.arg_max() or 0
        found = "empty" if series[first] is None else f'"{series[first]}"'
        more = and_more(int(bad.sum()))
        raise records.error(first, f"{name} is {found}; must be a number{more}")
    numbers = numbers if factor == 1 else numbers * factor
    return numbers.to_numpy() if column.required else numbers.fill_null(column.missing).to_numpy()


def _parsed(series: pl.Series) -> pl.Series | None:
    """Return whole numbers if all are whole, which keeps long ones exact; None if not numbers."""
    import polars as pl

    if series.dtype == pl.String:
        texts = series.str.strip_chars()
        whole = texts.cast(pl.Int64, strict=False)
        exact = whole.null_count() == texts.null_count()
        return whole if exact else texts.cast(pl.Float64, strict=False)
    if series.dtype.is_numeric():
        return series.cast(pl.Int64 if series.dtype.is_integer() else pl.Float64, strict=False)
    return None
