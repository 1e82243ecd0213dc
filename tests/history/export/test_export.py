"""Exports of a history to each format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.history.records import NOON_S

from schedlab.errors import InputError, OutputError
from schedlab.history.export import EXPORTERS
from schedlab.history.export.export import export
from schedlab.history.export.zone import standard_offset
from schedlab.history.ingest import make_job_source
from schedlab.history.pipeline import ingest
from schedlab.history.schema import JobRecord, validate_file
from schedlab.history.store import JobQuery, Store
from schedlab.history.to_workload import workload_of
from schedlab.workload import read_workload


@pytest.mark.parametrize("name", ["jobs.jsonl", "jobs.json"])
def test_the_standard_records_are_written_as_they_are(
    store: Store, tmp_path: Path, name: str
) -> None:
    """An export is a valid file of records, and says the same as the store."""
    assert export(store, tmp_path / name).jobs == 4
    assert validate_file(tmp_path / name) == []
    text = (tmp_path / name).read_text()
    records = json.loads(text) if name.endswith(".json") else map(json.loads, text.splitlines())
    assert [JobRecord.model_validate(each) for each in records] == list(store.jobs())


@pytest.mark.parametrize(
    ("zone", "written"),
    [("Asia/Tokyo", "20231115T210000+0900"), ("Europe/Berlin", "20231115T130000+0100")],
)
def test_a_file_has_one_zone(store: Store, tmp_path: Path, zone: str, written: str) -> None:
    """The zone is the site's, without summer time, so that text order is the order of time."""
    export(store, tmp_path / "jobs.jsonl", zone=standard_offset(zone))
    first, *_ = (tmp_path / "jobs.jsonl").read_text().splitlines()
    assert json.loads(first)["queue_time"] == written
    assert validate_file(tmp_path / "jobs.jsonl") == []


def test_an_empty_array_is_an_array(store: Store, tmp_path: Path) -> None:
    """An export that finds no job is valid too."""
    export(store, tmp_path / "none.json", query=JobQuery(users=("nobody",)))
    assert json.loads((tmp_path / "none.json").read_text()) == []


@pytest.mark.parametrize("name", ["jobs.parquet", "jobs.arrow"])
def test_tables_have_typed_columns_and_the_whole_record(
    store: Store, tmp_path: Path, name: str
) -> None:
    """Data frames get times as times, and items without a column are in the record."""
    export(store, tmp_path / name)
    read = pl.read_parquet if name.endswith("parquet") else pl.read_ipc
    frame = read(tmp_path / name)
    assert frame["jobid"].to_list() == ["7_1", "8", "9", "10"]
    assert frame["start_time"][0].timestamp() == NOON_S + 10
    assert frame["hosts"][0] == "n[01-02]"
    assert (frame["power_watt_avg"][0], frame["energy_joule"][0]) == (400.0, 40_000.0)
    assert JobRecord.model_validate_json(frame["record"][0]) == next(store.jobs())


def test_csv_has_a_row_per_job(store: Store, tmp_path: Path) -> None:
    """A value that is not known is an empty cell."""
    export(store, tmp_path / "jobs.csv")
    rows = list(csv.DictReader((tmp_path / "jobs.csv").read_text().splitlines()))
    assert [row["user_identifier"] for row in rows] == ["ann", "bob", "ann", "ann"]
    assert [row["hosts"] for row in rows] == ["n[01-02]", "n01", "", "n01"]
    assert rows[0]["queue_time"] == "2023-11-15T12:00:00+00:00"


@pytest.mark.parametrize("name", ["jobs.swf", "jobs.gwf"])
def test_traces_can_be_read_as_workloads(store: Store, tmp_path: Path, name: str) -> None:
    """Jobs are numbered in order; a running job has no run time yet and is left out."""
    export(store, tmp_path / name)
    workload = read_workload(tmp_path / name, cancelled="replay")
    assert workload["job_id"].tolist() == [1, 2, 3]
    assert workload["submit_s"].tolist() == [0, 60, 70]
    assert workload["run_s"].tolist() == [100, 100, 0]
    assert workload["cancel_after_s"].tolist() == [-1, -1, 110]
    if name == "jobs.swf":
        assert workload["depends_on"].tolist() == [-1, 1, -1]
    assert workload.header["UnixStartTime"] == (str(NOON_S),)
    assert workload.header["MaxNodes"] == ("2 (inferred from the jobs)",)


def test_the_size_of_the_site_is_exported_where_it_is_known(store: Store, tmp_path: Path) -> None:
    """The exported jobs use two nodes, but the machine has eight."""
    export(store, tmp_path / "jobs.swf", nodes=8)
    assert read_workload(tmp_path / "jobs.swf").header["MaxNodes"] == ("8",)


def test_a_trace_survives_the_store(tmp_path: Path) -> None:
    """Ten odd jobs keep their values from SWF to SWF, except half a second of one run time."""
    path = Path(__file__).parents[2] / "data" / "ten.swf"
    with Store.make(str(tmp_path / "ten.db")) as store:
        ingest(store, make_job_source({"kind": "swf", "file": str(path)}))
        export(store, tmp_path / "again.swf")
    files = (path, tmp_path / "again.swf")
    before, after = (read_workload(each, cancelled="replay") for each in files)
    assert after["run_s"].tolist() == pytest.approx(before["run_s"].tolist(), abs=1)
    for column in ("request_s", "nodes", "status", "cancel_after_s"):
        assert after[column].tolist() == before[column].tolist()
    gaps = [np.diff(each["submit_s"]).tolist() for each in (before, after)]
    assert gaps[0] == gaps[1]


def test_gwf_has_names(store: Store, tmp_path: Path) -> None:
    """GWF can hold names of users, where SWF has numbers."""
    export(store, tmp_path / "jobs.gwf")
    assert read_workload(tmp_path / "jobs.gwf").labelled("user").tolist() == ["ann", "bob"]


def test_batsim_gets_the_jobs_that_ran(store: Store, tmp_path: Path) -> None:
    """A job that never ran has no profile."""
    export(store, tmp_path / "jobs.batsim.json")
    workload = read_workload(tmp_path / "jobs.batsim.json")
    assert workload["nodes"].tolist() == [2, 1]
    assert workload["run_s"].tolist() == [100, 100]
    assert workload["request_s"].tolist() == [600, 600]


def test_clustercockpit_gets_a_folder_per_job(store: Store, tmp_path: Path) -> None:
    """The path splits the job id by thousands; statistics are over hosts and devices."""
    export(store, tmp_path / "archive", format="clustercockpit")
    (meta,) = (tmp_path / "archive" / "one" / "0" / "008").glob("*/meta.json")
    assert meta.parent.name == str(NOON_S + 70)
    (first,) = (tmp_path / "archive").rglob(f"{NOON_S + 10}/meta.json")
    found = json.loads(first.read_text())
    assert found["metaData"]["jobid"] == "7_1"
    assert [each["hostname"] for each in found["resources"]] == ["n01", "n02"]
    assert (found["jobState"], found["duration"], found["numAcc"]) == ("completed", 100, 2)


def test_an_archive_of_clustercockpit_can_be_read_again(store: Store, tmp_path: Path) -> None:
    """The items that both formats have come back."""
    export(store, tmp_path / "archive", format="clustercockpit")
    source = make_job_source({"kind": "clustercockpit", "folder": str(tmp_path / "archive")})
    again = {each.jobid: each for each in source.read(None) if isinstance(each, JobRecord)}
    (before,) = store.jobs(JobQuery(jobids=("8",)))
    after = again["8"]
    for item in ("queue_time", "start_time", "end_time", "state", "user_identifier", "cluster"):
        assert getattr(after, item) == getattr(before, item)
    assert [each.energy.total_joule for each in again.values() if each.energy] == [40_000.0]


def test_an_export_is_whole_or_not_there(store: Store, tmp_path: Path) -> None:
    """A folder that exists is not mixed with another archive; a wrong ending is not guessed."""
    (tmp_path / "archive").mkdir()
    with pytest.raises(OutputError, match="exists"):
        export(store, tmp_path / "archive", format="clustercockpit")
    with pytest.raises(OutputError, match="no format has this ending"):
        export(store, tmp_path / "jobs.xls")
    assert [each.name for each in tmp_path.iterdir() if "history" not in each.name] == ["archive"]


def test_a_history_is_a_workload_with_power(store: Store) -> None:
    """Power is energy over run time; a value that was not measured is NaN."""
    workload = workload_of(store)
    assert workload["energy_j"].tolist()[0] == 40_000.0
    assert workload["power_w"].tolist()[0] == 400.0
    assert workload["power_w"][1] != workload["power_w"][1]
    assert workload.labelled("user").tolist() == ["ann", "bob"]


def test_an_export_of_records_can_be_simulated(store: Store, tmp_path: Path) -> None:
    """The standard record is a workload format: the export and the store give the same jobs."""
    for name in ("jobs.jsonl", "jobs.json", "jobs.parquet"):
        export(store, tmp_path / name)
        assert read_workload(tmp_path / name) == workload_of(store)


def test_an_export_that_is_no_workload_says_which_are(store: Store, tmp_path: Path) -> None:
    """A table of text leaves out what jobs were allocated and what they depend on."""
    export(store, tmp_path / "jobs.csv")
    with pytest.raises(InputError, match=r"a table of job records.* as \.jsonl, \.json, .*\.swf"):
        read_workload(tmp_path / "jobs.csv")


def test_every_format_can_be_chosen_by_name(store: Store, tmp_path: Path) -> None:
    """Each format that is offered works with any file name."""
    for name in EXPORTERS:
        export(store, tmp_path / f"{name}.out", format=name)
        assert (tmp_path / f"{name}.out").exists()
