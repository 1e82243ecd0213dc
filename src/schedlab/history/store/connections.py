"""The contract of an object that opens connections to a store, which is all others need."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection


class Connections(Protocol):
    """Opens connections to one store for reading and for writing."""

    def reading_long(self) -> AbstractContextManager[Connection]:
        """Return a connection that sees one state of the store, for background work."""

    def writing(self) -> AbstractContextManager[Connection]:
        """Return a connection in a transaction that may write."""
