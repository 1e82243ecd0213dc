"""One row per job: the columns of the tables that spreadsheets and data frames read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from operator import methodcaller
from typing import Any

from pydantic_core import to_json

from schedlab.history.export.exporter import Record
from schedlab.platform.hostlist import fold_hosts

Value = str | int | float | bool | None


def _item(*path: str) -> Callable[[Record], Any]:
    """Return a function that returns the item at this path of a record, or None."""
    *sections, item = path
    if not sections:
        return methodcaller("get", item)

    def found(record: Record) -> Any:
        for section in sections:
            record = record.get(section) or {}
        return record.get(item)

    return found


def _hosts(record: Record) -> str | None:
    names = [host["node_id"] for host in record.get("per_host") or ()]
    if len(names) < 2:
        return names[0] if names else None
    return fold_hosts(names)


def _over_hosts(item: str, fold: Callable[[list[float]], float]) -> Callable[[Record], Any]:
    """Return a function that folds an item of all hosts; None unless every host has it."""

    def found(record: Record) -> float | None:
        hosts = record.get("per_host")
        if not hosts or item not in hosts[0]:
            return None
        values = [host.get(item) for host in hosts]
        return None if None in values else fold(values)

    return found


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


COLUMNS: dict[str, tuple[type, Callable[[Record], Any]]] = {
    "cluster": (str, _item("cluster")),
    "jobid": (str, _item("jobid")),
    "attempt": (int, _item("attempt")),
    "state": (str, _item("state")),
    "queue_time": (datetime, _item("queue_time")),
    "eligible_time": (datetime, _item("eligible_time")),
    "start_time": (datetime, _item("start_time")),
    "end_time": (datetime, _item("end_time")),
    "req_walltime_sec": (float, _item("req_walltime_sec")),
    "num_host": (int, _item("resource_req", "num_host")),
    "num_cpu_perhost": (float, _item("resource_req", "num_cpu_perhost")),
    "mem_perhost_bytes": (float, _item("resource_req", "mem_perhost_bytes")),
    "num_accelerator_perhost": (float, _item("resource_req", "accelerator", "num_perhost")),
    "user_identifier": (str, _item("user_identifier")),
    "accounting_group": (str, _item("accounting_group")),
    "partition": (str, _item("partition")),
    "qos": (str, _item("qos")),
    "job_type": (str, _item("job_type")),
    "job_name": (str, _item("job_name")),
    "application": (str, _item("application")),
    "exit_status": (float, _item("exit_status")),
    "exit_signal": (int, _item("exit_signal")),
    "exclusive": (bool, _item("exclusive")),
    "hosts": (str, _hosts),
    "used_cpu_percent_avg": (float, _over_hosts("used_cpu_percent_avg", _mean)),
    "used_mem_bytes_max": (float, _over_hosts("used_mem_bytes_max", max)),
    "power_watt_avg": (float, _over_hosts("power_watt_avg", sum)),
    "maxpower_watt": (float, _item("maxpower_watt")),
    "energy_joule": (float, _item("energy", "total_joule")),
    "emission_gram": (float, _item("carbon", "emission_gram")),
}
"""The type of each column, and how its value is found in a record; times are texts there."""


def values(records: Sequence[Record], columns: Iterable[str] = COLUMNS) -> list[Iterable[Value]]:
    """Return the values of these columns, column by column, one value for each record."""
    return [map(COLUMNS[name][1], records) for name in columns]


def whole(record: Record) -> str:
    """Return the record as JSON, for tables that keep it whole in one column."""
    return to_json(record).decode()
