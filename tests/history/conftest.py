"""Fixtures for the tests of job histories: servers, and stores of both kinds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.services.grid_engine import grid_engine as grid_engine
from tests.services.postgresql import postgresql as postgresql
from tests.services.prometheus import prometheus_history as prometheus_history


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL at which a test can make a store, in SQLite and then in PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'history.db'}"
    new_database: Callable[[], str] = request.getfixturevalue("postgresql")
    return new_database()
