"""Slurm's job completion log, ``jobcomp/filetxt``: one line of ``Key=Value`` for each job."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from schedlab.history.ingest.clock import SiteClock, limit_of_minutes
from schedlab.history.ingest.records import made
from schedlab.history.ingest.slurm.job import SlurmJob, records_of
from schedlab.history.ingest.slurm.states import state_of
from schedlab.history.ingest.slurm.tres import Tres, parse_tres
from schedlab.history.ingest.source import AttemptCounter, Fault
from schedlab.history.ingest.text_input import ReadPosition, TextInput
from schedlab.history.schema.job import JobRecord, JobState

# Names are written as they are, with blanks and equal signs: a name goes up to the state.
_LINE = re.compile(r"(JobId=.*? )Name=(.*) (JobState=\S+ Partition=.*)", re.DOTALL)
_BROKEN_OFF = re.compile(r"JobId=\d.*? Name=")
_STATE = re.compile(r" JobState=\S+ Partition=")
_PAIR = re.compile(r"(\w+)=(\S*(?: (?!\w+=)\S+)*)")


@dataclass
class JobComp:
    """Reads the log from a file, or from what a command such as ``ssh head cat FILE`` prints.

    The times are those of the controller's clock, in ``time_zone``.
    """

    name: str
    file: str | None = None
    command: tuple[str, ...] | None = None
    cluster: str | None = None
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        self.cursor = ""
        self._input = TextInput(self.file, self.command)
        self._clock = SiteClock(self.time_zone)

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the jobs that ended since then."""
        place = ReadPosition.parse(since)
        attempts = AttemptCounter(place.memory.get("attempts"))
        for where, text in self._texts(place):
            yield from made(where, self._records, text, attempts)
        place.memory = {"attempts": attempts.known(int(time.time()))}
        self.cursor = str(place)

    def _texts(self, place: ReadPosition) -> Iterator[tuple[str, str]]:
        """Yield the place and the text of each job: a name may contain line ends.

        A line that breaks off within a name continues in the next line, whatever that looks like,
        or a user could forge the lines of others. The rest of the last line may not have been
        written yet.
        """
        began, parts = (0, 0), list[str]()
        for line in self._input.lines(place):
            if not parts:
                began = (place.offset, place.line)
            if parts or line.strip():
                parts.append(line)
            if parts and (_STATE.search(line) or not _BROKEN_OFF.match(parts[0])):
                yield f"{self._input.label}:{began[1] + 1}", "\n".join(parts)
                parts = []
        if parts:
            place.offset, place.line = began

    def _records(self, text: str, attempts: AttemptCounter) -> list[JobRecord]:
        match = _LINE.match(text)
        if match is None:
            raise ValueError("no line of jobcomp/filetxt: JobId=... Name=... JobState=...")
        pairs = dict(_PAIR.findall(match[1] + match[3]))
        return records_of(self._job(pairs, match[2]), attempts)

    def _job(self, pairs: dict[str, str], name: str) -> SlurmJob:
        get = pairs.get
        submit = self._clock.moment(pairs["SubmitTime"])
        eligible = self._clock.moment(get("EligibleTime", ""), submit)
        start = self._clock.moment(pairs["StartTime"], eligible or submit)
        end = self._clock.moment(pairs["EndTime"], start)
        code, _, signal = get("ExitCode", "").partition(":")
        tres = parse_tres(get("Tres", ""))
        return SlurmJob(
            jobid=_jobid(pairs),
            state=_state(pairs["JobState"]),
            cluster=get("Cluster") or self.cluster or "",
            name=name,
            user=pairs["UserId"].rpartition("(")[0],
            account=get("Account", ""),
            partition=get("Partition", ""),
            qos=get("QOS", ""),
            submit=submit,
            eligible=eligible,
            start=start,
            end=end,
            limit_s=limit_of_minutes(get("TimeLimit", "")),
            exit_code=int(code or 0),
            signal=int(signal or 0),
            requested=tres,
            allocated=Tres(int(pairs["NodeCnt"]) or None, int(pairs["ProcCnt"]), gpus=tres.gpus),
            hosts=get("NodeList", ""),
        )


def _state(text: str) -> JobState:
    """Return the state. Lines are written when jobs end, so a pending job was put back."""
    state = state_of(text)
    return JobState.REQUEUED if state is JobState.PENDING else state


def _jobid(pairs: dict[str, str]) -> str:
    if array := pairs.get("ArrayJobId"):
        return f"{array}_{pairs['ArrayTaskId']}"
    if het := pairs.get("HetJobId"):
        return f"{het}+{pairs['HetJobOffset']}"
    return pairs["JobId"]
