"""Rows that ``sacct --parsable2`` prints: each job's own, and those of its steps below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

from schedlab.history.ingest.clock import SiteClock, limit_of_minutes, seconds_of
from schedlab.history.ingest.slurm.job import SlurmJob
from schedlab.history.ingest.slurm.sacct import JobAt
from schedlab.history.ingest.slurm.sacct_lines import Header, rows_in
from schedlab.history.ingest.slurm.states import state_of
from schedlab.history.ingest.slurm.tres import NOTHING, Tres, parse_amount, parse_tres
from schedlab.history.schema.fault import Fault

FIELDS = (
    *("JobID", "State", "Cluster", "JobName", "User", "Account", "Partition", "QOS"),
    *("Submit", "Eligible", "Start", "End", "TimelimitRaw", "ExitCode", "NNodes", "NCPUS"),
    *("ReqTRES", "AllocTRES", "NodeList", "Priority", "ReqCPUFreqGov", "TotalCPU", "MaxRSS"),
    *("ConsumedEnergyRaw", "Constraints", "Comment", "AdminComment", "SubmitLine"),
)
"""The columns that ``sacct`` is asked for."""

_OWN = (
    *("JobID", "State", "Cluster", "JobName", "User", "Account", "Partition", "QOS"),
    *("Submit", "Eligible", "Start", "End", "TimelimitRaw", "ExitCode", "ReqTRES", "AllocTRES"),
    *("NodeList", "Priority", "ReqCPUFreqGov", "TotalCPU", "ConsumedEnergyRaw", "SubmitLine"),
    *("Comment", "AdminComment", "Restarts", "NNodes", "NCPUS", "Constraints"),
    "Timelimit",
)
"""The columns that are read from a job's own row."""
_NO_VALUE = 1 << 62  # Slurm writes 2^64 - 2 and the like where there is no value


class _Columns:
    """Reads the values of a row, given the columns that the first line names."""

    def __init__(self, header: Header) -> None:
        self.place, self.names = header.place, header.names
        self._lacks_last = not header.is_closed
        self._taken: itemgetter[Any] = itemgetter(*(self.place(name) for name in _OWN))

    def own(self, row: list[str]) -> Any:
        """Return the texts of the columns in ``_OWN``.

        A column that does not exist gives the empty text behind the last one.
        """
        return self._taken([*row, ""]) if self._lacks_last else self._taken(row)

    def resources(self, column: str, text: str, nodes: str, cpus: str) -> Tres:
        """Return the resources of a column, or the counts alone if there is no such column."""
        if text:
            return parse_tres(text)
        if column in self.names:
            return NOTHING
        return Tres(nodes=_amount(nodes) or None, cpus=_amount(cpus) or None)


@dataclass(slots=True)
class _Rows:
    """A job's own row, as it was split, and those of its steps."""

    where: str
    own: list[str]
    prefix: str
    steps: list[list[str]] = field(default_factory=list)


def jobs_in(lines: Iterable[str], clock: SiteClock, label: str) -> Iterator[JobAt | Fault]:
    """Yield every job with its place; lines that make no row are a fault."""
    numbered = enumerate(lines, 1)
    header = Header(next(numbered, (0, ""))[1], label)
    columns, jobid_at = _Columns(header), header.place("JobID")
    rows: _Rows | None = None
    for found in rows_in(numbered, header, clock, label):
        if isinstance(found, Fault):
            yield found
            continue
        number, row = found
        jobid = row[jobid_at]
        if "." in jobid and "[" not in jobid:
            if rows is not None and jobid.startswith(rows.prefix):
                rows.steps.append(row)
        elif jobid != "JobID":
            if rows is not None:
                yield rows.where, partial(_job, columns, rows, clock)
            rows = _Rows(f"{label}:{number}: job {jobid}", row, jobid + ".")
    if rows is not None:
        yield rows.where, partial(_job, columns, rows, clock)


def _job(columns: _Columns, rows: _Rows, clock: SiteClock) -> SlurmJob:
    # fmt: off
    (
        jobid, state, cluster, name, user, account, partition, qos,
        submit, eligible, start, end, limit, exit_code, requested, allocated,
        hosts, priority, policy, cpu, energy, submit_line,
        comment, admin_comment, restarts, nodes, cpus, constraint,
        limit_text,
    ) = columns.own(rows.own)
    # fmt: on
    submitted = clock.moment(submit)
    became_eligible = submitted if eligible == submit else clock.moment(eligible, submitted)
    started = clock.moment(start, became_eligible or submitted)
    code, _, signal = exit_code.partition(":")
    job = SlurmJob(  # in the order of its fields: by name they would take three times as long
        jobid,
        state_of(state),
        cluster,
        name,
        user,
        account,
        partition,
        qos,
        submitted,
        became_eligible,
        started,
        clock.moment(end, started or submitted),
        limit_of_minutes(limit) if limit else _limit_s(limit_text),
        int(code or 0),
        int(signal or 0),
        columns.resources("ReqTRES", requested, nodes, cpus),
        columns.resources("AllocTRES", allocated, nodes, cpus),
        hosts,
        int(priority) if priority.isdigit() else None,
        "" if policy in ("Unknown", "0") else policy,
        submit_line,
        comment,
        admin_comment,
        cpu_s=seconds_of(cpu) if cpu else 0,
        energy_j=_amount(energy),
        attempt=int(restarts) + 1 if restarts else None,
        constraint=constraint,
    )
    if rows.steps:
        _fold(rows.steps, columns, job)
    return job


def _fold(steps: list[list[str]], columns: _Columns, job: SlurmJob) -> None:
    """Add values that only steps have; their energy if Slurm did not sum it, as after requeues."""
    jobid_at, rss_at, energy_at = map(columns.place, ("JobID", "MaxRSS", "ConsumedEnergyRaw"))
    job.has_batch_step = any(step[jobid_at].endswith(".batch") for step in steps)
    if rss_at >= 0:
        job.maxrss_bytes = max(_amount(step[rss_at]) for step in steps)
    if not job.energy_j and energy_at >= 0:
        job.energy_j = sum(_amount(step[energy_at]) for step in steps)


def _limit_s(text: str) -> int | None:
    """Return seconds of a limit such as ``1-12:00:00``; None for a word such as ``UNLIMITED``."""
    return int(seconds_of(text)) if text[:1].isdigit() else None


def _amount(text: str) -> int:
    amount = parse_amount(text) or 0 if text else 0
    return amount if amount < _NO_VALUE else 0
