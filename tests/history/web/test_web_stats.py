"""Grouped sums and the accuracy of requests, compared with plain loops over the records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, timedelta, timezone

import pytest
from sqlalchemy import Connection
from tests.history.records import NOON_S, job, measured_job
from tests.history.web.filled import BOTH, filled

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import JobQuery
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.database import Database
from schedlab.history.web.queries.accuracy import accuracy
from schedlab.history.web.queries.stats import days_between, regrouped, stats

ADMIN, ANN = Viewer(Role.ADMIN), Viewer(Role.USER, "ann")
DAY_S = 86_400


def ran(jobid: str, day: int, run_s: int, limit_s: int, **items: object) -> JobRecord:
    """Return a job submitted at noon of this day, which waited 10 s and ran ``run_s``."""
    start_s = NOON_S + day * DAY_S + 10
    return job(
        jobid,
        queued_s=day * DAY_S,
        start_time=from_epoch(start_s),
        end_time=from_epoch(start_s + run_s),
        req_walltime_sec=limit_s,
        **items,
    )


RECORDS = (
    measured_job("1"),
    ran("2", 0, 3_600, 7_200, user_identifier="ben", accounting_group="chemistry"),
    ran("3", 1, 50_000, 86_400, resource_req={"num_host": 3}, per_host=[]),
    ran("4", 31, 200, 1_000),
    ran("5", 31, 300, 400),
    job("6", state="running", end_time=None, queued_s=40 * DAY_S),
    job("7", state="pending", start_time=None, end_time=None, per_host=None, req_walltime_sec=None),
)
"""Job 3 ends at 1:53 of the next day, on three hosts that have no names."""


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


def node_s_by_user() -> dict[str | None, int]:
    """Return the node-seconds of each user, added up one job after the other."""
    sums: dict[str | None, int] = defaultdict(int)
    for each in RECORDS:
        if each.start_time is not None and each.end_time is not None:
            hosts = len(each.per_host or ()) or each.resource_req.num_host
            run_s = int((each.end_time - each.start_time).total_seconds())
            sums[each.user_identifier] += run_s * hosts
    return sums


def test_sums_are_those_of_a_plain_loop(connection: Connection) -> None:
    """Jobs that have not ended count as jobs, and add nothing to the node-seconds."""
    groups = dict(stats(connection, ADMIN, JobQuery(), ["user"]))
    assert {user: sums.node_s for (user,), sums in groups.items()} == node_s_by_user()
    ann = groups[("ann",)]
    assert (ann.jobs, ann.ended, ann.started, ann.measured) == (6, 4, 5, 1)
    shown = ann.shown()
    assert shown["energy_joule"] == 40_000.0
    assert shown["mean_wait_s"] == 10.0
    assert shown["mean_wra"] == pytest.approx((100 / 600 + 50_000 / 86_400 + 0.2 + 0.75) / 4)
    assert groups[("ben",)].shown()["energy_joule"] is None


def names(
    connection: Connection, by: str, day: str = "ended", zone: timezone = UTC
) -> list[str | None]:
    """Return the names of the groups, in their order."""
    found = stats(connection, ADMIN, JobQuery(), by.split(","), day=day, zone=zone)
    return [",".join(map(str, group)) for group, _ in found]


def test_groups_have_the_names_of_days_and_sizes(connection: Connection) -> None:
    """A job counts on the day of one moment, in the site's zone; a week is named by its Monday."""
    assert names(connection, "day") == ["None", "2023-11-15", "2023-11-17", "2023-12-16"]
    assert names(connection, "day", "queued")[:2] == ["2023-11-15", "2023-11-16"]
    west = timezone(timedelta(hours=-3))
    assert names(connection, "day", zone=west)[2] == "2023-11-16"
    assert names(connection, "week") == ["None", "2023-11-13", "2023-12-11"]
    assert names(connection, "month") == ["None", "2023-11", "2023-12"]
    assert sorted(map(str, names(connection, "size"))) == ["1", "2", "3-4"]
    assert names(connection, "cluster,user") == ["one,ann", "one,ben"]


def test_nobody_s_sums_have_another_s_jobs_in_them(connection: Connection) -> None:
    """A sum over a single job would reveal that job."""
    assert [group for group, _ in stats(connection, ANN, JobQuery(), ["user"])] == [("ann",)]
    assert stats(connection, ANN, JobQuery(users=("ben",)), ["user"]) == []


def test_a_manager_s_sums_are_of_own_jobs_and_of_the_groups(connection: Connection) -> None:
    """This holds in a window and over all time; a job that is both is counted once."""
    manager = Viewer(Role.MANAGER, "ann", frozenset({"physics", "chemistry"}))
    november = JobQuery(ended_from_s=NOON_S, ended_to_s=NOON_S + 10 * DAY_S)
    for query, jobs in ((JobQuery(), 7), (november, 3)):
        groups = stats(connection, manager, query, ["user"])
        assert sum(sums.jobs for _, sums in groups) == jobs
    alone = Viewer(Role.MANAGER, "ann", frozenset({"biology"}))
    assert [group for group, _ in stats(connection, alone, november, ["user"])] == [("ann",)]


def test_what_jobs_cannot_be_grouped_by_is_refused(connection: Connection) -> None:
    """The message names what is possible."""
    with pytest.raises(UnknownNameError, match='did you mean "user"'):
        stats(connection, ADMIN, JobQuery(), ["users"])
    with pytest.raises(ParameterError, match="at most 3"):
        stats(connection, ADMIN, JobQuery(), ["user", "group", "day", "state"])


def test_wrsa_is_the_recursion_of_the_paper(connection: Connection) -> None:
    """Takizawa and Takano: it is 1 at first, then 0.3 of itself plus 0.7 of each job's WRA."""
    found = accuracy(connection, ADMIN, "ann")
    assert found is not None
    each_wra = [100 / 600, 50_000 / 86_400, 0.2, 0.75]
    wrsa, after = 1.0, []
    for value in each_wra:
        wrsa = 0.3 * wrsa + 0.7 * value
        after.append(wrsa)
    assert found.wrsa == pytest.approx(wrsa, rel=1e-12)
    assert found.mean_wra == pytest.approx(sum(each_wra) / 4, rel=1e-12)
    assert found.asked_ratio == pytest.approx(88_400 / 50_600)
    assert [(each.period, each.jobs) for each in found.periods] == [("2023-11", 2), ("2023-12", 2)]
    assert [each.wrsa for each in found.periods] == pytest.approx([after[1], after[3]], rel=1e-12)
    assert found.periods[1].mean_wra == pytest.approx(0.475)


def test_another_s_accuracy_is_not_there(connection: Connection) -> None:
    """The accuracy of a hidden user is missing like that of a user who does not exist."""
    assert accuracy(connection, ANN, "ben") is None
    assert accuracy(connection, ADMIN, "zoe") is None


@pytest.mark.parametrize("kept", [["user"], ["month"], ["month", "user"], []])
def test_groups_by_fewer_keys_come_from_those_by_more(
    connection: Connection, kept: list[str]
) -> None:
    """A page asks the store once, and sums up the groups for each of its tables."""
    by = ["user", "month"]
    found = regrouped(stats(connection, ADMIN, JobQuery(), by), by, kept)
    assert found == stats(connection, ADMIN, JobQuery(), kept)


def test_a_history_is_as_long_as_from_its_first_submission_to_its_last(
    connection: Connection,
) -> None:
    """A page chooses days, weeks or months by it; it is 0 for a user whose jobs are hidden."""
    assert days_between(connection, ADMIN, JobQuery()) == 40
    assert days_between(connection, ADMIN, JobQuery(users=("ben",))) == 0
    assert days_between(connection, ANN, JobQuery(users=("ben",))) == 0
