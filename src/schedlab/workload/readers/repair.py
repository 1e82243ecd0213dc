"""Repair the faults that real archives contain, and count every repair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from schedlab.errors import InputError
from schedlab.workload.readers.reader import ReadOptions
from schedlab.workload.readers.records import Records, Tally
from schedlab.workload.workload import COLUMNS, DISORDER, Array, ReadReport

NO_REQUEST = "no requested time, run time taken"
"""Why a request is repaired; an analysis of requests must know how many of them are."""

_CANCELLED = 5
_CANCELLED_AT_0 = "cancelled while waiting (run time 0, no processors)"
_SHORT_S = 10  # as RLScheduler reads traces (Zhang et al., SC20)
_LARGEST = 2.0**53

Columns = dict[str, Array]


def repair(records: Records, options: ReadOptions) -> tuple[Columns, ReadReport]:
    """Return columns fit for a workload, in order of submission, and a report of the repairs."""
    if not len(records):
        raise InputError(f"{records.path}: has no jobs")
    tally = Tally(records)
    columns = _whole_numbers(records, tally)
    for rule in _RULES:
        rule(columns, tally, options)
    report = tally.report(strict=options.strict)
    kept = np.flatnonzero(tally.keep)
    if not len(kept):
        raise InputError(f"{records.path}: no usable job; {'; '.join(report.lines())}")
    order = kept[np.argsort(columns["submit_s"][kept], kind="stable")]
    return _stored(columns, order), report


def _whole_numbers(records: Records, tally: Tally) -> Columns:
    columns = dict(records.columns)
    request = columns["request_s"]
    short = (request > 0) & (request < 1)
    tally.repair(short, "requested time below 1 s, set to 1 s")
    columns["request_s"] = np.where(short, 1, request)
    rounded = np.zeros(len(records), dtype=bool)
    for name, values in columns.items():
        if COLUMNS[name].dtype is np.int64 and values.dtype.kind == "f":
            _refuse_huge(records, name, values)
            whole = np.rint(values)
            rounded |= whole != values
            columns[name] = whole.astype(np.int64)
    tally.repair(rounded, "value with a fraction, rounded to an integer")
    return columns


def _refuse_huge(records: Records, name: str, values: Array) -> None:
    huge = ~(np.abs(values) < _LARGEST)
    if huge.any():
        record = int(np.argmax(huge))
        raise records.error(record, f"{name} is {values[record]:g}; must be below 2^53 in size")


def _column(columns: Columns, name: str) -> Array:
    missing = np.asarray(COLUMNS[name].missing)
    return columns.get(name, np.broadcast_to(missing, len(columns["job_id"])))


def _withdraw_cancelled(columns: Columns, tally: Tally, options: ReadOptions) -> None:
    run, wait = columns["run_s"], _column(columns, "wait_s")
    cancel_after = _column(columns, "cancel_after_s")
    never_ran = (run < 0) | ((run == 0) & (_column(columns, "allocated_procs") <= 0))
    withdrawn = (_column(columns, "status") == _CANCELLED) & (wait >= 0) & never_ran
    withdrawn &= cancel_after < 0
    if options.cancelled == "replay":
        tally.notice(withdrawn, "cancelled while waiting, replayed")
        columns["run_s"] = np.where(withdrawn, 0, run)
        columns["cancel_after_s"] = np.where(withdrawn, wait, cancel_after)
    elif options.cancelled == "short":
        tally.repair(run < 0, "never ran (run time below 0), given a run of 10 s")
        tally.repair(withdrawn & (run == 0), f"{_CANCELLED_AT_0}, given a run of 10 s")
        columns["run_s"] = np.where((run < 0) | withdrawn, _SHORT_S, run)
    else:
        tally.drop(withdrawn & (run == 0), _CANCELLED_AT_0)


def _drop_impossible(columns: Columns, tally: Tally, _: ReadOptions) -> None:
    tally.drop(columns["run_s"] < 0, "never ran (run time below 0)")
    tally.drop(columns["submit_s"] < 0, "submitted before time 0")


def _choose_processors(columns: Columns, tally: Tally, options: ReadOptions) -> None:
    if "nodes" not in columns:
        wanted, other = options.procs, "requested" if options.procs == "allocated" else "allocated"
        counts, stand_ins = _column(columns, f"{wanted}_procs"), _column(columns, f"{other}_procs")
        stands_in = (counts <= 0) & (stand_ins > 0)
        tally.repair(stands_in, f"no {wanted} processors, {other} ones taken")
        columns["nodes"] = np.where(stands_in, stand_ins, counts)
    tally.drop(columns["nodes"] <= 0, "no processors")


def _complete_requests(columns: Columns, tally: Tally, _: ReadOptions) -> None:
    run, request = columns["run_s"], columns["request_s"]
    missing = request <= 0
    tally.repair(missing, NO_REQUEST)
    columns["request_s"] = np.where(missing, np.maximum(run, 1), request)


def _renumber_duplicates(columns: Columns, tally: Tally, _: ReadOptions) -> None:
    ids, kept = columns["job_id"], np.flatnonzero(tally.keep)
    firsts = kept[np.unique(ids[kept], return_index=True)[1]]
    again = tally.keep.copy()
    again[firsts] = False
    again |= tally.keep & (ids < 0)
    tally.repair(again, "job number missing or met before, renumbered")
    fresh = max(int(ids.max()), 0) + np.cumsum(again)
    columns["job_id"] = np.where(again, fresh, ids)


def _cut_dependencies(columns: Columns, tally: Tally, _: ReadOptions) -> None:
    if "depends_on" not in columns:
        return
    ids, wanted = columns["job_id"], columns["depends_on"]
    lost = wanted >= 0
    lost[lost] = ~np.isin(wanted[lost], ids[tally.keep])
    lost |= (wanted >= 0) & (wanted == ids)
    tally.repair(lost, "preceding job is not among the jobs, dependency removed")
    columns["depends_on"] = np.where(lost, -1, wanted)


def _note_disorder(columns: Columns, tally: Tally, _: ReadOptions) -> None:
    kept = np.flatnonzero(tally.keep)
    submit = columns["submit_s"][kept]
    late = np.zeros(len(tally.keep), dtype=bool)
    late[kept] = submit < np.maximum.accumulate(submit)
    tally.repair(late, DISORDER)


def _note_oddities(columns: Columns, tally: Tally, _: ReadOptions) -> None:
    tally.notice(columns["run_s"] > columns["request_s"], "ran longer than requested")
    tally.notice(columns["run_s"] == 0, "run time of 0 s")


_RULES: tuple[Callable[[Columns, Tally, ReadOptions], None], ...] = (
    _withdraw_cancelled,
    _drop_impossible,
    _choose_processors,
    _complete_requests,
    _renumber_duplicates,
    _cut_dependencies,
    _note_disorder,
    _note_oddities,
)


def _stored(columns: Columns, order: Array) -> Columns:
    """Return the kept records in order; a column in which everything is missing is left out."""
    stored = {}
    for name in list(columns):
        values, missing = columns.pop(name)[order], COLUMNS[name].missing
        if missing is None or np.any((values != missing) & (values == values)):
            values.flags.writeable = False
            stored[name] = values
    return stored
