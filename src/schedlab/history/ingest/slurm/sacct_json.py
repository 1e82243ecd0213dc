"""Slurm's accounting from ``sacct --json``, in the shapes of Slurm 21.08 to 25."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import IO, Any

from pydantic_core import from_json

from schedlab.errors import InputError
from schedlab.history.ingest.slurm.job import SlurmJob
from schedlab.history.ingest.slurm.sacct import JobAt, Sacct
from schedlab.history.ingest.slurm.states import reason_of, state_of
from schedlab.history.ingest.slurm.tres import Tres, mebibytes, tres_of
from schedlab.history.ingest.source import Fault
from schedlab.history.schema.times import from_epoch


@dataclass
class SacctJson(Sacct):
    """Reads the JSON form. Numbers are plain ones, or ``{set, infinite, number}`` since 23.02."""

    def options(self) -> tuple[str, ...]:
        """Return the options of ``sacct``."""
        return ("--json",)

    def jobs(self, stream: IO[bytes], label: str) -> Iterator[JobAt | Fault]:
        """Yield every job with its path; if the document was cut off, the jobs before the cut."""
        text, broken = stream.read(), None
        try:
            document = from_json(text)
        except ValueError as error:
            document, broken = _beginning(text), InputError(f"{label}: not JSON: {error}")
        jobs = document.get("jobs") if isinstance(document, dict) else None
        if not isinstance(jobs, list):
            raise broken or InputError(f"{label}: $.jobs is missing; {_complaint(document)}")
        for index, job in enumerate(jobs):
            yield f"{label}: $.jobs[{index}]", partial(_job, job)
        if broken is not None:
            raise broken


def _beginning(text: bytes) -> Any:
    """Return the whole jobs before the place where a document was cut off."""
    try:
        document = from_json(text, allow_partial=True)
    except ValueError:
        return None
    if isinstance(document, dict) and list(document)[-1:] == ["jobs"]:
        document["jobs"] = document["jobs"][:-1]
    return document


def _complaint(document: Any) -> str:
    errors = document.get("errors") if isinstance(document, dict) else None
    if isinstance(errors, list) and errors:
        return f"Slurm says: {errors[0].get('description') or errors[0]}"
    return "must be what sacct --json prints"


def number(value: Any) -> int | None:
    """Return the number in either shape; ``None`` where it is not set or infinite."""
    if isinstance(value, dict):
        if not value.get("set", True) or value.get("infinite"):
            return None
        value = value.get("number")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def first(value: Any) -> str:
    """Return the text, or the first of a list of texts: newer releases list states."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return value or ""


def _job(job: dict[str, Any]) -> SlurmJob:
    time, steps = job["time"], job.get("steps") or []
    code, signal = _exit(job.get("exit_code") or {})
    restarts, comment = number(job.get("restart_cnt")), job.get("comment") or {}
    return SlurmJob(
        jobid=_jobid(job),
        state=_state(job["state"]["current"]),
        cluster=job.get("cluster") or "",
        name=job.get("name") or "",
        user=job.get("user") or (job.get("association") or {}).get("user") or "",
        account=job.get("account") or "",
        partition=job.get("partition") or "",
        qos=job.get("qos") or "",
        submit=_moment(time.get("submission")),
        eligible=_moment(time.get("eligible")),
        start=_moment(time.get("start")),
        end=_moment(time.get("end")),
        limit_s=None if (limit := number(time.get("limit"))) is None else limit * 60,
        exit_code=code,
        signal=signal,
        requested=_tres(job, "requested"),
        allocated=_tres(job, "allocated"),
        hosts=job.get("nodes") or "",
        priority=number(job.get("priority")),
        submit_line=job.get("submit_line") or "",
        comment=comment.get("job") or "",
        admin_comment=comment.get("administrator") or "",
        has_batch_step=any(_is_batch(step) for step in steps) if steps else None,
        cpu_s=round(sum(_cpu_s(step) for step in steps), 6),
        maxrss_bytes=max((_maxrss(step) for step in steps), default=0),
        energy_j=_tres(job, "allocated").energy_j or sum(_energy(step) for step in steps),
        attempt=None if restarts is None else restarts + 1,
        constraint=job.get("constraints") or "",
        array_limit=_array_limit(job.get("array") or {}),
        reason=reason_of(job["state"].get("reason") or ""),
    )


def _jobid(job: dict[str, Any]) -> str:
    array, het = job.get("array") or {}, job.get("het") or {}
    if parent := number(array.get("job_id")):
        task = number(array.get("task_id"))
        return f"{parent}_{task}" if task is not None else f"{parent}_[{array.get('task')}]"
    if parent := number(het.get("job_id")):
        return f"{parent}+{number(het.get('job_offset')) or 0}"
    return str(job["job_id"])


def _array_limit(array: dict[str, Any]) -> int | None:
    most = ((array.get("limits") or {}).get("max") or {}).get("running") or {}
    return number(most.get("tasks")) or None


def _state(current: Any) -> Any:
    """Return the state; newer releases add flags to a base state, of which REQUEUED counts."""
    names = current if isinstance(current, list) else [current]
    return state_of("REQUEUED" if "REQUEUED" in names else first(names))


def _moment(value: Any) -> datetime | None:
    seconds = number(value)
    return from_epoch(seconds) if seconds else None


def _exit(code: dict[str, Any]) -> tuple[int, int]:
    signal = code.get("signal") or {}
    number_of_signal = number(signal.get("signal_id", signal.get("id"))) or 0
    return number(code.get("return_code")) or 0, number_of_signal


def _tres(job: dict[str, Any], kind: str) -> Tres:
    listed = (job.get("tres") or {}).get(kind) or []
    return tres_of((_name(each), _count(each)) for each in listed)


def _name(each: dict[str, Any]) -> str:
    name = each.get("name")
    return f"{each.get('type')}/{name}" if name else str(each.get("type"))


def _count(each: dict[str, Any]) -> int | None:
    count = number(each.get("count"))
    return mebibytes(count) if each.get("type") == "mem" else count


def _is_batch(step: dict[str, Any]) -> bool:
    names = step.get("step") or {}
    return "batch" in (names.get("name"), names.get("id")) or str(names.get("id")) == "-5"


def _cpu_s(step: dict[str, Any]) -> float:
    total = (step.get("time") or {}).get("total") or {}
    return (number(total.get("seconds")) or 0) + (number(total.get("microseconds")) or 0) / 1e6


def _maxrss(step: dict[str, Any]) -> int:
    listed = ((step.get("tres") or {}).get("requested") or {}).get("max") or []
    return max(
        (number(each.get("count")) or 0 for each in listed if each["type"] == "mem"), default=0
    )


def _energy(step: dict[str, Any]) -> int:
    energy = (step.get("statistics") or {}).get("energy") or {}
    return number(energy.get("consumed")) or 0
