"""Commands of operators and users during a run: ``scontrol`` and ``scancel``."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Protocol

from schedlab.platform.hostlist import expand_hosts
from schedlab.slurm.commands import Command
from schedlab.slurm.plain.jobs import Stage, TwinJob

RESERVATION = {"reservationname", "starttime", "duration", "nodes"}
NODE_STATES = ("DRAIN", "DOWN", "RESUME")


class Obeying(Protocol):
    """A controller that obeys commands."""

    def hold(self, job: TwinJob) -> None:
        """Hold a job: keep it out of the queue."""

    def release(self, job: TwinJob) -> None:
        """Let a held job into the queue again."""

    def set_nice(self, job: TwinJob, nice: int) -> None:
        """Set the nice value of a job, which lowers its priority."""

    def set_array_limit(self, job: TwinJob, most: int) -> None:
        """Limit the tasks of the job's array that run at a time."""

    def cancel(self, job: TwinJob) -> None:
        """End a running job, or withdraw a waiting one."""

    def requeue(self, job: TwinJob, how: str) -> None:
        """End the run of a job; the job waits again."""

    def suspend(self, job: TwinJob) -> None:
        """Suspend a running job."""

    def resume(self, job: TwinJob) -> None:
        """Resume a suspended job."""

    def set_node(self, hosts: tuple[str, ...], state: str) -> None:
        """Drain nodes, take them down, or resume them."""

    def create_reservation(self, settings: dict[str, str]) -> None:
        """Create a reservation, which keeps nodes for some jobs."""

    def delete_reservation(self, name: str) -> None:
        """Delete a reservation."""

    def set_partition(self, name: str, state: str) -> None:
        """Open or close a partition."""


class Orders:
    """A reader of commands, which has a controller obey those that it understands."""

    def __init__(self, jobs: list[TwinJob]) -> None:
        self._jobs: dict[str, list[TwinJob]] = {}
        for job in jobs:
            self._jobs.setdefault(str(job.id), []).append(job)
            if job.task >= 0:
                self._jobs.setdefault(f"{job.id}_{job.task}", []).append(job)

    def give(self, command: Command, to: Obeying) -> bool:
        """Have the controller obey the command. Return whether the command was understood."""
        found = self._understand(command, to)
        if found is None:
            return False
        found()
        return True

    def understands(self, command: Command, to: Obeying) -> bool:
        """Return whether the command is understood; always for one that Slurm refused."""
        return not command.worked or self._understand(command, to) is not None

    def _understand(self, command: Command, to: Obeying) -> Callable[[], None] | None:
        words = shlex.split(command.text)
        settings = {
            key.lower(): value for key, equals, value in (w.partition("=") for w in words) if equals
        }
        match words:
            case ["scancel", name]:
                return self._each(name, to.cancel)
            case ["scontrol", "hold", name]:
                return self._each(name, to.hold)
            case ["scontrol", "release", name]:
                return self._each(name, to.release)
            case ["scontrol", "requeue", name]:
                return self._each(name, lambda job: to.requeue(job, "requeued"))
            case ["scontrol", "suspend", name]:
                return self._each(name, to.suspend)
            case ["scontrol", "resume", name]:
                return self._each(name, to.resume)
            case ["scontrol", "create", "reservation", *_] if settings.keys() >= RESERVATION:
                return lambda: to.create_reservation(settings)
            case ["scontrol", "delete", *_] if "reservationname" in settings:
                return lambda: to.delete_reservation(settings["reservationname"])
            case ["scontrol", "update", *_]:
                return self._update(settings, to)
        return None

    def _update(self, settings: dict[str, str], to: Obeying) -> Callable[[], None] | None:
        match settings:
            case {"jobid": name, "nice": nice}:
                return self._each(name, lambda job: to.set_nice(job, int(nice)))
            case {"jobid": name, "arraytaskthrottle": most}:
                return self._each(name, lambda job: to.set_array_limit(job, int(most)))
            case {"nodename": hosts, "state": state} if state.upper() in NODE_STATES:
                return lambda: to.set_node(expand_hosts(hosts), state.upper())
            case {"partitionname": name, "state": state} if state.upper() in ("UP", "DOWN"):
                return lambda: to.set_partition(name, state.upper())
        return None

    def _each(self, name: str, do: Callable[[TwinJob], None]) -> Callable[[], None] | None:
        jobs = self._jobs.get(name)
        if jobs is None:
            return None

        def obey() -> None:
            for job in jobs:
                if job.stage is not Stage.DONE:
                    do(job)

        return obey
