"""The store's database, as the service uses it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import text
from tests.history.web.filled import BOTH, filled

from schedlab.history.web import database as module
from schedlab.history.web.database import Database
from schedlab.history.web.problems import HttpProblem

ENDLESS = text(
    "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number) "
    "SELECT max(n) FROM number"
)


@pytest.fixture(scope="module", params=BOTH)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """An empty store."""
    with filled(request, ()) as made:
        yield made


def test_what_takes_too_long_is_stopped(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few such requests would keep all others waiting; the connection stays usable."""
    monkeypatch.setattr(module, "MOST_S", 0.2)
    said = "longer than 0.2 s; ask for a shorter time"
    with pytest.raises(HttpProblem, match=said) as refused, database.reading() as connection:
        connection.execute(ENDLESS)
    assert refused.value.status == 503
    monkeypatch.undo()
    with database.reading() as connection:
        assert connection.execute(text("SELECT 1")).scalar() == 1
