"""The queue of tasks, in the store: every worker of the service sees the same one."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Any

from pydantic_core import to_json
from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from schedlab.errors import ParameterError
from schedlab.history.store.task_tables import tasks
from schedlab.history.web.tasks.task import (
    UNFINISHED,
    QueuedTask,
    State,
    TaskRequest,
    viewer_document,
)

MOST_UNFINISHED = 3
"""The largest number of unfinished tasks of one account."""
KEPT = 50
"""The number of tasks that are kept for one account; of more, the oldest are deleted."""
LOST_AFTER_S = 120.0
"""The time without a sign after which a worker counts as gone."""


def submit(connection: Connection, asked: TaskRequest, *, kept: int | None = None) -> str:
    """Return the id of the task that does what is asked: a new task, unless one exists already.

    Args:
        connection: a connection to the store.
        asked: what is simulated, and for whom.
        kept: the number of tasks of the account that are kept. Default: ``KEPT``.
    """
    account = asked.viewer.user
    assert account is not None, "only an account may ask"
    own = tasks.c.account == account
    same = select(tasks.c.id).where(
        own, tasks.c.key == asked.key, tasks.c.state.in_([*UNFINISHED, State.DONE])
    )
    known: str | None = connection.execute(same.order_by(tasks.c.created_s.desc())).scalar()
    if known is not None:
        return known
    unfinished = select(func.count()).where(own, tasks.c.state.in_(UNFINISHED))
    if connection.execute(unfinished).scalar_one() >= MOST_UNFINISHED:
        raise ParameterError(
            f"you have {MOST_UNFINISHED} simulations that are not finished; "
            "wait for one of them, or cancel it"
        )
    made = secrets.token_hex(8)
    connection.execute(insert(tasks).values(_row(made, account, asked)))
    _forget_old(connection, own, KEPT if kept is None else kept)
    return made


def find_asked(connection: Connection, asked: TaskRequest) -> QueuedTask | None:
    """Return the last task of the account that does what is asked, if there is one."""
    own = (tasks.c.account == asked.viewer.user, tasks.c.kind == asked.kind)
    found = _found(connection, *own, tasks.c.key == asked.key, limit=1)
    return found[0] if found else None


def find_task(connection: Connection, task_id: str, account: str | None) -> QueuedTask | None:
    """Return the task; None if there is none, or if another account asked for it."""
    found = _found(connection, tasks.c.id == task_id, tasks.c.account == account, limit=1)
    return found[0] if found else None


def recent_tasks(
    connection: Connection, account: str | None, kind: str, most: int, *, with_results: bool = True
) -> list[QueuedTask]:
    """Return the last tasks of the account, the newest first."""
    own = (tasks.c.account == account, tasks.c.kind == kind)
    return _found(connection, *own, limit=most, with_results=with_results)


def has_work(connection: Connection) -> bool:
    """Return whether a task waits, or is lost."""
    work = select(tasks.c.id).where(or_(tasks.c.state == State.WAITING, _is_lost())).limit(1)
    return connection.execute(work).first() is not None


def claim(connection: Connection, worker: str) -> QueuedTask | None:
    """Claim the task that has waited longest for this worker, and return it if there is one."""
    mark_lost(connection)
    waiting = tasks.c.state == State.WAITING
    first = select(tasks.c.id).where(waiting).order_by(tasks.c.created_s, tasks.c.id).limit(1)
    task_id = connection.execute(first).scalar()
    if task_id is None:
        return None
    taken = {"state": State.RUNNING, "worker": worker, "seen_s": time.time()}
    # Another worker may have taken it since; then there is nothing to change.
    changed = update(tasks).where(tasks.c.id == task_id, waiting).values(taken)
    if connection.execute(changed).rowcount == 0:
        return None
    return _found(connection, tasks.c.id == task_id, limit=1)[0]


def note_progress(connection: Connection, task_id: str, worker: str, progress: float) -> bool:
    """Note the progress of a task; return False if the worker need not go on."""
    return _changed(connection, task_id, worker, {"progress": progress, "seen_s": time.time()})


def note_alive(connection: Connection, task_id: str, worker: str) -> None:
    """Note that the worker is still there."""
    _changed(connection, task_id, worker, {"seen_s": time.time()})


def finish(
    connection: Connection, task_id: str, worker: str, *, result: Any = None, failure: str = ""
) -> None:
    """Store the result or the failure of a task, unless it was cancelled meanwhile."""
    ended = {
        "state": State.FAILED if failure else State.DONE,
        "progress": 1.0,
        "ended_s": time.time(),
        "result": None if failure else to_json(result).decode(),
        "failure": failure or None,
    }
    _changed(connection, task_id, worker, ended)


def cancel(connection: Connection, task_id: str, account: str | None) -> None:
    """Cancel a task, if this account asked for it and it is not finished."""
    this = (tasks.c.id == task_id) & (tasks.c.account == account)
    values = {"state": State.CANCELLED, "ended_s": time.time()}
    connection.execute(update(tasks).where(this, tasks.c.state.in_(UNFINISHED)).values(values))


def mark_lost(connection: Connection) -> None:
    """Mark the tasks of workers that are gone as interrupted: they will never end."""
    _interrupt(connection, _is_lost())


def give_up(connection: Connection, worker: str) -> None:
    """Mark the running task of a worker that ends as interrupted."""
    _interrupt(connection, (tasks.c.state == State.RUNNING) & (tasks.c.worker == worker))


def _is_lost() -> ColumnElement[bool]:
    return (tasks.c.state == State.RUNNING) & (tasks.c.seen_s < time.time() - LOST_AFTER_S)


def _interrupt(connection: Connection, which: ColumnElement[bool]) -> None:
    values = {"state": State.INTERRUPTED, "ended_s": time.time()}
    connection.execute(update(tasks).where(which).values(values))


def _changed(connection: Connection, task_id: str, worker: str, values: dict[str, Any]) -> bool:
    this = (tasks.c.id == task_id) & (tasks.c.worker == worker) & (tasks.c.state == State.RUNNING)
    return connection.execute(update(tasks).where(this).values(values)).rowcount > 0


def _row(task_id: str, account: str, asked: TaskRequest) -> dict[str, Any]:
    return {
        "id": task_id,
        "kind": asked.kind,
        "account": account,
        "viewer": to_json(viewer_document(asked.viewer)).decode(),
        "parameters": to_json(asked.parameters).decode(),
        "key": asked.key,
        "state": State.WAITING,
        "progress": 0.0,
        "created_s": time.time(),
    }


def _forget_old(connection: Connection, own: ColumnElement[bool], kept: int) -> None:
    newest = select(tasks.c.created_s).where(own).order_by(tasks.c.created_s.desc())
    last_s = connection.execute(newest.offset(kept - 1).limit(1)).scalar()
    if last_s is not None:
        old = (tasks.c.created_s < last_s, tasks.c.state.not_in(UNFINISHED))
        connection.execute(delete(tasks).where(own, *old))


def _found(
    connection: Connection, *which: ColumnElement[bool], limit: int, with_results: bool = True
) -> list[QueuedTask]:
    columns = [each for each in tasks.c if with_results or each is not tasks.c.result]
    statement = select(*columns).where(*which).order_by(tasks.c.created_s.desc(), tasks.c.id)
    rows: Sequence[Any] = connection.execute(statement.limit(limit)).mappings().all()
    return [QueuedTask.from_row(row) for row in rows]
