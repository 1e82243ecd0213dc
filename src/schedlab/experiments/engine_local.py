"""Compute tasks in processes on this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from multiprocessing import active_children, get_context, parent_process
from threading import Thread

from schedlab.experiments.engine import DIED, Task, TaskOutcome, check_workers, run_task
from schedlab.processors import usable_processors


class LocalEngine:
    """A number of processes side by side; one means this process itself."""

    def __init__(self, workers: int | None = None) -> None:
        """Use as many workers as there are processors, unless a number is given."""
        check_workers(workers)
        self.workers = workers or usable_processors()

    def run(self, tasks: Sequence[Task]) -> Generator[TaskOutcome, None, None]:
        """Yield one outcome per task as they finish; closed early, the workers are stopped."""
        workers = min(self.workers, len(tasks))
        if workers <= 1:
            yield from map(run_task, tasks)
            return
        lost = []
        with closing(_side_by_side(tasks, workers)) as finished:
            for task, outcome in finished:
                if outcome is None:
                    lost.append(task)
                else:
                    yield outcome
        # One of these tasks ended its worker, and all workers with it. Run each alone to find it.
        for task in lost:
            with closing(_side_by_side([task], 1)) as finished:
                for _, outcome in finished:
                    yield outcome or TaskOutcome(key=task.key, name=task.name, error=DIED)


Finished = tuple[Task, TaskOutcome | None]


def _side_by_side(tasks: Sequence[Task], workers: int) -> Generator[Finished, None, None]:
    """Yield each task with its outcome, or with None if a worker died."""
    others = set(active_children())
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_end_with_parent
    )
    try:
        with _children_deaf_to_ctrl_c():
            futures = {pool.submit(run_task, task): task for task in tasks}
        for future in as_completed(futures):
            died = isinstance(future.exception(), BrokenProcessPool)
            yield futures[future], None if died else future.result()
    except BaseException:
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """End this worker with its parent: else it would wait for ever if the parent is killed."""
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=follow, daemon=True).start()


@contextmanager
def _children_deaf_to_ctrl_c() -> Iterator[None]:
    """Keep SIGINT, which a terminal sends to all, from processes started within: we stop them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
