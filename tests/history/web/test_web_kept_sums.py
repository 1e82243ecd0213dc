"""Sums that are kept for days equal those of the jobs, whatever has been written since."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.history.records import NOON_S, job
from tests.history.web.filled import BOTH, filled

from schedlab.history.job_archive.move import move_jobs
from schedlab.history.schema import JobRecord
from schedlab.history.store import JobQuery, Store
from schedlab.history.store.sum_tables import day_sums, summed_days
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.access.viewer import SCOPES
from schedlab.history.web.database import Database
from schedlab.history.web.queries import stats as module
from schedlab.history.web.queries.stats import stats

DAY_S = 86_400
YEAR_LATER_S = NOON_S + 365 * DAY_S


def some(number: int, draw: random.Random) -> JobRecord:
    """Return a job of one of three users, on one of forty days."""
    user = draw.choice(["ann", "ben", None])
    return job(
        str(number),
        queued_s=draw.randrange(40 * DAY_S),
        user_identifier=user,
        accounting_group=draw.choice(["physics", "chemistry"]),
        partition=draw.choice(["cpu", None]),
        state=draw.choice(["completed", "failed"]),
        req_walltime_sec=400,  # it used a quarter: the order of a sum does not matter
        energy={"total_joule": 8.0 * number} if number % 2 else None,
    )


@pytest.fixture(scope="module", params=BOTH)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A store with two hundred jobs and the sums of their days."""
    draw = random.Random(1)
    with filled(request, [some(number, draw) for number in range(200)]) as made:
        Store(made.url, made.engine).sum_days(YEAR_LATER_S)
        yield made


def viewer(role: Role) -> Viewer:
    """Return a viewer in this role."""
    return Viewer(role, user="ann", groups=frozenset({"physics"}), scopes=SCOPES[role])


def both(
    database: Database, query: JobQuery, by: Sequence[str], role: Role
) -> tuple[list[Any], list[Any]]:
    """Return the sums that use the kept ones, and the sums of the jobs alone."""
    with pytest.MonkeyPatch.context() as patch, database.reading() as connection:
        kept = stats(connection, viewer(role), query, by)
        patch.setattr(module, "split", lambda *_: None)
        plain = stats(connection, viewer(role), query, by)
    return [(names, astuple(sums)) for names, sums in kept], [
        (names, astuple(sums)) for names, sums in plain
    ]


@pytest.mark.parametrize("role", [Role.ADMIN, Role.MANAGER, Role.USER])
def test_kept_sums_are_those_of_the_jobs(database: Database, role: Role) -> None:
    """This holds for any window and key; days that a window cuts are summed from their jobs."""
    draw = random.Random(2)
    for _ in range(30):
        first_s, end_s = sorted(NOON_S + draw.randrange(-DAY_S, 42 * DAY_S) for _ in range(2))
        query = JobQuery(
            ended_from_s=first_s,
            ended_to_s=end_s,
            users=draw.choice([(), ("ann", "ben")]),
            states=draw.choice([(), ("failed",)]),
        )
        by = draw.sample(["group", "user", "state", "partition", "day", "size"], draw.randrange(3))
        kept, plain = both(database, query, by, role)
        assert kept == plain, (query, by)


def test_what_is_written_takes_the_sums_of_its_day_away(database: Database, tmp_path: Path) -> None:
    """After new, changed and archived jobs, the sums are right at once, and kept again later."""
    store = Store(database.url, database.engine)
    query = JobQuery(ended_from_s=NOON_S - DAY_S, ended_to_s=NOON_S + 50 * DAY_S)

    def days() -> int:
        with database.reading() as connection:
            return int(
                connection.execute(select(func.count()).select_from(summed_days)).scalar_one()
            )

    whole = days()
    for jobs in (
        [job("new", queued_s=7 * DAY_S, req_walltime_sec=400)],
        [job("new", queued_s=7 * DAY_S, req_walltime_sec=400, state="failed")],
    ):
        store.put(jobs, source="test")
        assert days() == whole - 1
        kept, plain = both(database, query, ["state"], Role.ADMIN)
        assert kept == plain
        store.sum_days(YEAR_LATER_S)
        assert days() == whole
    moved = move_jobs(store, tmp_path, NOON_S + 3 * DAY_S)
    kept, plain = both(database, query, ["day"], Role.ADMIN)
    assert kept == plain
    assert sum(sums[0] for _, sums in kept) == 201 - moved.jobs


def test_days_that_still_change_are_not_summed(database: Database) -> None:
    """Otherwise such days would be summed again at every ingest."""
    Store(database.url, database.engine).put([job("late", queued_s=60 * DAY_S)], source="test")
    Store(database.url, database.engine).sum_days(NOON_S + 61 * DAY_S)
    with database.reading() as connection:
        newest = connection.execute(select(func.max(summed_days.c.day))).scalar_one()
        rows = connection.execute(select(func.count()).select_from(day_sums)).scalar_one()
    assert newest == NOON_S // DAY_S + 59
    assert rows > 0
