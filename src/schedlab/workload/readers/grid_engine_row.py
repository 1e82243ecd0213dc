"""Rows of Grid Engine's ``accounting`` file, as accounting(5) describes them."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T", int, float)

FIELDS = (
    *("qname", "hostname", "group", "owner", "job_name", "job_number", "account", "priority"),
    *("submission_time", "start_time", "end_time", "failed", "exit_status", "ru_wallclock"),
    *("ru_utime", "ru_stime", "ru_maxrss", "ru_ixrss", "ru_ismrss", "ru_idrss", "ru_isrss"),
    *("ru_minflt", "ru_majflt", "ru_nswap", "ru_inblock", "ru_oublock", "ru_msgsnd"),
    *("ru_msgrcv", "ru_nsignals", "ru_nvcsw", "ru_nivcsw", "project", "department"),
    *("granted_pe", "slots", "task_number", "cpu", "mem", "io", "category", "iow"),
    *("pe_taskid", "maxvmem", "arid", "ar_submission_time"),
)
"""The 45 fields of release 8.1."""

_UNIVA_FIELDS = ("job_class", "qdel_info", "maxrss")
"""The first of the fields that Univa's and Altair's releases add behind these."""

_MILLISECONDS = 10**11
"""From here on a time is in milliseconds: in seconds it would lie after the year 5138."""

_PREFIXES = {
    **{"k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4},
    **{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40},
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a job, an array task, or one of the tasks a parallel job started on a host."""

    qname: str
    hostname: str
    owner: str
    job_name: str
    job: int
    task: int
    priority: int
    submitted: datetime | None
    started: datetime | None
    ended: datetime | None
    failed: int
    exit_status: int
    account: str
    project: str
    slots: int
    category: str
    is_slave: bool
    deleted: bool
    cpu_s: float
    maxrss_bytes: int
    maxvmem_bytes: int
    io_bytes: int


def parse_row(text: str) -> Row:
    """Return the row of a line, in seconds or milliseconds."""
    values = text.split(":")
    if len(values) < len(FIELDS):
        raise ValueError(f"{len(values)} fields; accounting has {len(FIELDS)} or more")
    named = dict(zip(FIELDS + _UNIVA_FIELDS, values, strict=False))
    get = named.__getitem__

    def whole(name: str) -> int:
        return _number(int, name, named[name])

    def number(name: str) -> float:
        return _number(float, name, named[name])

    return Row(
        qname=get("qname"),
        hostname=get("hostname"),
        owner=get("owner"),
        job_name=get("job_name"),
        job=whole("job_number"),
        task=whole("task_number"),
        priority=whole("priority"),
        submitted=_moment(whole("submission_time")),
        started=_moment(whole("start_time")),
        ended=_moment(whole("end_time")),
        failed=whole("failed"),
        exit_status=whole("exit_status"),
        account=get("account"),
        project="" if get("project") == "NONE" else get("project"),
        slots=whole("slots"),
        category=get("category"),
        is_slave=get("pe_taskid") not in ("NONE", ""),
        deleted=named.get("qdel_info", "NONE") != "NONE",
        cpu_s=number("cpu"),
        maxrss_bytes=int(number("maxrss") if named.get("maxrss") else number("ru_maxrss") * 1024),
        maxvmem_bytes=int(number("maxvmem")),
        io_bytes=int(number("io") * (1 << 30)),
    )


def _number(kind: type[T], name: str, text: str) -> T:
    with suppress(ValueError):
        number = kind(text)
        if math.isfinite(number):
            return number
    raise ValueError(f'{name} is "{text}"; must be a number')


def _moment(time: int) -> datetime | None:
    if time <= 0:
        return None
    seconds = time // 1000 if time >= _MILLISECONDS else time
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OSError, OverflowError):
        raise ValueError(f"{seconds:g} s after 1970 is not a time") from None


def requests_in(category: str) -> dict[str, str]:
    """Return what the category says was asked for with ``-l``: ``h_rt`` is nowhere else."""
    words = category.split()
    found: dict[str, str] = {}
    for option, value in pairwise(words):
        if option == "-l":
            pairs = (pair.partition("=") for pair in value.split(","))
            found |= {name: wanted or "1" for name, _, wanted in pairs}
    return found


def seconds_in(text: str | None) -> int | None:
    """Return seconds in ``300`` or ``[[hh:]mm:]ss``; ``None`` for INFINITY or nothing."""
    if not text or text.upper() == "INFINITY":
        return None
    total = 0
    for part in text.split(":"):
        total = total * 60 + int(float(part or 0))
    return total


def bytes_in(text: str | None) -> int | None:
    """Return the bytes in ``4G`` (binary) or ``4g`` (decimal), as Grid Engine writes memory."""
    if not text or text.upper() == "INFINITY":
        return None
    factor = _PREFIXES.get(text[-1])
    return int(float(text[:-1] if factor else text) * (factor or 1))
