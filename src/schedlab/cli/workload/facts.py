"""Facts about a workload, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.analysis import Clock
from schedlab.errors import PlatformError

if TYPE_CHECKING:
    from schedlab.platform import HeaderSize
    from schedlab.workload import Workload

QUANTILES = {"min": 0.0, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95, "max": 1.0}
STATUS = {
    -1: "unknown",
    0: "failed",
    1: "completed",
    2: "to be continued",
    3: "last part, completed",
    4: "last part, failed",
    5: "cancelled",
}


def facts(workload: Workload) -> dict[str, Any]:
    """Return plain values, ready for JSON; None where something is not known."""
    size = _machine(workload)
    nodes = None if size is None else size.count
    return {
        "name": workload.name,
        "jobs": len(workload),
        "users": _count(workload, "user"),
        **_times(workload),
        "nodes": nodes,
        "counts": None if size is None else size.unit,
        "inferred": None if size is None else size.inferred,
        "offered_load": _finite(workload.offered_load(nodes)) if nodes else None,
        "mean_accuracy": _mean(workload["run_s"] / workload["request_s"]),
        "quantiles": _quantiles(workload),
        "status": _status(workload),
        "columns": list(workload.columns),
        "header": {key: list(values) for key, values in workload.header.items()},
        "report": {
            "records": workload.report.records,
            "repaired": dict(workload.report.repaired),
            "dropped": dict(workload.report.dropped),
            "noticed": dict(workload.report.noticed),
        },
    }


def _machine(workload: Workload) -> HeaderSize | None:
    from schedlab.platform import header_size

    try:
        return header_size(workload)
    except PlatformError:
        return None


def _count(workload: Workload, column: str) -> int | None:
    known = workload[column][workload[column] >= 0]
    return len(np.unique(known)) if len(known) else None


def _times(workload: Workload) -> dict[str, Any]:
    """Return first and last submission, in seconds of the trace and as dates."""
    submit = workload["submit_s"]
    first, last = (int(submit[0]), int(submit[-1])) if len(submit) else (None, None)
    return {
        "span_s": workload.span_s(),
        "first_submit_s": first,
        "last_submit_s": last,
        "first_submit": _date(workload, first),
        "last_submit": _date(workload, last),
    }


def _date(workload: Workload, time_s: int | None) -> str | None:
    """Return the time in the cluster's own zone, if the header says when the trace begins."""
    clock = Clock.of(workload.header)
    date = clock.at(time_s) if clock and time_s is not None else None
    return date.isoformat() if date else None


def _quantiles(workload: Workload) -> dict[str, dict[str, float] | None]:
    waited = workload["wait_s"][workload["wait_s"] >= 0]
    samples = {
        "nodes": workload["nodes"],
        "run_s": workload["run_s"],
        "request_s": workload["request_s"],
        "wait_s": waited,
        "gap_s": np.diff(workload["submit_s"]),
    }
    return {name: _spread(values) if len(values) else None for name, values in samples.items()}


def _spread(values: np.ndarray[Any, Any]) -> dict[str, float]:
    found = np.quantile(values, list(QUANTILES.values()))
    return {**dict(zip(QUANTILES, found.tolist(), strict=True)), "mean": float(values.mean())}


def _status(workload: Workload) -> dict[str, int] | None:
    if "status" not in workload:
        return None
    codes, counts = np.unique(workload["status"], return_counts=True)
    most_first = np.argsort(-counts, kind="stable")
    return {
        STATUS.get(code, f"code {code}"): count
        for code, count in zip(codes[most_first].tolist(), counts[most_first].tolist(), strict=True)
    }


def _mean(values: np.ndarray[Any, Any]) -> float | None:
    return float(values.mean()) if len(values) else None


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
