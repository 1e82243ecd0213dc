"""A running scheduler as its twin knows it: the state at the last reading, and a while before."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from schedlab.errors import ParameterError
from schedlab.live.queue import LiveJob, LiveStage, Owner, Reading
from schedlab.platform.hostlist import expand_hosts, fold_hosts
from schedlab.platform.intervals import Drain
from schedlab.platform.platform import Platform
from schedlab.slurm.commands import Command
from schedlab.slurm.job_rows import JobColumns, JobDetails, history_of_rows, split_id
from schedlab.slurm.site import SlurmHistory, SlurmSite

KEPT_S = 3600.0
"""For how long ended jobs and readings are kept."""
FAR_S = 2 * 86_400.0
"""A job with a begin time later than this from now is held in the twin."""
_ENDED_BY_LIMIT = "TIMEOUT"


@dataclass(frozen=True)
class MirrorMoment:
    """The parts of a reading that its jobs do not contain."""

    at: float
    closed: Mapping[str, str]
    usage: Mapping[Owner, float]
    held: frozenset[str]


class Mirror:
    """Keeps the state of a running scheduler as a site that the twin can go on from.

    It needs nothing but readings: after a restart the first one is enough.

    Args:
        site: the imported site; its history is not needed.
        kept_s: how long ended jobs and old readings are kept.
    """

    def __init__(self, site: SlurmSite, *, kept_s: float = KEPT_S) -> None:
        self._site, self._kept_s = site, kept_s
        epoch_s = None if site.history is None else site.history.epoch_s
        self.epoch_s = epoch_s or 0
        self._partitions = {each.name for each in site.machine.clusters[0].partitions}
        self._nodes = {name for group in site.machine.groups for name in group.names()}
        self.jobs: dict[str, LiveJob] = {}
        self.moments: deque[MirrorMoment] = deque()
        # When a reading first saw that a job ran or had ended: times of jobs are whole seconds.
        self._ran: dict[str, float] = {}
        self._ended: dict[str, float] = {}
        # What steering had added to the priority of a waiting job, and since when.
        self._factors: dict[str, list[tuple[float, int]]] = {}
        self._wanted: dict[str, int] = {}  # what steering has set last
        self.unknown: dict[str, str] = {}
        """Jobs that are left out, and why: the site was imported before something changed."""

    @property
    def now(self) -> float:
        """The time of the last reading, in epoch seconds."""
        if not self.moments:
            raise ParameterError("nothing has been read yet")
        return self.moments[-1].at

    def take(self, reading: Reading) -> list[LiveJob]:
        """Make a reading the present; return the jobs that are gone and whose end was not seen."""
        if self.moments and reading.at <= self.moments[-1].at:
            raise ParameterError(
                f"a reading of {reading.at:.3f} after one of {self.moments[-1].at:.3f}: the clock "
                "went back"
            )
        self.unknown = {}
        there: dict[str, LiveJob] = {}
        for job in reading.jobs:
            if job.stage is LiveStage.ENDED and not self._concerns(job):
                continue
            if why := self._stranger(job):
                self.unknown[job.id] = why
            else:
                there[job.id] = self._as_it_waited(job)
        gone = [
            job
            for name, job in self.jobs.items()
            if name not in there and job.stage is not LiveStage.ENDED
        ]
        self._note_factors(there.values(), reading.at)
        self.jobs.update(there)
        self._note(there.values(), reading.at)
        self._ended.update({job.id: reading.at for job in gone})
        self.end(replace(job, stage=LiveStage.ENDED, end=int(reading.at)) for job in gone)
        held = frozenset(job.id for job in there.values() if job.held)
        self.moments.append(MirrorMoment(reading.at, reading.closed, reading.usage, held))
        self._forget(reading.at - self._kept_s)
        return gone

    def _note(self, jobs: Iterable[LiveJob], at: float) -> None:
        for job in jobs:
            if job.stage is LiveStage.RUNS:
                self._ran.setdefault(job.id, at)
            elif job.stage is LiveStage.ENDED:
                self._ended.setdefault(job.id, at)
            else:  # it waits, perhaps again
                self._ran.pop(job.id, None)
                self._ended.pop(job.id, None)

    def _note_factors(self, jobs: Iterable[LiveJob], at: float) -> None:
        """Note factors that have changed since the last reading.

        The moment of a change is unknown: the middle of the time in between is taken.
        """
        before = self.moments[-1].at if self.moments else at
        for job in jobs:
            known = self._factors.setdefault(job.id, [])
            if job.site_factor != (known[-1][1] if known else 0):
                until = at if job.start is None else max(before, min(at, job.start))
                known.append(((before + until) / 2, job.site_factor))

    def steered(self, handle: str, factor: int) -> None:
        """Note the factor that steering has set for waiting jobs; it may take effect later."""
        for job in self.waiting():
            if job.handle == handle:
                self._wanted[job.id] = factor

    def _factor(self, job: LiveJob, at: float) -> int:
        """Return what steering had added at a moment."""
        known = self._factors.get(job.id, ())
        return next((factor for since, factor in reversed(known) if since <= at), 0)

    def end(self, jobs: Iterable[LiveJob]) -> None:
        """Note how jobs ended."""
        self.jobs.update({job.id: job for job in jobs})

    def _as_it_waited(self, job: LiveJob) -> LiveJob:
        """Return the job with the values that only readings of a waiting job have."""
        known = self.jobs.get(job.id)
        if job.stage is LiveStage.WAITS or known is None:
            return job
        asked = job.asked or known.asked or known.partition
        factor = known.site_factor
        if known.stage is LiveStage.WAITS:  # it has started: the larger factor is the likelier one
            factor = max(factor, self._wanted.get(job.id, factor))
        return replace(job, site_factor=factor, asked=asked)

    def _concerns(self, job: LiveJob) -> bool:
        """Return whether an ended job was seen before, or was submitted since the last reading."""
        if job.id in self.jobs:
            return True
        return bool(self.moments) and job.submit >= int(self.moments[-1].at)

    def _stranger(self, job: LiveJob) -> str:
        for name in job.partition.split(","):
            if name not in self._partitions:
                return f'partition "{name}" is not known'
        if job.hosts and not self._nodes.issuperset(expand_hosts(job.hosts)):
            return f'nodes "{job.hosts}" are not known'
        return ""

    def _forget(self, before: float) -> None:
        while len(self.moments) > 1 and self.moments[1].at <= before:
            self.moments.popleft()
        first = self.moments[0].at
        for name in [name for name, at in self._ended.items() if at <= first]:
            del self.jobs[name], self._ended[name]
            self._ran.pop(name, None)
            self._factors.pop(name, None)
            self._wanted.pop(name, None)

    def waiting(self) -> list[LiveJob]:
        """Return the jobs that wait, in order of submission."""
        found = [job for job in self.jobs.values() if job.stage is LiveStage.WAITS]
        return sorted(found, key=lambda job: (job.submit, job.id))

    def running(self) -> list[LiveJob]:
        """Return the jobs that run."""
        return [job for job in self.jobs.values() if job.stage is LiveStage.RUNS]

    def site(self, moment: MirrorMoment | None = None) -> SlurmSite | None:
        """Return the site as it was at a reading, with what became of its jobs since.

        Jobs that ran then run on their nodes; the twin starts all others. None if there was no job.

        Args:
            moment: one of ``moments``. Default: the last, the present.
        """
        moment = moment or self.moments[-1]
        begin_s = moment.at - self.epoch_s
        rows = [
            self._row(job, moment)
            for job in self.jobs.values()
            if self._ended.get(job.id, math.inf) > moment.at
        ]
        if not rows:
            return None
        name = self._site.machine.name
        made, _ = history_of_rows(rows, name, self.epoch_s or None)
        history = SlurmHistory(made.workload, made.details, self._commands(moment), begin_s=begin_s)
        return replace(self._with_usage(moment), machine=self._machine(moment), history=history)

    def _commands(self, moment: MirrorMoment) -> tuple[Command, ...]:
        """Return the commands that the scheduler has got since a reading.

        Without them the twin would order the jobs as they are ordered now.
        """
        commands = (*self._withdrawals(moment), *self._steered(moment))
        return tuple(sorted(commands, key=lambda each: each.at_s))

    def _steered(self, moment: MirrorMoment) -> Iterator[Command]:
        for name, changes in self._factors.items():
            told = name.replace(".", "_")
            for at, factor in changes:
                if at > moment.at and self._ended.get(name, math.inf) > moment.at:
                    nice = self.jobs[name].nice - factor
                    text = f"scontrol update JobId={told} Nice={nice}"
                    yield Command(at - self.epoch_s, text, told)

    def _withdrawals(self, moment: MirrorMoment) -> tuple[Command, ...]:
        """Return the commands that cancelled jobs which waited then or came later."""
        gone = [
            (float(job.end - self.epoch_s), job.id.replace(".", "_"))
            for job in self.jobs.values()
            if job.start is None and job.end is not None and self._ended[job.id] > moment.at
        ]
        return tuple(Command(at_s, f"scancel {name}", name) for at_s, name in sorted(gone))

    def _machine(self, moment: MirrorMoment) -> Platform:
        """Return the machine with the nodes that were closed then, not those of the import."""
        machine = self._site.machine
        begin_s = int(moment.at) - self.epoch_s
        closed = fold_hosts(sorted(self._nodes & moment.closed.keys()))
        drains = (Drain(begin_s, None, closed, "closed"),) if closed else ()
        cluster = machine.clusters[0]
        coming = [each for each in cluster.outages if each.begin_s > begin_s]
        later = [each for each in cluster.drains if each.begin_s > begin_s]
        made = replace(cluster, outages=tuple(coming), drains=(*drains, *later))
        return replace(machine, clusters=(made,))

    def _with_usage(self, moment: MirrorMoment) -> SlurmSite:
        accounts = self._site.accounts
        associations = tuple(
            each
            if each.user is None or not moment.usage
            else replace(each, usage=moment.usage.get((each.account, each.user), 0.0))
            for each in accounts.associations
        )
        return replace(self._site, accounts=replace(accounts, associations=associations))

    def _row(self, job: LiveJob, moment: MirrorMoment) -> tuple[JobColumns, JobDetails]:
        def since(epoch: int | None) -> int | None:
            return None if epoch is None else epoch - self.epoch_s

        ran = self._ran.get(job.id, math.inf) <= moment.at
        nodes = job.min_nodes or 1
        memory_mb = job.memory_per_node_mb
        per_task = max(job.cpus // job.tasks, 1)
        task = split_id(job.id)[1]
        is_far = job.begin is not None and job.begin > moment.at + FAR_S
        begin = None if is_far else job.begin
        columns = {
            "submit_s": job.submit - self.epoch_s,
            "nodes": nodes,
            "request_s": job.limit_s,
            "run_s": job.limit_s,
            "tasks": job.tasks,
            "tasks_per_node": job.tasks_per_node or -1,
            "cores_per_task": per_task,
            "cores_per_node": -(-job.tasks * per_task // nodes),
            "memory_per_node_kb": -1.0 if memory_mb is None else memory_mb * 1024,
            "gpus_per_node": job.gpus_per_node or -1,
            "gpu_type": job.gpu_type,
            "exclusive": 1 if job.exclusive else -1,
            "user": job.user,
            "account": job.account,
            "qos": job.qos,
            "partition": job.partition if ran or not job.asked else job.asked,
            "constraint": job.constraint,
            "licences": job.licences.replace(",", "+"),
            "job_name": job.name,
            "array": job.array,
            "array_index": -1 if task is None else task,
            "array_limit": job.array_limit or -1,
            "begin_after_s": -1 if begin is None else max(begin - job.submit, 0),
        }
        per_cpu_mb = job.memory_per_cpu_mb
        details = {
            "slurm_id": job.id,
            "submit_s": float(job.submit - self.epoch_s),
            "eligible_s": since(job.eligible),
            "first_start_s": since(job.start) if ran else None,
            "start_s": since(job.start),
            "end_s": since(job.end),
            "state": _told_state(job),
            "hosts": job.hosts or None,
            "attempts": job.restarts + (job.start is not None),
            "true_run_s": float(job.limit_s),
            "min_nodes": job.min_nodes,
            "memory_per_cpu_kb": None if per_cpu_mb is None else per_cpu_mb * 1024,
            "dependency": job.dependency or None,
            "nice": job.nice - self._factor(job, moment.at),
            "held": (job.held and job.id in moment.held) or is_far,
            "reservation": job.reservation or None,
            "ran_before": ran,
        }
        return columns, details


def _told_state(job: LiveJob) -> str:
    """Return the state as histories have it: any end that is not by the limit is a completion."""
    if job.stage is LiveStage.RUNS:
        return "RUNNING"
    if job.stage is LiveStage.WAITS:
        return "PENDING"
    return _ENDED_BY_LIMIT if job.state == _ENDED_BY_LIMIT else "COMPLETED"
