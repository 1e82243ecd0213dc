"""The thread of a worker that simulates, beside the requests that it answers."""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from schedlab.errors import (
    ParameterError,
    PolicyError,
    StoreError,
    UnknownNameError,
    WorkloadError,
)
from schedlab.history.web.database import Database
from schedlab.history.web.tasks.queue import (
    LOST_AFTER_S,
    claim,
    finish,
    give_up,
    has_work,
    note_alive,
    note_progress,
)
from schedlab.history.web.tasks.task import QueuedTask

_LOG = logging.getLogger("schedlab.service")
_LOOKED_EVERY_S = 2.0
_NOTED_EVERY_S = 0.5
_SEEN_EVERY_S = LOST_AFTER_S / 4

Progress = Callable[[float], None]
"""Called with the share that is done, from 0 to 1; what it raises ends the simulation."""
Simulation = Callable[[QueuedTask, Progress], Any]
"""Does a task and returns the result, in types that JSON has."""


class Unwanted(Exception):  # noqa: N818 (no error: somebody changed their mind)
    """The result is not wanted any more."""


class Runner:
    """Does one task after the other, in a thread of its own.

    Args:
        database: the database that has the queue.
        simulations: the function that does each kind of task.
    """

    def __init__(self, database: Database, simulations: Mapping[str, Simulation]) -> None:
        self._database, self._simulations = database, simulations
        self._worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._woken, self._is_stopping = Event(), False
        self._thread = Thread(target=self._work, name="simulations", daemon=True)

    def start(self) -> None:
        """Begin to look for tasks."""
        self._thread.start()

    def wake(self) -> None:
        """Look for tasks now: there may be a new one."""
        self._woken.set()

    def stop(self) -> None:
        """End the thread, and mark a task that it has not finished as interrupted."""
        self._is_stopping = True
        self.wake()
        self._thread.join(timeout=10)
        with suppress(StoreError), self._database.writing() as connection:
            give_up(connection, self._worker)

    def run_next(self) -> bool:
        """Do the task that has waited longest; False if none waits."""
        with self._database.writing() as connection:
            task = claim(connection, self._worker)
        if task is None:
            return False
        self._run(task)
        return True

    def _work(self) -> None:
        while not self._is_stopping:
            try:
                found = self._is_waited_for() and self.run_next()
            except StoreError as error:
                _LOG.error("tasks: %s", error)
                found = False
            if not found:
                self._woken.wait(_LOOKED_EVERY_S)
                self._woken.clear()

    def _is_waited_for(self) -> bool:
        """Return whether there is anything to claim; looking does not keep others from writing."""
        with self._database.reading_long() as connection:
            return has_work(connection)

    def _run(self, task: QueuedTask) -> None:
        outcome: dict[str, Any]
        try:
            with self._seen_alive(task):
                outcome = {"result": self._simulations[task.kind](task, self._progress_of(task))}
        except Unwanted:
            return
        except (ParameterError, UnknownNameError, WorkloadError, PolicyError) as error:
            outcome = {"failure": str(error)}
        except Exception:  # its text may name what only the operators of the service may know
            _LOG.exception("task %s failed", task.id)
            outcome = {"failure": "the simulation failed; the log of the service says why"}
        with self._database.writing() as connection:
            finish(connection, task.id, self._worker, **outcome)

    @contextmanager
    def _seen_alive(self, task: QueuedTask) -> Iterator[None]:
        """Send a heartbeat while a long step reports no progress."""
        ended = Event()

        def say() -> None:
            while not ended.wait(_SEEN_EVERY_S):
                with suppress(StoreError), self._database.writing() as connection:
                    note_alive(connection, task.id, self._worker)

        thread = Thread(target=say, name="heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _progress_of(self, task: QueuedTask) -> Progress:
        noted_at = 0.0

        def note(share: float) -> None:
            nonlocal noted_at
            if self._is_stopping:
                raise Unwanted
            if time.monotonic() < noted_at + _NOTED_EVERY_S:
                return
            noted_at = time.monotonic()
            with self._database.writing() as connection:
                if not note_progress(connection, task.id, self._worker, share):
                    raise Unwanted

        return note
