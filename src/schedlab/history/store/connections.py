"""The contract of what gives connections to a store: what others need of the database."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection


class Connections(Protocol):
    """Readings and writings of one store."""

    def reading_long(self) -> AbstractContextManager[Connection]:
        """Return one state of the store, for work in the background."""

    def writing(self) -> AbstractContextManager[Connection]:
        """Return a transaction."""
