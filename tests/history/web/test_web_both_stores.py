"""Alerts, reports and series give the same results with SQLite and with PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.history.records import NOON_S
from tests.history.tiny_site import tiny_site
from tests.history.web.filled import BOTH, filled
from tests.history.web.test_web_reports import ALL, FACTORS, JOBS, WEEK, ran

from schedlab.history.alerts.book import acknowledge, count_unacknowledged, current_alerts
from schedlab.history.alerts.watch import watch
from schedlab.history.alerts_section import AlertsSection
from schedlab.history.store import JobQuery
from schedlab.history.store.duties import is_due, take_duty
from schedlab.history.web.access.accounts import Account, put_account, remove_account
from schedlab.history.web.access.viewer import Role
from schedlab.history.web.database import Database
from schedlab.history.web.queries.over_time import sums_over_time
from schedlab.history.web.reports.report import Subject, make_report
from schedlab.history.web.reports.subscriptions import (
    Subscription,
    list_subscriptions,
    subscribe,
    unsubscribe,
)

DAY_S = 86_400


@pytest.fixture(scope="module", params=BOTH)
def store(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A store of each kind, with the jobs of the report tests and one job with GPUs."""
    gpus = {"num_host": 1, "accelerator": {"type": "a", "num_perhost": 2}}
    with filled(request, [*JOBS, ran("1", 0, 2, 60, resource_req=gpus)]) as database:
        yield database


def test_alerts_are_found_and_kept(store: Database, tmp_path: Path) -> None:
    """All rules are evaluated; the source in the site file has never been read."""
    site = tiny_site(tmp_path)
    watch(store, site, AlertsSection(queue_least=1, queue_factor=1.0), NOON_S + 3 * DAY_S)
    with store.writing() as connection:
        found = current_alerts(connection)
        assert [(each.kind, each.subject) for each in found] == [
            ("queue", "one"),
            ("source-lag", "scheduler"),
        ]
        assert acknowledge(connection, found[0].id, "sue", 1.0)
        assert count_unacknowledged(connection) == 1


def test_a_duty_is_taken_once(store: Database) -> None:
    """Only the first worker that takes a duty gets it."""
    with store.writing() as connection:
        assert is_due(connection, "reports", 1.0)
        assert take_duty(connection, "reports", 1.0, 2.0)
        assert not take_duty(connection, "reports", 1.0, 2.0)


def test_reports_have_the_same_numbers(store: Database, tmp_path: Path) -> None:
    """The numbers are those of the plain loops in the report tests."""
    site = tiny_site(tmp_path, FACTORS.replace("node_hour = 1.0", "gpu_hour = 3.0"))
    with store.reading() as connection:
        report = make_report(connection, ALL, site, Subject("site", "tiny"), WEEK)
    assert (report.use.jobs, report.use.not_completed, report.before.jobs) == (4, 1, 1)
    assert report.use.carbon_gram == pytest.approx(400 * 5 + 100 * 4)
    assert report.use.gpu_hours == pytest.approx(2 * 2)
    assert report.use.cost == pytest.approx(2 * 2 * 3 + 4 * 0.5)
    assert [name for name, _ in report.groups] == ["physics", "chemistry"]


def test_an_account_has_one_subscription(store: Database) -> None:
    """The last one counts; it ends by itself, or with the account."""
    with store.writing() as connection:
        put_account(connection, Account("ann", Role.USER))
        subscribe(connection, Subscription("ann", "ann@example.org", "week"))
        subscribe(connection, Subscription("ann", "ann@example.org", "month"))
        assert [each.period for each in list_subscriptions(connection)] == ["month"]
        unsubscribe(connection, "ann")
        assert list_subscriptions(connection) == []
        subscribe(connection, Subscription("ann", "ann@example.org", "week"))
        remove_account(connection, "ann")
        assert list_subscriptions(connection) == []


@pytest.mark.parametrize(
    ("by", "jobs"),
    [
        (None, {"": 6}),
        ("user", {"ann": 5, "ben": 1}),
        ("size", {"1": 6}),
        ("state", {"completed": 5, "failed": 1}),
    ],
)
def test_series_are_divided_by_a_key(store: Database, by: str | None, jobs: dict[str, int]) -> None:
    """Each job counts in one step of one series."""
    query = JobQuery(ended_from_s=NOON_S - 30 * DAY_S, ended_to_s=NOON_S + 30 * DAY_S)
    with store.reading() as connection:
        found = sums_over_time(connection, ALL, query, DAY_S, by)
    counted = {name: sum(each.jobs for each in steps.values()) for name, steps in found.items()}
    assert counted == jobs
