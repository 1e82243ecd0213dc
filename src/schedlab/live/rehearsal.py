"""A rehearsal: the twin replays a history while a policy steers it, period by period."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Event

from schedlab._core import NativeController
from schedlab.live.advice import allowed_factors
from schedlab.live.guards import Guards
from schedlab.live.queue import LiveJob, LiveStage
from schedlab.live.steering.steering import planned_changes
from schedlab.policies import ChosenPolicy
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.native import SiteTables, native_controller
from schedlab.slurm.plain.jobs import TwinJob, jobs_of
from schedlab.slurm.replay import TwinReplay, history_of, replay_native
from schedlab.slurm.site import SlurmSite


@dataclass(frozen=True)
class Rehearsal:
    """What the steered twin did.

    Args:
        replay: the replay, with every job.
        changes: number of changes of site factors.
        steps: number of periods in which jobs waited.
    """

    replay: TwinReplay
    changes: int
    steps: int


def rehearse(
    site: SlurmSite,
    policy: ChosenPolicy,
    guards: Guards,
    clocks: Clocks,
    every_s: float,
    tell: Callable[[], object] = lambda: None,
) -> Rehearsal:
    """Replay the history, and do at every period what steering would do.

    Only the guards on single changes count: the clamp, the number of changes, the longest wait.
    The others judge forecasts, which a rehearsal does not make.

    Args:
        site: a site with a history.
        policy: the policy that steers.
        guards: what is allowed.
        clocks: the phases of slurmctld's loops.
        every_s: the length of one period.
        tell: called after each period.
    """
    history = history_of(site)
    epoch_s = history.epoch_s or 0
    controller = native_controller(SiteTables(site).made(), clocks)
    jobs = [_live(job, epoch_s) for job in jobs_of(site)]
    time_s, changes, steps = history.begin_s + every_s, 0, 0
    while controller.run_until(time_s):
        movable = _movable(controller, jobs)
        if movable:
            steps += 1
            now = epoch_s + time_s
            wished = allowed_factors(
                list(movable.values()), policy, guards, site.machine.cores, now
            )
            changes += _change(controller, movable, wished, guards)
        tell()
        time_s += every_s
    return Rehearsal(replay_native(controller, Event()), changes, steps)


def _live(job: TwinJob, epoch_s: int) -> LiveJob:
    """Return the job as a reading of the running cluster would have it while it waits."""
    name = str(job.id) if job.task < 0 else f"{job.id}_{job.task}"
    return LiveJob(
        name,
        LiveStage.WAITS,
        "PENDING",
        job.user,
        int(epoch_s + job.submit_s),
        job.limit_s,
        account=job.account,
        partition=",".join(job.partitions),
        qos=job.qos,
        nice=job.nice,
        cpus=job.cpus,
        raw_id=job.id,
        handle=str(job.id),
    )


def _movable(controller: NativeController, jobs: list[LiveJob]) -> dict[int, LiveJob]:
    """Return the jobs that steering would see, by their places in the history.

    Those that have changed are replaced in ``jobs``.
    """
    found = {}
    for at, priority, nice in controller.movable():
        job = jobs[at]
        factor = job.nice - nice
        if (job.priority, job.site_factor) != (priority, factor):  # a new job is what costs most
            jobs[at] = job = replace(job, priority=priority, site_factor=factor)
        found[at] = job
    return found


def _change(
    controller: NativeController,
    movable: Mapping[int, LiveJob],
    wished: Mapping[str, int],
    guards: Guards,
) -> int:
    """Set the factors as steering does; return how many changed."""
    tasks: dict[str, list[int]] = defaultdict(list)
    for at, job in movable.items():
        tasks[job.handle].append(at)
    present = {name: movable[places[0]].site_factor for name, places in tasks.items()}
    changes = planned_changes(present, wished, guards.changes)
    for change in changes:
        for at in tasks[change.job]:
            controller.set_nice(at, movable[at].nice - change.after)
    return len(changes)
