"""The queue of simulations: which worker runs each, once, and what happens to unfinished ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import select, update
from tests.history.web.served import Served

from schedlab.errors import ParameterError, StoreError
from schedlab.history.store import Store
from schedlab.history.store.task_tables import tasks
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.database import Database
from schedlab.history.web.tasks import QueuedTask, State, TaskRequest
from schedlab.history.web.tasks.queue import (
    LOST_AFTER_S,
    MOST_UNFINISHED,
    cancel,
    claim,
    find_task,
    finish,
    has_work,
    note_progress,
    submit,
)
from schedlab.history.web.tasks.runner import Progress, Runner

ANN, BEN = Viewer(Role.USER, "ann"), Viewer(Role.USER, "ben")


def asked(number: int = 1, viewer: Viewer = ANN, version: str = "1") -> TaskRequest:
    """Return a request for a task with this number."""
    return TaskRequest("count", {"to": number}, viewer, version)


def put(served: Served, what: TaskRequest | None = None) -> str:
    """Submit a task and return its id."""
    with served.database.writing() as connection:
        return submit(connection, what or asked())


def found(served: Served, task: str, account: str = "ann") -> QueuedTask:
    """Return the task as its owner finds it."""
    with served.database.reading() as connection:
        there = find_task(connection, task, account)
    assert there is not None
    return there


def runner(served: Served, does: Callable[[QueuedTask, Progress], Any]) -> Runner:
    """Return a worker that runs this function for a ``count`` task."""
    return Runner(served.database, {"count": does})


def test_what_was_asked_before_is_not_done_again(served: Served) -> None:
    """The same question about the same history has the same answer."""
    first = put(served)
    assert put(served) == first
    runner(served, lambda task, _: task.parameters["to"]).run_next()
    assert put(served) == first
    assert found(served, first).result == 1
    assert put(served, asked(version="2")) != first, "the history has changed"
    assert put(served, asked(viewer=Viewer(Role.SUPPORT, "ann"))) != first, "they see more now"


def test_nobody_finds_anothers_task(served: Served) -> None:
    """A result is about jobs that the user who asked may see."""
    task = put(served)
    with served.database.writing() as connection:
        assert find_task(connection, task, "ben") is None
        assert find_task(connection, task, None) is None
        cancel(connection, task, "ben")
    assert found(served, task).state is State.WAITING


def test_nobody_fills_the_queue(served: Served) -> None:
    """Other users would wait behind; finished and cancelled tasks do not count."""
    made = [put(served, asked(number)) for number in range(MOST_UNFINISHED)]
    with pytest.raises(ParameterError, match="not finished; wait for one of them, or cancel it"):
        put(served, asked(99))
    put(served, asked(99, BEN))
    with served.database.writing() as connection:
        cancel(connection, made[0], "ann")
    put(served, asked(99))


def test_old_tasks_are_forgotten(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the newest tasks of each account are kept."""
    monkeypatch.setattr("schedlab.history.web.tasks.queue.KEPT", 4)
    worker = runner(served, lambda task, _: None)
    for number in range(7):
        put(served, asked(number))
        worker.run_next()
    with served.database.reading() as connection:
        kept = connection.execute(select(tasks.c.parameters).order_by(tasks.c.created_s)).scalars()
        assert list(kept) == [f'{{"to":{number}}}' for number in range(3, 7)]


def test_a_task_is_one_workers(served: Served) -> None:
    """Of two workers that look at the same time, one gets it; the oldest task comes first."""
    first, second = put(served, asked(1)), put(served, asked(2))
    with served.database.writing() as connection:
        claimed = [claim(connection, worker) for worker in ("one", "two", "three")]
        assert [task and task.id for task in claimed] == [first, second, None]
        assert not note_progress(connection, first, "two", 0.5), "it is not theirs"
        finish(connection, first, "two", result="wrong")
    assert found(served, first).state is State.RUNNING


def test_several_workers_share_a_queue(store_url: str) -> None:
    """Every task is done, and none is done twice, also with PostgreSQL."""
    Store.make(store_url).close()
    done: list[int] = []
    databases = [Database(store_url) for _ in range(3)]
    with databases[0].writing() as connection:
        for number in range(9):
            submit(connection, asked(number, Viewer(Role.USER, f"user{number}")))
    workers = [
        Runner(each, {"count": lambda task, _: done.append(task.parameters["to"])})
        for each in databases
    ]
    threads = [Thread(target=_exhaust, args=[worker]) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in databases:
        each.close()
    assert sorted(done) == list(range(9))


def _exhaust(worker: Runner) -> None:
    while worker.run_next():
        pass


def test_a_task_of_a_worker_that_is_gone_is_interrupted(served: Served) -> None:
    """After a crash, no worker will ever finish the task, and its owner should know."""
    task = put(served)
    with served.database.writing() as connection:
        claim(connection, "gone")
        assert not has_work(connection)
        connection.execute(update(tasks).values(seen_s=tasks.c.seen_s - LOST_AFTER_S - 1))
        assert has_work(connection), "there is one to be marked"
        assert claim(connection, "other") is None
    assert found(served, task).state is State.INTERRUPTED
    assert put(served) != task, "it can be asked for again"


def test_a_worker_that_is_silent_is_not_lost(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker counts as alive during one long query, such as counting millions of jobs."""
    monkeypatch.setattr("schedlab.history.web.tasks.runner._SEEN_EVERY_S", 0.01)
    task = put(served)

    def ask_long(_: QueuedTask, progress: Progress) -> str:
        with served.database.writing() as connection:
            connection.execute(update(tasks).values(seen_s=0.0))
        while not seen_s():
            time.sleep(0.01)
        with served.database.writing() as connection:
            assert claim(connection, "other") is None
        return "whole"

    def seen_s() -> float:
        with served.database.reading() as connection:
            return float(connection.execute(select(tasks.c.seen_s)).scalar_one())

    runner(served, ask_long).run_next()
    assert found(served, task).result == "whole"


def test_a_runner_that_is_stopped_leaves_no_task_running(served: Served) -> None:
    """A service that ends in an orderly way marks its tasks as interrupted at once."""
    task = put(served)

    def count_for_ever(_: QueuedTask, progress: Progress) -> None:
        while True:
            progress(0.1)

    worker = runner(served, count_for_ever)
    worker.start()
    while found(served, task).state is State.WAITING:
        time.sleep(0.01)
    worker.stop()
    assert found(served, task).state is State.INTERRUPTED


def test_cancelling_ends_a_simulation(served: Served) -> None:
    """The simulation ends at its next report of progress, and its result is not kept."""
    task = put(served)

    def count(_: QueuedTask, progress: Progress) -> str:
        with served.database.writing() as connection:
            cancel(connection, task, "ann")
        progress(0.5)
        raise AssertionError("it should have ended")

    assert runner(served, count).run_next()
    there = found(served, task)
    assert (there.state, there.result, there.failure) == (State.CANCELLED, None, None)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ParameterError("choose less of it"), "choose less of it"),
        (StoreError("store /var/secret"), "the simulation failed; the log of the service says why"),
        (ZeroDivisionError("secret"), "the simulation failed; the log of the service says why"),
    ],
)
def test_failures_are_told_without_secrets(served: Served, error: Exception, told: str) -> None:
    """A user's mistake is named; of any other failure, the message says only that it happened."""
    task = put(served)

    def fail(_: QueuedTask, progress: Progress) -> None:
        raise error

    runner(served, fail).run_next()
    there = found(served, task)
    assert (there.state, there.failure) == (State.FAILED, told)
