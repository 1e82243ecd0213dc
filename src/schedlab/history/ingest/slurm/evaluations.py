"""When the scheduler last looked at each job: only the controller knows it, and forgets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from schedlab.errors import PeerError
from schedlab.history.ingest.clock import Clock
from schedlab.history.ingest.commands import output_of
from schedlab.history.ingest.slurm.job import SlurmJob
from schedlab.history.schema.fault import Fault
from schedlab.history.schema.times import from_epoch

_OPTIONS = (
    "--all",
    "--states=all",
    "--noheader",
    "--Format=JobArrayID:128,SubmitTime:40,LastSchedEval:40",
)
_ENVIRONMENT = {"TZ": "UTC", "SLURM_TIME_FORMAT": "%s"}


class Evaluations:
    """Remembers what ``squeue`` said of jobs that the accounting may tell of once more.

    Args:
        known: what is remembered from the reading before.
        since_s: jobs that ended before then are not read again, and need not be remembered.
    """

    def __init__(self, known: Mapping[str, int], since_s: float) -> None:
        self._found, self._since_s = dict(known), since_s
        self.kept: dict[str, int] = {}

    def ask(self, command: Sequence[str], clock: Clock) -> Iterator[Fault]:
        """Ask the controller; where it does not answer, the jobs are read all the same."""
        try:
            with output_of((*command, *_OPTIONS), _ENVIRONMENT) as stream:
                for line in stream:
                    jobid, submit, *evaluated = line.decode(errors="replace").split()
                    self._note(jobid, submit, "".join(evaluated), clock)
        except (PeerError, ValueError) as error:
            yield Fault(command[0], f"{error}; last_sched_eval_time is not collected")

    def of(self, job: SlurmJob) -> datetime | None:
        """When the scheduler last looked at this attempt at the job."""
        if not self._found:
            return None
        key = _key(job.jobid, job.submit)
        found_s = self._found.get(key)
        if found_s is None:
            return None
        if job.end is not None and job.end.timestamp() >= self._since_s:
            self.kept[key] = found_s
        return from_epoch(found_s)

    def _note(self, jobid: str, submit: str, evaluated: str, clock: Clock) -> None:
        moment = None if evaluated == "N/A" else clock.moment(evaluated)
        if moment is not None:
            self._found[_key(jobid, clock.moment(submit))] = int(moment.timestamp())


def _key(jobid: str, submit: datetime | None) -> str:
    return f"{jobid} {0 if submit is None else int(submit.timestamp())}"
