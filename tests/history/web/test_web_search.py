"""Which jobs are found, in which order, page after page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_core import from_json
from sqlalchemy import Connection, select, text
from tests.history.records import NOON_S, job, measured_job
from tests.history.web.filled import BOTH, filled

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.store import JobQuery, Store
from schedlab.history.store.queries import conditions
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Role, Viewer, visible
from schedlab.history.web.database import Database
from schedlab.history.web.queries import search as searching
from schedlab.history.web.queries.search import (
    SORTS,
    Cursor,
    JobCount,
    JobId,
    Sort,
    count,
    jobs_of,
    search,
)

EVERYTHING = JobQuery()
ADMIN = Viewer(Role.ADMIN)
ANN = Viewer(Role.USER, "ann")

WAITING: dict[str, Any] = {"state": "pending", "start_time": None, "end_time": None}
DAY_S = 86_400
RECORDS = (
    measured_job("1", tags=["cfd", "test"]),
    job("2", queued_s=60, user_identifier="ben", accounting_group="chemistry", state="failed"),
    job("3", queued_s=120, per_host=[{"node_id": "n02"}], partition="gpu", tags=["cfd"]),
    job("4", queued_s=180, req_walltime_sec=None, user_identifier="ben"),
    job("5", queued_s=240, per_host=None, **WAITING),
    job("6", queued_s=300, state="running", end_time=None),
    job("7", queued_s=-3 * DAY_S, end_time=measured_job().end_time),
    job("8", queued_s=60, cluster="two"),
)
"""Job 7 has run for three days, job 6 runs, job 5 waits; no two have the same id."""


@pytest.fixture(scope="module", params=BOTH)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A store with these jobs."""
    with filled(request, RECORDS) as made:
        yield made


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    """A connection that reads the store."""
    with database.reading() as opened:
        yield opened


def found(connection: Connection, viewer: Viewer = ADMIN, **query: Any) -> set[str]:
    """Return the ids of the jobs that the query finds."""
    page = search(connection, viewer, JobQuery(**query))
    return {from_json(each.document)["jobid"] for each in page.jobs}


def test_every_condition_narrows(connection: Connection) -> None:
    """Each known property of a job can be a condition; a job without the value does not match."""
    assert found(connection) == set("12345678")
    assert found(connection, tags=("cfd",)) == {"1", "3"}
    assert found(connection, tags=("cfd", "test"), partitions=("gpu",)) == {"3"}
    assert found(connection, states=("running", "pending")) == {"5", "6"}
    assert found(connection, clusters=("two",)) == {"8"}
    assert found(connection, nodes=("n02",)) == {"1", "3"}
    assert found(connection, groups=("chemistry",)) == {"2"}
    assert found(connection, ranges={"num_host": (2, None)}) == {"1"}
    assert found(connection, ranges={"energy_joule": (1e4, 1e5)}) == {"1"}
    assert found(connection, ranges={"run_s": (None, 100)}) == set("12348")
    # 100 s of 600 s; job 4 has no limit, and job 7 ran far beyond its own.
    assert found(connection, ranges={"wra": (None, 1 / 6)}) == set("1238")
    assert found(connection, ranges={"wra": (1.0, None)}) == {"7"}


def test_jobs_are_found_by_when_they_ran(connection: Connection) -> None:
    """A job that still runs has no end, and a long one began days before the window."""
    noon: dict[str, Any] = {"ran_from_s": NOON_S, "ran_to_s": NOON_S + 15}
    assert found(connection, **noon) == {"1", "7"}
    later = NOON_S + 10 * DAY_S
    assert found(connection, ran_from_s=later, ran_to_s=later + 1) == {"6"}
    assert found(connection, ran_to_s=NOON_S) == {"7"}
    assert found(connection, ran_from_s=NOON_S + 289) == {"4", "6"}


def test_jobs_are_found_by_one_moment(connection: Connection) -> None:
    """The moment is the submission, the start or the end; the end of a range is excluded."""
    assert found(connection, queued_from_s=NOON_S + 60, queued_to_s=NOON_S + 120) == {"2", "8"}
    assert found(connection, started_from_s=NOON_S + 310) == {"6"}
    assert found(connection, ended_from_s=NOON_S + 290, ended_to_s=NOON_S + 291) == {"4"}


@pytest.mark.parametrize("kept", [1, searching.KEPT])
def test_many_are_found_as_few_are(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Jobs on a busy node are searched in order instead of looked up one by one: the same jobs."""
    monkeypatch.setattr(searching, "MANY", 1)
    monkeypatch.setattr(searching, "KEPT", kept)
    assert found(connection, nodes=("n02",), tags=("cfd",)) == {"1", "3"}
    assert found(connection, ran_from_s=NOON_S, ran_to_s=NOON_S + 15) == {"1", "7"}
    assert found(connection, nodes=("n09",)) == set()


def test_an_unknown_quantity_is_refused() -> None:
    """A limit that is not checked would let all jobs through."""
    with pytest.raises(UnknownNameError, match="wra"):
        JobQuery(ranges={"wrra": (1, 2)})


def test_pages_put_together_are_all_jobs_in_order(connection: Connection) -> None:
    """Each job is on one page; jobs with an unknown value come last."""
    for by, column in SORTS.items():
        values = dict(map(tuple, connection.execute(select(jobs.c.id, column))))
        for order in (Sort(by, descending=False), Sort(by, descending=True)):
            listed = list(_listed(connection, order))
            assert sorted(listed) == sorted(values)
            given = [values[key] for key in listed]
            known = [value for value in given if value is not None]
            assert given == known + [None] * (len(given) - len(known))
            assert known == sorted(known, reverse=order.descending)


def _listed(connection: Connection, order: Sort, viewer: Viewer = ADMIN) -> Iterator[int]:
    """Yield the keys of all jobs, in pages of three."""
    after = None
    while True:
        page = search(connection, viewer, EVERYTHING, sort=order, after=after, limit=3)
        yield from (each.key for each in page.jobs)
        if page.next is None:
            return
        after = Cursor.parse(str(page.next), order)


def test_nobody_finds_another_s_jobs(connection: Connection) -> None:
    """Other users' jobs are not in pages or counts, and are not found by ids."""
    assert found(connection, ANN) == set("135678")
    assert found(connection, ANN, users=("ben",)) == set()
    assert count(connection, ANN, JobQuery(users=("ben",))) == JobCount(0, is_exact=True)
    bens = JobId("2")
    assert jobs_of(connection, ANN, [bens], None) == {bens: []}
    assert len(jobs_of(connection, ADMIN, [bens], None)[bens]) == 1


def test_a_manager_finds_own_jobs_and_those_of_the_groups_once(connection: Connection) -> None:
    """A job that is both the manager's own and a group's is on one page only."""
    manager = Viewer(Role.MANAGER, "ann", frozenset({"physics", "chemistry"}))
    listed = list(_listed(connection, Sort(), manager))
    assert len(listed) == len(set(listed)) == len(RECORDS)
    chemist = Viewer(Role.MANAGER, "ann", frozenset({"chemistry"}))
    assert found(connection, chemist) == set("1235678")
    assert list(_listed(connection, Sort("wra"), Viewer(Role.MANAGER, None))) == []


def test_a_count_goes_only_so_far(connection: Connection) -> None:
    """The search need not count ten million jobs to say that there are many."""
    assert count(connection, ADMIN, EVERYTHING, most=8) == JobCount(8, is_exact=True)
    assert count(connection, ADMIN, EVERYTHING, most=7) == JobCount(7, is_exact=False)


@pytest.mark.parametrize("cursor", ["", "x", "bnVsbA", "WzEsMl0", "WyJ3cmEiLCJhIiwxXQ", "é"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    """A cursor comes from outside, like everything in a URL."""
    with pytest.raises(ParameterError, match="cursor"):
        Cursor.parse(cursor, Sort("wra", descending=False))


def test_a_cursor_of_another_order_is_refused() -> None:
    """Such a cursor would skip jobs silently."""
    cursor = Cursor(Sort("wra"), 0.5, 7)
    with pytest.raises(ParameterError, match="another sort"):
        Cursor.parse(str(cursor), Sort("wait_s"))


def test_an_id_is_narrowed_by_what_else_is_said(connection: Connection) -> None:
    """Ids are reused; if no cluster is given, the job may be of any."""
    ids = [JobId("1"), JobId("1", cluster="two"), JobId("1", attempt=2), JobId("1", queue_s=NOON_S)]
    assert [len(each) for each in jobs_of(connection, ADMIN, ids, None).values()] == [1, 0, 0, 1]


PLANS = [
    ({}, "-queue_time", "COVERING INDEX job_queued"),
    ({}, "-start_time", "INDEX job_ran"),
    ({}, "-end_time", "INDEX job_ended"),
    ({"users": ("ann",)}, "-queue_time", "COVERING INDEX job_user"),
    ({"users": ("ann",)}, "-energy_joule", "COVERING INDEX job_user"),
    ({"groups": ("physics",)}, "-queue_time", "INDEX job_group"),
    ({"states": ("running",)}, "-queue_time", "INDEX job_unfinished"),
    ({"states": ("node_fail",)}, "-queue_time", "COVERING INDEX job_queued"),
    ({"tags": ("cfd",)}, "-queue_time", "INDEX tag_job"),
    ({"nodes": ("n01",)}, "-queue_time", "INDEX host_ran"),
    ({"ran_from_s": 5, "ran_to_s": 9}, "-queue_time", "COVERING INDEX job_long"),
    ({"ended_from_s": 5, "ended_to_s": 9}, "-end_time", "INDEX job_ended"),
    ({"ranges": {"wra": (2, None)}}, "-queue_time", "COVERING INDEX job_queued"),
    ({}, "-wra", "COVERING INDEX"),
    ({}, "num_host", "COVERING INDEX"),
]


def test_a_search_never_reads_all_records(tmp_path: Any) -> None:
    """Of ten million jobs, those on the page are found within an index."""
    with Store.make(str(tmp_path / "history.db")) as store:
        for query, sort, index in PLANS:
            meant = [visible(ADMIN), *conditions(JobQuery(**query))]  # type: ignore[arg-type]
            statement = next(searching._segments(meant, Sort.parse(sort), None)).limit(50)
            compiled = statement.compile(compile_kwargs={"literal_binds": True})
            plan = store.select(text(f"EXPLAIN QUERY PLAN {compiled}"))  # type: ignore[arg-type]
            assert any(index in row[-1] for row in plan), (query, sort, plan)
            assert not any(row[-1] in ("SCAN jobs", "SCAN ran") for row in plan), plan
