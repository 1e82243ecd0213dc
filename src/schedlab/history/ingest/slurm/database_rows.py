"""Rows of slurmdbd's job and step tables: numbers for states, resources and codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schedlab.history.ingest.slurm.job import SlurmJob
from schedlab.history.ingest.slurm.states import BY_NUMBER, FLAG_REQUEUED, STATES
from schedlab.history.ingest.slurm.tres import Tres, mebibytes, tres_of
from schedlab.history.schema.job import JobState
from schedlab.history.schema.times import from_epoch

_NO_NUMBER = 0xFFFFFFFE  # and one more for infinity
_NO_LONG_NUMBER = 1 << 62
_BATCH_STEP = -5


@dataclass(frozen=True)
class SlurmRows:
    """Makes jobs of rows, given the names of the numbered resources."""

    cluster: str
    resources: Mapping[int, str]

    def job(self, row: Any, steps: Sequence[Any]) -> SlurmJob:
        """Return the job of a row of the job table and of the rows of its steps."""
        code = row.exit_code
        allocated = self._tres(row.tres_alloc)
        return SlurmJob(
            jobid=_jobid(row),
            state=_state(row.state),
            cluster=self.cluster,
            name=row.job_name or "",
            user=row.user_name or "",
            account=row.account or "",
            partition=row.partition or "",
            qos=row.qos_name or "",
            submit=_moment(row.time_submit),
            eligible=_moment(row.time_eligible),
            start=_moment(row.time_start),
            end=_moment(row.time_end),
            limit_s=row.timelimit * 60 if row.timelimit < _NO_NUMBER else None,
            exit_code=code >> 8 & 255,
            signal=code & 127,
            requested=self._tres(row.tres_req),
            allocated=allocated,
            hosts=row.nodelist or "",
            priority=row.priority if row.priority < _NO_NUMBER else None,
            submit_line=getattr(row, "submit_line", None) or "",
            comment=getattr(row, "derived_es", None) or "",
            admin_comment=getattr(row, "admin_comment", None) or "",
            has_batch_step=any(s.id_step == _BATCH_STEP for s in steps) if steps else None,
            cpu_s=round(sum(_cpu_s(step) for step in steps), 6),
            maxrss_bytes=max((self._maxrss(step) for step in steps), default=0),
            energy_j=allocated.energy_j or sum(_energy(step) for step in steps),
            attempt=row.earlier_attempts + 1,
            constraint=getattr(row, "constraints", None) or "",
            array_limit=getattr(row, "array_max_tasks", None) or None,
        )

    def _tres(self, text: str) -> Tres:
        """Return the resources of ``1=4,2=200``: numbers of resources, memory in MiB."""
        return tres_of(
            (name, mebibytes(count) if name == "mem" else count)
            for name, count in self._amounts(text)
        )

    def _maxrss(self, step: Any) -> int:
        return dict(self._amounts(step.tres_usage_in_max)).get("mem", 0)

    def _amounts(self, text: str | None) -> list[tuple[str, int]]:
        pairs = (word.partition("=") for word in (text or "").split(",") if word)
        counts = ((self.resources.get(int(number), number), int(n)) for number, _, n in pairs)
        return [(name, count) for name, count in counts if count < _NO_LONG_NUMBER]


def _jobid(row: Any) -> str:
    if row.id_array_job:
        if row.id_array_task < _NO_NUMBER:
            return f"{row.id_array_job}_{row.id_array_task}"
        return f"{row.id_array_job}_[{_tasks(row.array_task_str)}]"
    if row.het_job_id and row.het_job_offset < _NO_NUMBER:
        return f"{row.het_job_id}+{row.het_job_offset}"
    return str(row.id_job)


def _tasks(text: str | None) -> str:
    """Return tasks as ``sacct`` lists them, from a list or a bit for each task."""
    if not text or not text.startswith("0x"):
        return text or ""
    bits = int(text, 16)
    return ",".join(str(task) for task in range(bits.bit_length()) if bits >> task & 1)


def _state(number: int) -> JobState:
    if number & FLAG_REQUEUED:
        return JobState.REQUEUED
    if number & 255 >= len(BY_NUMBER):
        raise ValueError(f"state is {number}, which slurmdbd is not known to have")
    return STATES[BY_NUMBER[number & 255]]


def _moment(seconds: int) -> datetime | None:
    return from_epoch(seconds) if 0 < seconds < _NO_LONG_NUMBER else None


def _cpu_s(step: Any) -> float:
    return float(step.user_sec + step.sys_sec + (step.user_usec + step.sys_usec) / 1e6)


def _energy(step: Any) -> int:
    energy = int(step.consumed_energy)
    return energy if energy < _NO_LONG_NUMBER else 0
