"""The jobs: a columnar table of rigid jobs, with where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedlab.errors import UnknownNameError, WorkloadError
from schedlab.workload.notebook import SHOWN, pandas_frame, preview

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Array = NDArray[Any]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Column:
    """One column of the table: its type, the value where nothing is known, and its meaning."""

    dtype: type
    missing: int | float | None
    meaning: str

    @property
    def required(self) -> bool:
        """Whether every workload must have the column."""
        return self.missing is None


COLUMNS: dict[str, Column] = {
    "job_id": Column(np.int64, None, "the source's number of the job; unique"),
    "submit_s": Column(np.int64, None, "submission time"),
    "nodes": Column(np.int64, None, "whole nodes the job occupies, at least 1"),
    "request_s": Column(np.int64, None, "run time the user asked for, at least 1"),
    "run_s": Column(np.int64, None, "run time the job really needs, at least 0"),
    "max_nodes": Column(np.int64, -1, "most nodes it can use; ``nodes`` is the least"),
    "tasks": Column(np.int64, -1, "tasks in total"),
    "tasks_per_node": Column(np.int64, -1, "most tasks on each node"),
    "cores_per_task": Column(np.int64, -1, "cores of each task"),
    "cores_per_node": Column(np.int64, -1, "cores used on each node"),
    "cores": Column(np.int64, -1, "cores in total, where not said by node"),
    "memory_per_node_kb": Column(np.float64, -1.0, "memory asked for on each node"),
    "gpus_per_node": Column(np.int64, -1, "GPUs used on each node"),
    "gpus": Column(np.int64, -1, "GPUs in total, where not said by node"),
    "gpu_type": Column(np.int64, -1, "the type that the GPUs must have"),
    "gpu_milli": Column(np.int64, -1, "thousandths of one GPU, where it needs only part of one"),
    "resources": Column(np.int64, -1, "others that it needs on each node, such as fpga:1+nvme:2"),
    "licences": Column(np.int64, -1, "what it holds of the site, such as matlab:2+ansys:1"),
    "exclusive": Column(np.int64, -1, "1 if it must have its nodes to itself, 0 if not"),
    "user": Column(np.int64, -1, "who submitted it"),
    "group": Column(np.int64, -1, "the user's group or project"),
    "queue": Column(np.int64, -1, "the queue it was submitted to"),
    "partition": Column(np.int64, -1, "the partition it ran in, or several: debug,general"),
    "constraint": Column(np.int64, -1, "features its nodes must have, such as a&(b|c)"),
    "account": Column(np.int64, -1, "the account that is charged"),
    "qos": Column(np.int64, -1, "its quality of service"),
    "job_name": Column(np.int64, -1, "what the user calls it"),
    "needs": Column(np.int64, -1, "nodes it needs of named clusters, such as north:4+south:2"),
    "application": Column(np.int64, -1, "the executable"),
    "status": Column(np.int64, -1, "as in SWF: 1 completed, 0 failed, 5 cancelled"),
    "depends_on": Column(np.int64, -1, "job_id that must end before this job is eligible"),
    "dependencies": Column(np.int64, -1, "what must happen first, such as afterok:12:13,after:14"),
    "array": Column(np.int64, -1, "the number of the array that it is a task of"),
    "array_index": Column(np.int64, -1, "its place in the array"),
    "array_limit": Column(np.int64, -1, "how many tasks of its array may run at a time"),
    "begin_after_s": Column(np.int64, -1, "not eligible before this long after submission"),
    "priority": Column(np.int64, -1, "its priority on the real machine; higher goes first"),
    "preemptible": Column(np.int64, -1, "1 if it may be preempted, 0 if not"),
    "requeue": Column(np.int64, -1, "0 if it is not run again when a node of it fails"),
    "checkpoint_s": Column(np.int64, -1, "how much run time passes between its checkpoints"),
    "think_time_s": Column(np.int64, -1, "delay between that end and eligibility"),
    "cancel_after_s": Column(np.int64, -1, "withdrawn if still waiting this long after submission"),
    "wait_s": Column(np.int64, -1, "how long it waited on the real machine"),
    "allocated_procs": Column(np.int64, -1, "processors it got, as the source counts them"),
    "requested_procs": Column(np.int64, -1, "processors it asked for, as the source counts them"),
    "cpu_time_s": Column(np.float64, -1.0, "mean CPU time used per processor"),
    "used_memory_kb": Column(np.float64, -1.0, "mean memory used per processor"),
    "requested_memory_kb": Column(np.float64, -1.0, "memory requested per processor"),
    "power_w": Column(np.float64, float("nan"), "mean power of the whole job"),
    "energy_j": Column(np.float64, float("nan"), "energy of the whole job"),
}


MOST_JOBS = 100_000_000
"""The most jobs drawn at a time; more would not fit into the memory of most machines."""

DISORDER = "not in order of submission, sorted"
"""Why jobs are not in the order in which they were given."""


@dataclass(frozen=True)
class ReadReport:
    """What a reader met: how many records, and what it repaired, dropped or merely noticed."""

    records: int = 0
    repaired: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    noticed: Mapping[str, int] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yield one sentence per kind, for people."""
        for what, counts in (
            ("repaired", self.repaired),
            ("dropped", self.dropped),
            ("noticed", self.noticed),
        ):
            for reason, count in counts.items():
                if count:
                    yield f"{what} {count:,} of {self.records:,}: {reason}"


class Workload:
    """A table of rigid jobs in order of submission.

    Columns are NumPy arrays (see ``COLUMNS``); one that was never given reads as its missing value.
    A workload is never changed: every operation returns a new one that remembers how it was made.
    """

    def __init__(
        self,
        columns: Mapping[str, ArrayLike],
        *,
        name: str = "workload",
        header: Mapping[str, Sequence[str]] | None = None,
        labels: Mapping[str, Sequence[str]] | None = None,
        report: ReadReport | None = None,
        provenance: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Check and store the columns; jobs that are not in order of submission are sorted.

        Args:
            columns: at least the required ones of ``COLUMNS``, of whole numbers where those are.
            name: what tables and pictures call it.
            header: the source's header, each key with all its values in order.
            labels: for coded columns such as ``user``: the name of each code 0, 1, ...
            report: what the reader repaired or dropped.
            provenance: the steps that made it, oldest first, each a JSON-able mapping with "step".
        """
        table = _checked(columns)
        late = _late(table["submit_s"])
        self._order: Array | None = None
        self._columns = table
        if late:
            self._columns, self._order = _sorted(table)
        self._absent: dict[str, Array] = {}  # columns that the source did not have, once asked for
        self._found: dict[Callable[[Workload], Any], Any] = {}
        self.name = name
        self.header = {key: tuple(values) for key, values in (header or {}).items()}
        self.labels = {key: tuple(values) for key, values in (labels or {}).items()}
        self.report = report or ReadReport(len(self), {DISORDER: late} if late else {})
        self.provenance = tuple(dict(step) for step in provenance)

    def __len__(self) -> int:
        return len(self._columns["job_id"])

    def __getstate__(self) -> dict[str, Any]:
        """Return all attributes but those that can be computed again."""
        return {**self.__dict__, "_absent": {}, "_found": {}}

    def __getitem__(self, column: str) -> Array:
        """Return the column, read-only.

        A column that the source did not have holds its missing value everywhere.
        """
        if column in self._columns:
            return self._columns[column]
        if column not in COLUMNS:
            raise UnknownNameError("column", column, COLUMNS)
        if column not in self._absent:
            spec = COLUMNS[column]
            usual: Array = np.asarray(spec.missing, dtype=spec.dtype)
            self._absent[column] = np.broadcast_to(usual, len(self))
        return self._absent[column]

    def __contains__(self, column: str) -> bool:
        return column in self._columns

    def __eq__(self, other: object) -> bool:
        """Return whether the jobs and columns are the same; names and provenance may differ."""
        if not isinstance(other, Workload):
            return NotImplemented
        return self._columns.keys() == other._columns.keys() and all(
            np.array_equal(self[key], other[key], equal_nan=self[key].dtype.kind == "f")
            for key in self._columns
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Workload({self.name!r}, {len(self):,} jobs)"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first jobs."""
        return preview(repr(self), self.take(np.arange(min(SHOWN, len(self)))).frame())

    @property
    def given_order(self) -> Array:
        """The position of each job here, in the order in which the columns were given.

        ``schedule.start_s[workload.given_order]`` are the starts in the caller's order.
        """
        return np.arange(len(self)) if self._order is None else np.argsort(self._order)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns the source had, in the order of ``COLUMNS``."""
        return tuple(name for name in COLUMNS if name in self._columns)

    def take(self, which: Array) -> Workload:
        """Return the jobs chosen by a boolean mask or by positions."""
        return self.with_columns({key: values[which] for key, values in self._columns.items()})

    def replace(self, **columns: ArrayLike) -> Workload:
        """Return the same jobs with some columns changed or added."""
        return self.with_columns({**self._columns, **columns})

    def with_columns(self, columns: Mapping[str, ArrayLike]) -> Workload:
        """Return other jobs, given by all columns, under the same name, header and provenance."""
        return Workload(
            columns,
            name=self.name,
            header=self.header,
            labels=self.labels,
            report=self.report,
            provenance=self.provenance,
        )

    def record(self, step: str, **details: Any) -> Workload:
        """Return the same workload, remembering one more step of how it was made."""
        made = self.with_columns(self._columns)
        made.provenance = (*self.provenance, {"step": step, **details})
        made._order = self._order
        return made

    def frame(self) -> pl.DataFrame:
        """Return the table as a Polars frame; coded columns with labels come as text."""
        import polars as pl

        texts = {key: pl.String for key in self.labels if key in self}
        columns = {key: self.labelled(key) for key in self.columns}
        return pl.DataFrame(columns, schema_overrides=texts)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas frame (needs pandas)."""
        return pandas_frame(self.frame())

    def labelled(self, column: str) -> Array:
        """Return the column, with codes replaced by their labels where there are labels."""
        values, names = self[column], self.labels.get(column)
        if names is None:
            return values
        return np.asarray([*names, ""], dtype=object)[np.where(values < 0, len(names), values)]

    def span_s(self) -> int:
        """Return time from the first to the last submission."""
        return int(self["submit_s"][-1] - self["submit_s"][0]) if len(self) else 0

    def offered_load(self, nodes: int) -> float:
        """Return node-seconds of work submitted per node-second: Σ(run · nodes) / (N · span)."""
        work = float(np.dot(self["run_s"].astype(float), self["nodes"].astype(float)))
        return work / (nodes * self.span_s()) if self.span_s() > 0 else float("inf")

    def once(self, find: Callable[[Workload], Found]) -> Found:
        """Return the function's result; it is called only once, since the jobs never change.

        The result is kept and shared: do not change it.
        """
        if find not in self._found:
            self._found[find] = find(self)
        found: Found = self._found[find]
        return found

    def dependency_index(self) -> NDArray[np.int32]:
        """Return for each job the position of the job it waits for, or -1."""
        if "depends_on" not in self:
            return np.full(len(self), -1, dtype=np.int32)
        ids, wanted = self["job_id"], self["depends_on"]
        order = np.argsort(ids, kind="stable")
        place = np.minimum(np.searchsorted(ids, wanted, sorter=order), max(len(ids) - 1, 0))
        found = order[place] if len(ids) else place
        known = (wanted >= 0) & (ids[found] == wanted)
        return np.where(known, found, -1).astype(np.int32)


def require_workload(given: object) -> None:
    """Refuse what a user may take for a workload: a path, a table, a mapping of columns."""
    if not isinstance(given, Workload):
        raise WorkloadError(
            f"the jobs are a {type(given).__name__}; must be a Workload: read a file with "
            "read_workload(path), or make one with Workload(columns)"
        )


def _checked(columns: Mapping[str, ArrayLike]) -> dict[str, Array]:
    """Return columns of the right types, with nothing impossible in them."""
    if not hasattr(columns, "items"):
        kind = type(columns).__name__
        raise WorkloadError(f"the columns are a {kind}; must be a mapping of names to values")
    for name in columns:
        if name not in COLUMNS:
            raise UnknownNameError("column", name, COLUMNS)
    absent = [name for name, column in COLUMNS.items() if column.required and name not in columns]
    if absent:
        raise WorkloadError(f"a workload needs the column {absent[0]}")
    table = {name: _typed(name, values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in table.items()}
    if len(set(lengths.values())) > 1:
        raise WorkloadError(f"columns of different lengths: {lengths}")
    for name, least in (("nodes", 1), ("request_s", 1), ("run_s", 0), ("submit_s", 0)):
        _at_least(table, name, least)
    _unique_ids(table["job_id"])
    for values in table.values():
        values.flags.writeable = False
    return table


def _late(submit: Array) -> int:
    """Return how many jobs stand behind one that was submitted later."""
    return int(np.count_nonzero(submit < np.maximum.accumulate(submit)))


def _sorted(table: Mapping[str, Array]) -> tuple[dict[str, Array], Array]:
    """Return the columns in order of submission, and that order."""
    order = np.argsort(table["submit_s"], kind="stable")
    columns = {name: values[order] for name, values in table.items()}
    for values in columns.values():
        values.flags.writeable = False
    return columns, order


def _typed(name: str, values: ArrayLike) -> Array:
    dtype = COLUMNS[name].dtype
    if _shareable(values, dtype):
        return np.asarray(values)
    try:
        given = np.array(values, ndmin=1)
        with np.errstate(invalid="ignore"):  # what is not a number is refused below
            array: Array = given.astype(dtype, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise WorkloadError(f"column {name}: {error}") from None
    if array.ndim != 1:
        raise WorkloadError(f"column {name} has {array.ndim} dimensions; must have 1")
    if given.dtype.kind in "mM":
        raise WorkloadError(f"column {name} holds dates or spans of time; must hold seconds")
    if dtype is np.int64 and given.dtype.kind in "fuO":
        _refuse_changed(name, given, array)
    return array


def _refuse_changed(name: str, given: Array, whole: Array) -> None:
    changed = np.flatnonzero(whole != given)
    if len(changed):
        raise WorkloadError(
            f"column {name}: row {changed[0]} is {given[changed[0]]}; "
            "must be a whole number of 64 bits"
        )


def _shareable(values: ArrayLike, dtype: type) -> bool:
    """Return whether the array can be kept without a copy: it is read-only."""
    return (
        isinstance(values, np.ndarray)
        and values.dtype == dtype
        and values.ndim == 1
        and values.flags.c_contiguous
        and not values.flags.writeable
    )


def _at_least(table: Mapping[str, Array], name: str, least: int) -> None:
    low = np.flatnonzero(table[name] < least)
    if len(low):
        job, value = table["job_id"][low[0]], table[name][low[0]]
        raise WorkloadError(f"job {job}: {name} is {value}; must be >= {least}")


def _unique_ids(ids: Array) -> None:
    if np.all(ids[1:] > ids[:-1]):
        return
    ordered = np.sort(ids)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        raise WorkloadError(f"job {twice[0]} occurs more than once; job_id must be unique")
