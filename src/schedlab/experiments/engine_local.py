"""Processes on this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from threading import Thread

from schedlab.errors import ParameterError
from schedlab.experiments.engine import Outcome, Task, run_task


class LocalEngine:
    """So many processes side by side; one means this process itself."""

    def __init__(self, workers: int | None = None) -> None:
        """Take as many workers as there are processors, unless told how many."""
        if workers is not None and workers < 1:
            raise ParameterError(f"{workers} workers; must be >= 1")
        self.workers = workers or len(os.sched_getaffinity(0))

    def run(self, tasks: Sequence[Task]) -> Generator[Outcome, None, None]:
        """One outcome per task as they finish; closed early, the workers are stopped."""
        workers = min(self.workers, len(tasks))
        if workers <= 1:
            yield from map(run_task, tasks)
            return
        others = set(active_children())
        pool = ProcessPoolExecutor(
            workers, mp_context=get_context("spawn"), initializer=_end_with_parent
        )
        try:
            with _children_deaf_to_ctrl_c():
                futures = {pool.submit(run_task, task): task for task in tasks}
            for future in as_completed(futures):
                yield _outcome(future, futures[future])
        except BaseException:
            for worker in set(active_children()) - others:
                worker.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _outcome(future: Future[Outcome], task: Task) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        reason = "a worker process died (was there enough memory?); run again to go on"
        return Outcome(key=task.key, name=task.name, error=reason)


def _end_with_parent() -> None:
    """A parent that is killed cannot stop its workers, which would wait for tasks for ever."""
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=follow, daemon=True).start()


@contextmanager
def _children_deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started within never see SIGINT, which a terminal sends to all: we stop them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
