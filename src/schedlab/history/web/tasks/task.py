"""Tasks: simulations that somebody asks for, and their states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from pydantic_core import from_json, to_json

from schedlab.history.web.access import Role, Viewer


class State(StrEnum):
    """The state of a task."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    """Withdrawn by the user who had asked for it."""
    INTERRUPTED = "interrupted"
    """Its worker is gone."""


UNFINISHED = (State.WAITING, State.RUNNING)


@dataclass(frozen=True)
class TaskRequest:
    """A simulation that somebody asks for.

    Args:
        kind: a key of ``simulations()``.
        parameters: the parameters of the simulation, in types that JSON has.
        viewer: who asks; the result covers jobs that they see.
        version: the version of what is in the store; another gives another result.
    """

    kind: str
    parameters: Mapping[str, Any]
    viewer: Viewer
    version: str

    @property
    def key(self) -> str:
        """A digest, which is the same for requests that must give the same result."""
        content = to_json([self.kind, self.parameters, viewer_document(self.viewer), self.version])
        return blake2b(content, digest_size=16).hexdigest()


@dataclass(frozen=True, kw_only=True)
class QueuedTask:
    """A simulation that somebody asked for, with its state and result."""

    id: str
    kind: str
    account: str
    viewer: Viewer
    parameters: Mapping[str, Any]
    key: str
    state: State
    progress: float
    """From 0 to 1."""
    created_s: float
    ended_s: float | None = None
    result: Any = None
    failure: str | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the task has ended: it neither waits nor runs."""
        return self.state not in UNFINISHED

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> QueuedTask:
        """Return the task in a row of the table."""
        known = {name: row[name] for name in ("id", "kind", "account", "key", "progress")}
        times = {name: row[name] for name in ("created_s", "ended_s", "failure")}
        return cls(
            **known,
            **times,
            viewer=_viewer(row["viewer"]),
            parameters=from_json(row["parameters"]),
            state=State(row["state"]),
            result=None if row.get("result") is None else from_json(row["result"]),
        )


def viewer_document(viewer: Viewer) -> dict[str, Any]:
    """Return the viewer in types that JSON has."""
    return {"role": viewer.role, "user": viewer.user, "groups": sorted(viewer.groups)}


def _viewer(document: str) -> Viewer:
    given = from_json(document)
    return Viewer(Role(given["role"]), given["user"], frozenset(given["groups"]))
