"""Rows that ``sacct --parsable2`` prints: each job's own, and those of its steps below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from schedlab.errors import InputError
from schedlab.history.ingest.clock import Clock, limit_of_minutes, seconds_of
from schedlab.history.ingest.slurm.job import SlurmJob
from schedlab.history.ingest.slurm.sacct import JobAt
from schedlab.history.ingest.slurm.states import state_of
from schedlab.history.ingest.slurm.tres import NOTHING, Tres, parse_amount, parse_tres
from schedlab.history.schema.fault import Fault

UNIT_SEPARATOR = "\x1f"

FIELDS = (
    *("JobID", "State", "Cluster", "JobName", "User", "Account", "Partition", "QOS"),
    *("Submit", "Eligible", "Start", "End", "TimelimitRaw", "ExitCode", "NNodes", "NCPUS"),
    *("ReqTRES", "AllocTRES", "NodeList", "Priority", "ReqCPUFreqGov", "TotalCPU", "MaxRSS"),
    *("ConsumedEnergyRaw", "SubmitLine"),
)
"""What is asked of ``sacct``. SubmitLine is the last: it may hold the ends of lines."""

_NEEDED = ("JobID", "State", "Submit", "Start", "End")
_NO_VALUE = 1 << 62  # Slurm writes 2^64 - 2 and the like where there is no value

Row = dict[str, str]


@dataclass(slots=True)
class _Rows:
    """A job's own row, as it was split, and those of its steps."""

    where: str
    own: list[str]
    prefix: str
    steps: list[list[str]] = field(default_factory=list)


def jobs_in(lines: Iterable[str], clock: Clock, label: str) -> Iterator[JobAt | Fault]:
    """Every job with where it stands; a row that does not fit the header is a fault."""
    numbered = enumerate(lines, 1)
    _, header = next(numbered, (0, ""))
    delimiter = UNIT_SEPARATOR if UNIT_SEPARATOR in header else "|"
    names = _names(header, delimiter, label)
    jobid_at = names.index("JobID")
    rows: _Rows | None = None
    for number, line in numbered:
        row = line.split(delimiter)
        if len(row) != len(names):
            if line and not (len(row) == 1 and names[-1] == "SubmitLine"):
                yield Fault(f"{label}:{number}", _misfit(len(row), len(names)))
            continue
        jobid = row[jobid_at]
        if "." in jobid and "[" not in jobid:
            if rows is not None and jobid.startswith(rows.prefix):
                rows.steps.append(row)
        elif line != header:
            if rows is not None:
                yield rows.where, partial(_job, names, rows, clock)
            rows = _Rows(f"{label}:{number}", row, jobid + ".")
    if rows is not None:
        yield rows.where, partial(_job, names, rows, clock)


def _misfit(fields: int, named: int) -> str:
    hint = "; ask sacct for --delimiter=$'\\x1f'" if fields > named else ""
    return f"{fields} fields where the header names {named}{hint}"


def _names(header: str, delimiter: str, label: str) -> list[str]:
    names = header.split(delimiter)
    lacking = [name for name in _NEEDED if name not in names]
    if lacking:
        reason = f"no {', '.join(lacking)}; must be the header of sacct --parsable2"
        raise InputError.at(label, 1, reason)
    return names


def _job(names: list[str], rows: _Rows, clock: Clock) -> SlurmJob:
    row = dict(zip(names, rows.own, strict=True))
    get = row.get
    submit, eligible, start, end = _times(row, clock)
    code, _, signal = get("ExitCode", "").partition(":")
    policy, priority = get("ReqCPUFreqGov", ""), get("Priority", "")
    job = SlurmJob(
        jobid=row["JobID"],
        state=state_of(row["State"]),
        cluster=get("Cluster", ""),
        name=get("JobName", ""),
        user=get("User", ""),
        account=get("Account", ""),
        partition=get("Partition", ""),
        qos=get("QOS", ""),
        submit=submit,
        eligible=eligible,
        start=start,
        end=end,
        limit_s=limit_of_minutes(get("TimelimitRaw", "")),
        exit_code=int(code or 0),
        signal=int(signal or 0),
        requested=_tres(row, "ReqTRES"),
        allocated=_tres(row, "AllocTRES"),
        hosts=get("NodeList", ""),
        priority=int(priority) if priority.isdigit() else None,
        frequency_policy="" if policy in ("Unknown", "0") else policy,
        submit_line=get("SubmitLine", ""),
        cpu_s=seconds_of(get("TotalCPU") or "0"),
        energy_j=_amount(get("ConsumedEnergyRaw", "")),
        attempt=int(restarts) + 1 if (restarts := get("Restarts")) else None,
    )
    if rows.steps:
        _fold(rows.steps, names, job)
    return job


def _fold(steps: list[list[str]], names: list[str], job: SlurmJob) -> None:
    """Add what only the steps have; their energy if Slurm did not sum it up, as after requeues."""
    jobid_at = names.index("JobID")
    job.has_batch_step = any(step[jobid_at].endswith(".batch") for step in steps)
    if "MaxRSS" in names:
        at = names.index("MaxRSS")
        job.maxrss_bytes = max(_amount(step[at]) for step in steps)
    if not job.energy_j and "ConsumedEnergyRaw" in names:
        at = names.index("ConsumedEnergyRaw")
        job.energy_j = sum(_amount(step[at]) for step in steps)


def _times(row: Row, clock: Clock) -> tuple[datetime | None, ...]:
    """Submit, Eligible, Start and End: each no earlier than the one before."""
    submit = clock.moment(row["Submit"])
    eligible = clock.moment(row.get("Eligible", ""), submit)
    start = clock.moment(row["Start"], eligible or submit)
    end = clock.moment(row["End"], start or submit)
    return submit, eligible, start, end


def _tres(row: Row, column: str) -> Tres:
    if text := row.get(column):
        return parse_tres(text)
    if column in row:
        return NOTHING
    nodes, cpus = _amount(row.get("NNodes", "")), _amount(row.get("NCPUS", ""))
    return Tres(nodes=nodes or None, cpus=cpus or None)


def _amount(text: str) -> int:
    amount = parse_amount(text) or 0 if text else 0
    return amount if amount < _NO_VALUE else 0
