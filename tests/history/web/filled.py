"""Stores with jobs in them, made once for the tests of a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import pytest

from schedlab.history.schema import JobRecord
from schedlab.history.store import Store
from schedlab.history.web.database import Database

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
"""Parameters of a fixture that makes a store of each kind."""


@contextmanager
def filled(request: pytest.FixtureRequest, records: Iterable[JobRecord]) -> Iterator[Database]:
    """Make a store of the kind that the fixture's parameter names, with these jobs."""
    if request.param == "sqlite":
        factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
        url = str(factory.mktemp("store") / "history.db")
    else:
        new_database: Callable[[], str] = request.getfixturevalue("postgresql")
        url = new_database()
    with Store.make(url) as store:
        store.put(records, source="test")
    database = Database(url)
    yield database
    database.close()
