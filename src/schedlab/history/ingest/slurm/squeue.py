"""What ``squeue`` says of jobs; the accounting does not know or forgets most of it.

It shows when the scheduler last looked at a job, why a job waits, and which jobs are held or not
yet eligible: a job reaches the accounting only once it is eligible, and never if it is cancelled
before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from schedlab.errors import PeerError
from schedlab.history.ingest.clock import SiteClock, seconds_of
from schedlab.history.ingest.commands import output_of
from schedlab.history.ingest.slurm.job import SlurmJob
from schedlab.history.ingest.slurm.sacct_lines import new_delimiter
from schedlab.history.ingest.slurm.states import reason_of
from schedlab.history.ingest.slurm.tres import parse_tres
from schedlab.history.schema.fault import Fault
from schedlab.history.schema.job import JobState
from schedlab.history.schema.times import from_epoch

FIELDS = (
    *("JobArrayID", "SubmitTime", "LastSchedEval", "State", "Reason", "EligibleTime", "Cluster"),
    *("UserName", "Account", "Partition", "QOS", "TimeLimit", "tres", "Dependency", "Name"),
)
_OPTIONS = ("--all", "--states=all", "--noheader")
_ENVIRONMENT = {"TZ": "UTC", "SLURM_TIME_FORMAT": "%s"}
_FULFILLED = re.compile(r"\(\w+\)")
_NOTHING = frozenset({"", "N/A", "(null)"})
Row = list[str]


@dataclass(frozen=True)
class _Line:
    """A row of squeue, for a job or for the waiting tasks of an array."""

    row: Row

    @property
    def jobid(self) -> str:
        return self.row[0]

    @property
    def waits(self) -> bool:
        return self.row[3] == "PENDING"

    def key(self, clock: SiteClock) -> str:
        return _key(self.jobid, clock.moment(self.row[1]))

    def job(self, clock: SiteClock) -> SlurmJob:
        """Return the job as far as it is known while it waits."""
        told = dict(zip(FIELDS, (_known(each) for each in self.row), strict=True))
        dependency = _FULFILLED.sub("", told["Dependency"])
        return SlurmJob(
            told["JobArrayID"],
            JobState.PENDING,
            cluster=told["Cluster"],
            name=told["Name"],
            user=told["UserName"],
            account=told["Account"],
            partition=told["Partition"],
            qos=told["QOS"],
            submit=clock.moment(told["SubmitTime"]),
            eligible=clock.moment(told["EligibleTime"]) if told["EligibleTime"] else None,
            limit_s=int(seconds_of(told["TimeLimit"])) if told["TimeLimit"][:1].isdigit() else None,
            requested=parse_tres(told["tres"]),
            submit_line=f"sbatch --dependency={dependency}" if dependency else "",
            reason=reason_of(told["Reason"]),
        )


class Squeue:
    """Remembers what ``squeue`` said of jobs that may reach the accounting later.

    Args:
        evaluated: when the scheduler last looked at jobs, from the reading before.
        queued: the rows of jobs that were not in the accounting then.
        since_s: jobs that ended before then are not read again, and need not be remembered.
        clock: clock of the scheduler.
    """

    def __init__(
        self,
        evaluated: Mapping[str, int],
        queued: Mapping[str, Row],
        since_s: float,
        clock: SiteClock,
    ) -> None:
        self._evaluated, self._since_s, self._clock = dict(evaluated), since_s, clock
        self._lines: dict[str, _Line] = {}
        self._before = {key: _Line(row) for key, row in queued.items()}
        self._told: set[str] = set()
        self._has_answered = False
        self.kept: dict[str, int] = {}
        self.queued: dict[str, Row] = dict(queued)
        """Rows of waiting jobs that are not in the accounting."""

    def ask(self, command: Sequence[str]) -> Iterator[Fault]:
        """Ask the controller; a missing answer is a fault, and the jobs are read all the same."""
        delimiter = new_delimiter()
        form = "--Format=" + ",".join(f"{name}:{delimiter}" for name in FIELDS)
        try:
            with output_of((*command, *_OPTIONS, form), _ENVIRONMENT) as stream:
                text = stream.read().decode(errors="replace")
            lines = {line.key(self._clock): line for line in _lines(text, delimiter)}
        except (PeerError, ValueError) as error:
            yield Fault(command[0], f"{error}; last_sched_eval_time is not collected")
            return
        self._lines, self.queued = lines, {}
        for key, line in lines.items():
            moment = self._clock.moment(_known(line.row[2]) or "Unknown")
            if moment is not None:
                self._evaluated[key] = int(moment.timestamp())
        self._has_answered = True

    def complete(self, job: SlurmJob) -> None:
        """Add to a job of the accounting what only the controller knows."""
        key = _key(job.jobid, job.submit)
        self._told.add(key)
        line = self._lines.get(key)
        if line is not None and line.waits:
            job.reason = reason_of(line.row[4])
        found_s = self._evaluated.get(key)
        if found_s is not None:
            if job.end is not None and job.end.timestamp() >= self._since_s:
                self.kept[key] = found_s
            job.evaluated = from_epoch(found_s)

    def others(self, now_s: float) -> Iterator[SlurmJob]:
        """Yield waiting jobs that are not in the accounting, and those that were cancelled since.

        Args:
            now_s: latest moment at which jobs that are gone were cancelled.
        """
        if not self._has_answered:
            return
        for key, line in self._lines.items():
            if line.waits and key not in self._told:
                self.queued[key] = line.row
                yield line.job(self._clock)
        for key, line in self._before.items():
            known = self._lines.get(key)
            if key not in self._told and (known is None or known.row[3] == "CANCELLED"):
                end = from_epoch(int(now_s))
                yield replace(line.job(self._clock), state=JobState.CANCELLED, end=end)


def _lines(text: str, delimiter: str) -> Iterator[_Line]:
    cells = text.split(delimiter)
    for first in range(0, len(cells) - 1, len(FIELDS)):
        row = [cell.strip("\n") for cell in cells[first : first + len(FIELDS)]]
        if len(row) < len(FIELDS):
            raise ValueError("it prints rows without all columns")
        yield _Line(row)


def _known(text: str) -> str:
    return "" if text in _NOTHING else text


def _key(jobid: str, submit: datetime | None) -> str:
    """Return one key for an array's waiting tasks, written in several ways: 7_[1-3], 7_[1,2,3]."""
    known = jobid.partition("_[")[0]
    return f"{known} {0 if submit is None else int(submit.timestamp())}"
