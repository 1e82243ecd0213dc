"""Who gives connections to a store: the part of the service's database that others need."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection


class Connections(Protocol):
    """Readings and writings of one store."""

    def reading_long(self) -> AbstractContextManager[Connection]:
        """One state of the store, for work that nobody waits for."""

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction."""
