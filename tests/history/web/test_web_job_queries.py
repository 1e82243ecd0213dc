"""What the pages of jobs ask the store: rows, waits and neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.history.records import NOON_S, job, measured_job
from tests.history.web.filled import BOTH, filled

from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import JobQuery
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.database import Database
from schedlab.history.web.queries import listing
from schedlab.history.web.queries.listing import list_jobs
from schedlab.history.web.queries.neighbours import neighbours
from schedlab.history.web.queries.other_attempts import attempts_at
from schedlab.history.web.queries.search import Sort, jobs_by_key
from schedlab.history.web.queries.waiting import Wait, waited

ADMIN, ANN = Viewer(Role.ADMIN, "root"), Viewer(Role.USER, "ann")


def ran(jobid: str, queued_s: int, started_s: int, ended_s: int, **items: Any) -> JobRecord:
    """Return a job with these times, in seconds after noon."""
    start, end = (from_epoch(NOON_S + each) for each in (started_s, ended_s))
    return job(jobid, queued_s=queued_s, **{"start_time": start, "end_time": end, **items})


def shared(jobid: str, started_s: int, ended_s: int | None, node: str, **items: Any) -> JobRecord:
    """Return a job on a node of a cluster where jobs share nodes."""
    about = {"cluster": "three", "user_identifier": "ben", "per_host": [{"node_id": node}], **items}
    if ended_s is None:
        return ran(jobid, started_s, started_s, started_s, **about | {"end_time": None})
    return ran(jobid, started_s, started_s, ended_s, **about)


WIDE: dict[str, Any] = {
    "resource_req": {"num_host": 2},
    "per_host": [{"node_id": "n01"}, {"node_id": "n02"}],
}
RECORDS = [
    ran("first", 0, 0, 300, user_identifier="ben"),
    ran("ahead", 50, 600, 650, user_identifier="ben", **WIDE),
    ran("waits", 100, 700, 800, **WIDE),
    ran("overtakes", 200, 300, 500, user_identifier="ben"),
    ran("elsewhere", 60, 650, 660, cluster="two", user_identifier="ben"),
    measured_job("measured", queued_s=5_000, user_identifier="ben"),
    shared("shares", 400, 710, "n02", user_identifier="ann"),
    shared("there before", 300, 500, "n02"),
    shared("comes", 700, 800, "n02", user_identifier="ann"),
    shared("long", -90_000, 420, "n02"),
    shared("gone", 0, 400, "n02"),
    shared("on another node", 400, 710, "n01"),
    shared("on a namesake", 400, 710, "n02", cluster="two"),
    shared("runs", 9_000, None, "n03", state="running"),
    shared("beside it", 9_040, 9_100, "n03"),
    shared("beside it, later", 9_100, 9_300, "n03"),
    ran("77", 0, 10, 20, cluster="four", state="requeued", attempt=1),
    ran("77.r2", 30, 40, 50, cluster="four", state="requeued", attempt=2),
    ran("77.r3", 60, 70, 80, cluster="four", attempt=3, user_identifier="ben"),
    ran("77.r2", 30, 40, 50, cluster="five", attempt=2),
    ran("77", -20_000_000, -19_999_990, -19_999_980, cluster="four"),
    ran("770", 0, 10, 20, cluster="four"),
]
KEYS = {record.jobid: key for key, record in reversed([*enumerate(RECORDS, 1)])}
WAIT = Wait("one", None, NOON_S + 100, NOON_S + 700, num_host=2, nodes=2)


@pytest.fixture(params=BOTH, scope="module")
def store(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A store with jobs that compete for two nodes, and jobs that share nodes."""
    with filled(request, RECORDS) as database:
        yield database


def test_a_wait_is_told_by_what_the_cluster_did(store: Database) -> None:
    """One job was ahead and one overtook; a node was in use from 100 to 500, two from 600 to 650.

    So there were too few nodes for 450 of 600 s. The job on another cluster was not in the way.
    """
    with store.reading() as connection:
        found = waited(connection, ADMIN, WAIT)
    assert (found.ahead, found.ahead_num_host, found.overtaken_by) == (1, 2, 1)
    assert found.busy is not None
    levels = dict(zip(found.busy.time_s - NOON_S, found.busy.nodes, strict=True))
    assert levels == {100: 1, 300: 1, 500: 0, 600: 2, 650: 0, 700: 0}
    assert found.short_share == pytest.approx(450 / 600)


def test_a_wait_names_nobody_and_is_the_same_for_all(store: Database) -> None:
    """A user who sees only their own jobs also learns how many others there were."""
    with store.reading() as connection:
        mine, all_of_it = (waited(connection, viewer, WAIT) for viewer in (ANN, ADMIN))
    assert mine.ahead == all_of_it.ahead
    assert mine.short_share == all_of_it.short_share


def test_what_is_not_known_of_nodes_is_not_said(store: Database) -> None:
    """If the number of nodes is unknown or impossible, so is the number of free nodes."""
    with store.reading() as connection:
        for nodes in (None, 1):
            wait = Wait("one", None, NOON_S + 100, NOON_S + 700, num_host=2, nodes=nodes)
            assert waited(connection, ADMIN, wait).short_share is None


def test_neighbours_are_those_at_the_same_time_on_the_same_nodes(store: Database) -> None:
    """Any job that was on the node meanwhile counts; other users' jobs are not shown."""
    with store.reading() as connection:
        for viewer, names in ((ADMIN, {"long", "comes", "there before"}), (ANN, {"comes"})):
            found = neighbours(connection, viewer, KEYS["shares"], now_s=0.0)
            assert found.count == 3
            seen = {JobRecord.model_validate_json(each.document).jobid for each in found.seen}
            assert seen == names


def test_a_job_that_still_runs_has_neighbours_until_now(store: Database) -> None:
    """Jobs that start later are not neighbours yet."""
    with store.reading() as connection:
        for now_s, count in ((NOON_S + 9_050, 1), (NOON_S + 9_200, 2)):
            assert neighbours(connection, ADMIN, KEYS["runs"], now_s).count == count


def test_rows_have_what_was_measured(store: Database) -> None:
    """A row has the mean over the job's devices, and nothing if nothing was measured."""
    with store.reading() as connection:
        query = JobQuery(clusters=("one",))
        rows = list_jobs(connection, ADMIN, query, sort=Sort("queue_time")).rows
    assert rows[0]["jobid"] == "measured"
    assert rows[0]["footprint"] == {"accelerator.utilization_percent": 50.0}
    assert [row["wait_s"] for row in rows[1:]] == [100, 600, 550, 0]
    assert all(row["footprint"] == {} for row in rows[1:])


def test_only_the_latest_of_many_jobs_are_sorted(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No index is in the order of waits, so the list says how far back it looked."""
    monkeypatch.setattr(listing, "SORTED", 3)
    by_wait = Sort("wait_s")
    with store.reading() as connection:
        found = list_jobs(connection, ADMIN, JobQuery(), sort=by_wait)
        of_user = list_jobs(connection, ADMIN, JobQuery(users=("ann",)), sort=by_wait)
        of_time = list_jobs(connection, ADMIN, JobQuery(queued_from_s=NOON_S), sort=by_wait)
        newest = list_jobs(connection, ADMIN, JobQuery())
    assert found.since_s == NOON_S + 5_000
    assert {row["jobid"] for row in found.rows} == {
        "measured",
        "runs",
        "beside it",
        "beside it, later",
    }
    assert of_user.since_s is of_time.since_s is newest.since_s is None
    assert len(newest.rows) == len(RECORDS)


def test_keys_of_others_lead_nowhere(store: Database) -> None:
    """A guessed key gives what a missing one gives; jobs are in the order of the keys."""
    with store.reading() as connection:
        seen = jobs_by_key(connection, ADMIN, [3, 1, 3, 10**30, -1, 77], None)
        assert [each.key for each in seen] == [3, 1]
        assert [each.key for each in jobs_by_key(connection, ANN, [1, 2, 3], None)] == [3]


@pytest.mark.parametrize("jobid", ["77", "77.r2"])
def test_attempts_at_a_job_are_found_from_each(store: Database, jobid: str) -> None:
    """Attempts on other clusters, of a reused id and of other users are left out."""
    with store.reading() as connection:
        found = attempts_at(connection, ADMIN, KEYS[jobid])
        own = attempts_at(connection, ANN, KEYS[jobid])
    assert found == [(1, KEYS["77"]), (2, KEYS["77.r2"]), (3, KEYS["77.r3"])]
    assert own == found[:2]
