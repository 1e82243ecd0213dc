"""Compute cells as tasks of Ray, on many machines."""

from __future__ import annotations

import platform as host
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import NodeDiedError, OutOfMemoryError, RayError, WorkerCrashedError

from schedlab.errors import SchedlabError
from schedlab.experiments.digest import code_of
from schedlab.experiments.engine import DIED, Task, TaskOutcome, check_workers, run_task
from schedlab.experiments.ray_connection import check_address, connected
from schedlab.workload import Workload, read_workload

RETRIES = 3
QUEUED = 16
"""Number of tasks that are submitted beyond two per processor."""

Submitted = tuple["ray.ObjectRef[TaskOutcome]", Task]


class RayEngine:
    """Every cell is a task of Ray, tried again where its process or its machine is lost."""

    def __init__(self, workers: int | None = None, *, address: str | None = None) -> None:
        """Choose where to compute; ``run`` starts Ray, or joins the cluster.

        Args:
            workers: maximum number of cells at once. Default: the number of processors.
            address: ``host:port`` of the cluster, or ``auto`` for the one that runs on this
                machine. Without it the connection that this process has to Ray is used or, if
                there is none, a Ray on this machine is started and stopped again.
        """
        check_workers(workers)
        if address is not None:
            check_address(address)
        self.workers, self.address = workers, address

    def run(self, tasks: Sequence[Task]) -> Generator[TaskOutcome, None, None]:
        """Yield one outcome per task as they finish; closed early, the others are cancelled."""
        if not tasks:
            return
        with connected(self.address, processors=self.workers) as goes_on:
            waiting = _submitted(tasks)
            running: dict[ray.ObjectRef[TaskOutcome], Task] = {}
            try:
                while True:
                    running.update(islice(waiting, self._free(len(running))))
                    if not running:
                        return
                    (finished,), _ = ray.wait(list(running), num_returns=1)
                    yield _outcome(finished, running.pop(finished))
            finally:
                # If the connection ends, so do its tasks; cancelling a task that Ctrl-C ends at the
                # same moment kills this process too (Ray 2.60: "task that was not pending").
                if goes_on:
                    for reference in running:
                        ray.cancel(reference, force=True)

    def _free(self, running: int) -> int:
        """Return how many more tasks to submit: enough to keep a cluster busy, and to let it grow.

        Not all at once: the workloads of all submitted tasks are held in memory.
        """
        processors = int(ray.cluster_resources().get("CPU", 0))
        return max((self.workers or 2 * processors + QUEUED) - running, 0)


def _submitted(tasks: Sequence[Task]) -> Iterator[Submitted]:
    """Submit the tasks one by one, and each workload once: other machines do not see its file."""
    compute: Any = ray.remote(max_retries=RETRIES)(_compute)
    for path, group in _by_workload(tasks).items():
        try:
            workload = None if path is None else ray.put(read_workload(path))
        except SchedlabError:
            yield from ((ray.put(run_task(task)), task) for task in group)
            continue
        for task in group:
            yield compute.remote(task, workload, code_of(task.outside), sys.path), task


def _by_workload(tasks: Sequence[Task]) -> dict[Path | None, list[Task]]:
    groups: dict[Path | None, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.workload, []).append(task)
    return groups


def _compute(
    task: Task, workload: Workload | None, code: Mapping[str, Any], path: Sequence[str]
) -> TaskOutcome:
    """Compute the cell on a machine of the cluster; fail if the machine has other code.

    A cell is kept under a key that contains the code of the process that asked for it.
    """
    sys.path += [each for each in path if each not in sys.path]
    outcome = run_task(task, workload)
    here = code_of(task.outside)
    other = [name for name in code if here.get(name) != code[name]]
    if outcome.error is not None or not other:
        return outcome
    error = f"{host.node()} has another {' and '.join(other)}; install the same on every machine"
    return TaskOutcome(key=task.key, name=task.name, error=error)


def _outcome(finished: ray.ObjectRef[TaskOutcome], task: Task) -> TaskOutcome:
    try:
        return ray.get(finished)
    except RayError as error:
        return TaskOutcome(key=task.key, name=task.name, error=_reason(error))


def _reason(error: RayError) -> str:
    if isinstance(error, NodeDiedError | OutOfMemoryError | WorkerCrashedError):
        return DIED
    cause = getattr(error, "cause", None) or error
    return f"{type(cause).__name__}: {' '.join(str(cause).split())}"
