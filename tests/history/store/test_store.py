"""What is put into a store, and what comes out of it."""

from __future__ import annotations

import gc
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text
from tests.history.records import NOON_S, job, measured_job

from schedlab.errors import StoreError
from schedlab.history.schema import Fault, JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Counts, JobQuery, Measurement, Store
from schedlab.history.store.queries import chosen
from schedlab.history.store.tables import aggregates, faults, hosts, ingests, jobs, provenances


def put(store: Store, *records: JobRecord) -> Counts:
    """Store records of a source called "test"."""
    return store.put(records, source="test")


def ids(store: Store, **query: object) -> list[str]:
    """Return the ids of the jobs that match the query."""
    return [each.jobid for each in store.jobs(JobQuery(**query))]  # type: ignore[arg-type]


def test_a_record_comes_back_as_it_was(store: Store) -> None:
    """The record is kept whole, unknown items, timelines and accelerators included."""
    given = measured_job(rack_colour="blue")
    put(store, given)
    assert list(store.jobs()) == [given]


def test_the_same_again_changes_nothing(store: Store) -> None:
    """Reading a source twice is harmless, so a reading that was killed can be repeated."""
    assert put(store, job("1"), job("2")) == Counts(added=2)
    assert put(store, job("1"), job("2")) == Counts(same=2)
    assert len(list(store.jobs())) == 2


def test_more_records_than_a_statement_takes(store: Store) -> None:
    """Rows go to the database in batches; between two of them no row is lost or put twice."""
    many = [job(str(number), queued_s=number) for number in range(2_000)]
    assert put(store, *many) == Counts(added=2_000)
    assert put(store, *many, job("2000", queued_s=2_000)) == Counts(added=1, same=2_000)
    assert ids(store) == [str(number) for number in range(2_001)]
    assert store.select(select(func.count()).select_from(hosts)) == [(2_001,)]


def test_a_job_that_went_on_is_replaced_with_all_its_parts(store: Store) -> None:
    """A job first seen running is the same job when it has ended; no earlier row of it remains."""
    put(store, measured_job(state="running"))
    assert put(store, job("1", per_host=[{"node_id": "n07"}])) == Counts(changed=1)
    assert [each.state for each in store.jobs()] == ["completed"]
    assert store.select(select(hosts.c.node_id)) == [("n07",)]
    assert store.select(select(aggregates)) == []


def test_a_used_again_id_is_another_job(store: Store) -> None:
    """Schedulers reuse ids: the time of submission, the attempt and the cluster tell jobs apart."""
    put(store, job("1"), job("1", queued_s=5), job("1", attempt=2), job("1", cluster="two"))
    assert ids(store) == ["1"] * 4


def test_of_two_rows_with_one_identity_the_later_counts(store: Store) -> None:
    """If a log has a job twice, the later row says how it ended."""
    put(store, job("1", state="failed"), job("1", state="completed"))
    assert [each.state for each in store.jobs()] == ["completed"]


def test_a_job_without_a_queue_time_has_an_identity_too(store: Store) -> None:
    """The paper does not require a queue time; two such rows of one id are one job."""
    unknown = job("1").model_copy(update={"queue_time": None})
    put(store, unknown)
    assert put(store, unknown) == Counts(same=1)


def test_times_are_kept_in_one_zone(store: Store) -> None:
    """A file of records has one zone, so that the order of texts is the order of time."""
    tokyo = timezone(timedelta(hours=9))
    given = job("1", queue_time=from_epoch(NOON_S).astimezone(tokyo))
    put(store, given)
    (document,) = store.documents()
    assert '"queue_time":"20231115T120000+0000"' in document
    assert put(store, given) == Counts(same=1)


def test_the_parts_of_a_record_can_be_asked_for_by_sql(store: Store) -> None:
    """Aggregates stand in rows, one per host, item and device, with one row per provenance."""
    put(store, measured_job())
    columns = (aggregates.c.place, aggregates.c.item, aggregates.c.device, aggregates.c.avg)
    assert sorted(store.select(select(*columns))) == [
        (0, "accelerator.utilization_percent", 0, 50.0),
        (0, "accelerator.utilization_percent", 1, 50.0),
        (0, "power_watt", -1, 200.0),
        (1, "power_watt", -1, 200.0),
    ]
    assert sorted(store.select(select(provenances.c.unit))) == [("%",), ("W",)]


def test_every_column_of_a_job_holds_what_its_name_says(store: Store) -> None:
    """Rows are written in the order of the columns, where a mistake would swap two."""
    given = measured_job(
        "7", partition="batch", job_name="sim", attempt=2, state="failed", user_identifier="bob"
    )
    put(store, given)
    (row,) = store.select(select(jobs))
    assert {name: row._mapping[name] for name in row._mapping if name not in ("digest", "id")} == {
        "cluster": "one",
        "jobid": "7",
        "attempt": 2,
        "queue_s": NOON_S,
        "start_s": NOON_S + 10,
        "end_s": NOON_S + 110,
        "state": "failed",
        "partition": "batch",
        "user_identifier": "bob",
        "accounting_group": "physics",
        "job_name": "sim",
        "num_host": 2,
        "energy_joule": 40_000,
        "maxpower_watt": 480,
        "source": "test",
        "measurement": Measurement.DONE,
        "record": given.to_json(),
        "said": None,
        "req_walltime_s": 600,
        "node_s": 200,
    }


def test_a_row_does_not_depend_on_what_is_put_with_it(store: Store) -> None:
    """Columns that are empty in all rows of a statement are left out, which changes no row."""
    sparse: dict[str, Any] = {"user_identifier": None, "req_walltime_sec": None, "per_host": []}
    put(store, job("1", **sparse))
    put(store, measured_job("2"))
    put(store, job("3", **sparse), measured_job("4"))
    columns = [each for each in jobs.c if each.name not in ("id", "jobid", "digest", "record")]
    alone, full, *together = store.select(select(*columns).order_by(jobs.c.id))
    assert together == [alone, full]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["1", "2", "3"]),
        ({"users": ("bob",)}, ["2"]),
        ({"nodes": ("n02",)}, ["3"]),
        ({"jobids": ("3", "1")}, ["1", "3"]),
        ({"states": ("failed",)}, ["2"]),
        ({"limit": 2}, ["1", "2"]),
        # Job 1 runs from 10 s to 110 s after noon, job 2 from 110 s to 210 s.
        ({"ran_to_s": NOON_S + 110}, ["1"]),
        ({"ran_from_s": NOON_S + 110, "ran_to_s": NOON_S + 111}, ["2"]),
        ({"queued_from_s": NOON_S + 100, "queued_to_s": NOON_S + 200}, ["2"]),
    ],
)
def test_jobs_are_found_by_who_where_and_when(
    store: Store, query: dict[str, object], found: list[str]
) -> None:
    """Each condition narrows the result; neither a time range nor a job's run includes its end."""
    put(
        store,
        job("3", queued_s=200, per_host=[{"node_id": "n02"}]),
        job("1"),
        job("2", queued_s=100, user_identifier="bob", state="failed"),
    )
    assert ids(store, **query) == found


def due_ids(store: Store) -> list[str]:
    """Return the ids of the jobs for which sensors are to be asked."""
    return [due.record.jobid for due in store.due(Measurement.DUE, 10)]


def test_a_measured_job_is_the_same_job_when_it_is_read_again(store: Store) -> None:
    """Measured values are kept, and sensors are asked only once for one version of a record."""
    store.put([job("1")], source="test", to_measure=True)
    (due,) = store.due(Measurement.DUE, 10)
    store.put_measured({due: measured_job("1")}, failed=[])
    assert due_ids(store) == []
    assert store.put([job("1")], source="test", to_measure=True) == Counts(same=1)
    assert list(store.jobs()) == [measured_job("1")]


def test_a_job_whose_sensor_failed_can_be_measured_later(store: Store) -> None:
    """The job is kept, and known to be incomplete."""
    store.put([job("1"), job("2")], source="test", to_measure=True)
    first, second = store.due(Measurement.DUE, 10)
    store.put_measured({first: job("1"), second: job("2")}, failed=[first])
    assert due_ids(store) == []
    assert [due.record.jobid for due in store.due(Measurement.FAILED, 10)] == ["1"]


def test_a_job_is_measured_when_it_has_ended(store: Store) -> None:
    """A timeline that still grows has no mean yet, and a job that never ran has none at all."""
    waiting: dict[str, Any] = {
        "state": "pending",
        "start_time": None,
        "end_time": None,
        "per_host": None,
    }
    running: dict[str, Any] = {"state": "running", "end_time": None}
    store.put([job("1", **waiting), job("2", **running)], source="test", to_measure=True)
    assert due_ids(store) == []


def test_a_late_neighbour_makes_a_job_due_again(store: Store) -> None:
    """The job's share of the node was computed before the other job was known."""
    apart = job("2", per_host=[{"node_id": "n02"}])
    store.put([job("1"), apart, job("3", queued_s=100)], source="t", to_measure=True)
    measured = {due: due.record for due in store.due(Measurement.DUE, 10)}
    store.put_measured(measured, failed=[])
    late = [job("4", queued_s=50)]
    store.put(late, source="test", to_measure=True, nodes_are_shared=True)
    assert sorted(due_ids(store)) == ["1", "3", "4"]


def test_all_can_be_measured_again(store: Store) -> None:
    """A site with a new sensor may want to measure old jobs too."""
    store.put([job("1"), job("2", state="running", end_time=None)], source="test")
    assert due_ids(store) == []
    store.measure_again()
    assert due_ids(store) == ["1"]


def test_a_job_that_changed_while_it_was_measured_stays_due(store: Store) -> None:
    """The measurement belongs to the earlier version of the record."""
    store.put([job("1")], source="test", to_measure=True)
    (due,) = store.due(Measurement.DUE, 10)
    store.put([job("1", exit_status=1)], source="test", to_measure=True)
    store.put_measured({due: measured_job("1")}, failed=[])
    assert [each.exit_status for each in store.jobs()] == [1]
    assert due_ids(store) == ["1"]


def test_the_log_counts_and_the_cursor_waits_for_the_end(store: Store) -> None:
    """The cursor moves only when all before it is stored; else a killed run would leave a gap."""
    ingest = store.begin_ingest("slurm")
    store.put([job("1")], source="slurm", ingest=ingest)
    store.note_faults(ingest, [Fault("sacct:3", "has 2 fields")])
    assert store.cursor("slurm") is None
    store.end_ingest(ingest, cursor="2023-11-15")
    assert store.cursor("slurm") == "2023-11-15"
    columns = (ingests.c.added, ingests.c.same, ingests.c.faults)
    assert store.select(select(*columns)) == [(1, 0, 1)]
    assert store.select(select(faults.c.location)) == [("sacct:3",)]


def test_a_failed_transaction_leaves_no_trace(store: Store) -> None:
    """A batch is stored whole or not at all."""
    nothing = job("2").resource_req.model_copy(update={"num_host": None})
    broken = job("2").model_copy(update={"resource_req": nothing})
    with pytest.raises(StoreError, match="num_host"):
        put(store, job("1"), broken)
    assert list(store.jobs()) == []


def test_one_ingest_at_a_time(store: Store, store_url: str) -> None:
    """A second one is refused while the first is at work, and let in when it is done."""
    with Store.open(store_url) as other:
        with store.ingesting(), pytest.raises(StoreError, match="another ingest"):
            other.ingesting().__enter__()
        with other.ingesting():
            pass


def test_a_store_must_be_made_before_it_is_opened(store_url: str) -> None:
    """A misspelt name must not become an empty store in which nothing is found."""
    with pytest.raises(StoreError, match="schedlab history init"):
        Store.open(store_url)
    Store.make(store_url).close()
    Store.open(store_url).close()


def test_what_is_no_store_is_refused() -> None:
    """The sentence says what was given and what is allowed."""
    with pytest.raises(StoreError, match="not a URL; must begin with sqlite:///"):
        Store.make("sqlite:history.db")
    with pytest.raises(StoreError, match="kind mysql; must be sqlite or postgresql"):
        Store.open("mysql://localhost/jobs")
    with pytest.raises(StoreError, match="names no file"):
        Store.open("sqlite://")


def test_a_password_is_not_shown() -> None:
    """Error messages end up in logs."""
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql://me:secret@127.0.0.1:1/nothing")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (JobQuery(measurements=(Measurement.DUE,)), "job_unmeasured"),
        (JobQuery(queued_from_s=1, queued_to_s=2), "job_queued"),
        (JobQuery(ran_from_s=1, ran_to_s=2), "job_ran"),
        (JobQuery(users=("ann",)), "job_user"),
        (JobQuery(jobids=("1",)), "job_identity"),
        (JobQuery(nodes=("n01",)), "host_ran"),
    ],
)
def test_a_query_reads_an_index_and_not_the_table(
    tmp_path: Path, query: JobQuery, index: str
) -> None:
    """The matching jobs of a million are found without reading the others."""
    with Store.make(str(tmp_path / "history.db")) as store:
        statement = chosen(query, jobs.c.record)
        compiled = statement.compile(compile_kwargs={"literal_binds": True})
        plan = store.select(text(f"EXPLAIN QUERY PLAN {compiled}"))  # type: ignore[arg-type]
    assert any(index in row[-1] for row in plan), plan


def test_a_job_is_added_without_a_table_being_built_for_it(tmp_path: Path) -> None:
    """SQLite may build a table for each row to decide whether it belongs in an index."""
    with Store.make(str(tmp_path / "history.db")) as store:
        names = ", ".join(jobs.columns.keys())
        marks = ", ".join("1" for _ in jobs.columns)
        program = store.select(text(f"EXPLAIN INSERT INTO jobs ({names}) VALUES ({marks})"))  # type: ignore[arg-type]
    operations = {row[1] for row in program}
    assert "IdxInsert" in operations
    assert "OpenEphemeral" not in operations


def test_the_collector_of_garbage_is_left_as_it_was(store: Store) -> None:
    """It pauses only while records are made; if the caller has switched it off, it stays off."""
    put(store, job("1"))
    found = store.jobs()
    next(found)
    assert gc.isenabled()
    gc.disable()
    try:
        assert ids(store) == ["1"]
        assert not gc.isenabled()
    finally:
        gc.enable()
