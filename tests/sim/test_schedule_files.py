"""Schedules saved, loaded and exported."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.services.processor_time import processor_time_below

from schedlab.errors import InputError, OutputError, ParameterError, UnknownNameError
from schedlab.platform import Cluster, NodePower, Platform
from schedlab.sim import JobOutcome, Schedule, load_schedules, save_schedules, simulate
from schedlab.sim.io import chrome_trace
from schedlab.sim.io.swf import as_trace
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload, read_workload

PLATFORM = Platform(
    (Cluster.homogeneous(4, "thin", site="north", gpus={"a100": 2}, power=NodePower(80, 300, 5)),),
    "lab",
)


@pytest.fixture
def workload() -> Workload:
    """Four jobs: one blocks, one is killed at its request, one is withdrawn."""
    return Workload(
        {
            "job_id": [11, 12, 13, 14],
            "submit_s": [5, 5, 6, 7],
            "nodes": [3, 4, 1, 4],
            "request_s": [100, 50, 20, 10],
            "run_s": [100, 60, 0, 10],
            "user": [1, 0, 1, -1],
            "queue": [0, 0, 1, 1],
            "wait_s": [9, 9, 9, 9],
            "cancel_after_s": [-1, -1, -1, 3],
            "power_w": [1.5, float("nan"), 2.0, 3.25],
        },
        name="four",
        header={"Computer": ["Abacus", "again"]},
        labels={"user": ["007", 'bob, "the" builder']},
        provenance=[{"step": "generate", "seed": 3}],
    )


@pytest.fixture
def two(workload: Workload) -> list[Schedule]:
    """The four jobs under two policies."""
    return [simulate(workload, PLATFORM, policy, seed=3) for policy in ("fcfs", "easy")]


@pytest.mark.parametrize("name", ["two.parquet", "two.csv"])
def test_loaded_is_what_was_saved(two: list[Schedule], tmp_path: Path, name: str) -> None:
    """Times, nodes, states, labels, header, platform and provenance all come back."""
    save_schedules(two, tmp_path / name)
    loaded = load_schedules(tmp_path / name)
    assert loaded == two
    for before, after in zip(two, loaded, strict=True):
        assert after.platform == PLATFORM
        assert after.wall_s == before.wall_s
        assert after.provenance == json.loads(json.dumps(before.provenance))
        assert after.workload.name == "four"
        assert after.workload.header == before.workload.header
        assert after.workload.labels == before.workload.labels
        assert after.workload.provenance == before.workload.provenance
        assert after.workload.report == before.workload.report


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(workloads(8), st.sampled_from([".parquet", ".csv"]))
def test_any_schedule_survives_a_file(tmp_path: Path, workload: Workload, suffix: str) -> None:
    """Kills, withdrawals, dependencies and jobs of no length included."""
    schedule = simulate(workload, 8, "easy")
    save_schedules(schedule, tmp_path / f"one{suffix}")
    assert load_schedules(tmp_path / f"one{suffix}") == [schedule]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_empty_schedule_survives_a_file(tmp_path: Path, workload: Workload, suffix: str) -> None:
    """No job, but still a platform and a policy."""
    none = simulate(workload.take(np.zeros(4, dtype=bool)), PLATFORM, "fcfs")
    save_schedules(none, tmp_path / f"none{suffix}")
    assert load_schedules(tmp_path / f"none{suffix}") == [none]


def test_csv_is_a_plain_table(two: list[Schedule], tmp_path: Path) -> None:
    """Any CSV reader takes it: the header first, and the promised columns among the others."""
    save_schedules(two, tmp_path / "two.csv")
    frame = pl.read_csv(tmp_path / "two.csv")
    assert frame.columns[:3] == ["policy", "job_id", "submit_s"]
    assert {"start_s", "end_s", "nodes", "user"} <= set(frame.columns)
    assert frame["policy"].to_list() == ["fcfs"] * 4 + ["easy"] * 4
    assert frame["user"][1] == "007"


def test_csv_without_description(two: list[Schedule], tmp_path: Path) -> None:
    """The table alone still has times and nodes of jobs; labels come in order of appearance."""
    path = tmp_path / "two.csv"
    save_schedules(two, path)
    (tmp_path / "two.csv.meta.json").unlink()
    loaded = load_schedules(path)[0]
    assert loaded.start_s.tolist() == two[0].start_s.tolist()
    assert loaded.node_ranges == two[0].node_ranges
    assert loaded.workload.labels["user"] == ('bob, "the" builder', "007")
    assert loaded.workload.labelled("user").tolist() == two[0].workload.labelled("user").tolist()
    assert loaded.platform.nodes == 4
    assert load_schedules(path, nodes=64)[0].platform.nodes == 64


def test_smallest_csv(tmp_path: Path) -> None:
    """Five columns are enough: the request is the run, and the machine as large as the peak use."""
    path = tmp_path / "small.csv"
    path.write_text(
        "job_id,submit_s,start_s,end_s,nodes,row\n2,9,10,30,2,red\n1,0,5,25.0,3,blue\n3,9,,,1,\n"
    )
    (schedule,) = load_schedules(path)
    assert schedule.policy == "unknown"
    assert schedule.workload["job_id"].tolist() == [1, 2, 3]
    assert schedule.workload["request_s"].tolist() == [20, 20, 1]
    assert schedule.wait_s.tolist() == [5, 1, -1]
    assert schedule.state.tolist() == [
        JobOutcome.COMPLETED,
        JobOutcome.COMPLETED,
        JobOutcome.CANCELLED,
    ]
    assert schedule.platform.nodes == 5
    assert list(schedule.workload.report.lines()) == [
        "repaired 3 of 3: no requested time, run time taken",
        'noticed 3 of 3: column "row" is not known',
    ]


def test_state_follows_from_times(tmp_path: Path) -> None:
    """A job that ran for less than it needed was killed."""
    path = tmp_path / "killed.csv"
    path.write_text("job_id,submit_s,start_s,end_s,nodes,run_s\n1,0,0,5,1,9\n2,0,0,5,1,5\n")
    assert load_schedules(path)[0].state.tolist() == [JobOutcome.KILLED, JobOutcome.COMPLETED]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("job_id,submit_s,start_s,end_s\n1,0,0,5\n", "no column nodes; needed are job_id, "),
        (
            "job_id,submit_s,start_s,end_s,nodes\n1,0,x,5,1\n",
            'row 1: start_s is "x"; must be an integer',
        ),
        (
            "job_id,submit_s,start_s,end_s,nodes\n1,0,0,5,1\n2,0,0,5,\n",
            'row 2: nodes is ""; must be',
        ),
        (
            "job_id,submit_s,start_s,end_s,nodes\n1,0,0.5,5,1\n",
            'row 1: start_s is "0.5"; must be an',
        ),
        (
            "job_id,submit_s,start_s,end_s,nodes\n1,0,9,5,1\n",
            "row 1: end 5 s lies before start 9 s",
        ),
        ("job_id,submit_s,start_s,end_s,nodes\n1,0,0,5,0\n", "job 1: nodes is 0; must be >= 1"),
        ("job_id,submit_s,start_s,end_s,nodes,state\n1,0,0,5,1,kiled\n", 'did you mean "killed"'),
        ("job_id,submit_s,start_s,end_s,nodes,node_ranges\n1,0,0,5,1,a\n", '"a" is not a range'),
        ("", "not a CSV table"),
        ("job_id,submit_s,start_s,end_s,nodes\n1,0,0,5,1,6,7\n", "not a CSV table"),
    ],
)
def test_bad_csv_says_where_and_why(tmp_path: Path, text: str, reason: str) -> None:
    """The error has the file, the row, the value and what was allowed."""
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_schedules(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "is a directory"),
        (lambda path: path.write_bytes(b"PAR1 this is not Parquet"), "not a Parquet file"),
    ],
)
def test_unreadable_files(tmp_path: Path, make: Callable[[Path], object], reason: str) -> None:
    """The error is one sentence with the path."""
    path = tmp_path / "wrong.parquet"
    make(path)
    with pytest.raises(InputError, match=reason):
        load_schedules(path)


def test_broken_description_is_named(two: list[Schedule], tmp_path: Path) -> None:
    """The file beside the CSV is at fault, not the CSV."""
    save_schedules(two, tmp_path / "two.csv")
    beside = tmp_path / "two.csv.meta.json"
    beside.write_text('{"schedlab_schedule": 99, "schedules": {}}')
    with pytest.raises(InputError, match=r"two.csv.meta.json: schedule format 99; this schedlab"):
        load_schedules(tmp_path / "two.csv")
    beside.write_text("{")
    with pytest.raises(InputError, match=r"two.csv.meta.json: not a description of schedules"):
        load_schedules(tmp_path / "two.csv")


def test_wrong_formats_and_outputs(two: list[Schedule], tmp_path: Path) -> None:
    """The error says what is allowed; a file that cannot be written leaves nothing behind."""
    with pytest.raises(ParameterError, match=r"must end in one of \.parquet, \.pq, _jobs\.csv, "):
        save_schedules(two, tmp_path / "two.txt")
    with pytest.raises(UnknownNameError, match='did you mean "parquet"'):
        save_schedules(two, tmp_path / "two", format="parqet")
    with pytest.raises(ParameterError, match='two schedules of policy "easy"'):
        save_schedules([two[1], two[1]], tmp_path / "two.csv")
    with pytest.raises(ParameterError, match="there is no schedule to save"):
        save_schedules([], tmp_path / "none.csv")
    with pytest.raises(InputError, match="can be loaded only from parquet, batsim, csv"):
        load_schedules(tmp_path / "two.json")
    with pytest.raises(OutputError, match="does not exist"):
        save_schedules(two, tmp_path / "nowhere" / "two.parquet")
    with pytest.raises(OutputError, match="is a directory"):
        save_schedules(two, tmp_path, format="parquet")
    assert list(tmp_path.iterdir()) == []


def test_format_given_by_name(two: list[Schedule], tmp_path: Path) -> None:
    """A file name without a known ending needs the format, for saving and for loading."""
    save_schedules(two, tmp_path / "data", format="parquet")
    assert load_schedules(tmp_path / "data", "parquet") == two


def test_parquet_without_description(two: list[Schedule], tmp_path: Path) -> None:
    """A table that another program wrote is read like a CSV."""
    two[0].frame().drop("policy", "node_ranges").write_parquet(tmp_path / "other.parquet")
    (loaded,) = load_schedules(tmp_path / "other.parquet")
    assert loaded.start_s.tolist() == two[0].start_s.tolist()
    assert loaded.state.tolist() == two[0].state.tolist()
    assert loaded.node_ranges is None


def test_schedules_of_different_columns_share_a_file(two: list[Schedule], tmp_path: Path) -> None:
    """A column that one workload lacks is not there after loading either."""
    plain = Workload(
        {key: two[0].workload[key] for key in ("job_id", "submit_s", "nodes", "request_s", "run_s")}
    )
    other = simulate(plain, 4, "sjf")
    for name in ("both.parquet", "both.csv"):
        save_schedules([two[0], other], tmp_path / name)
        assert load_schedules(tmp_path / name) == [two[0], other]


def test_unnamed_nodes_stay_unnamed(two: list[Schedule], tmp_path: Path) -> None:
    """A schedule without node ranges beside one with them comes back without."""
    unnamed = replace(two[1], node_ranges=None)
    for name in ("both.parquet", "both.csv"):
        save_schedules([two[0], unnamed], tmp_path / name)
        assert load_schedules(tmp_path / name) == [two[0], unnamed]


def test_swf_has_the_waits_of_the_schedule(two: list[Schedule], tmp_path: Path) -> None:
    """Wait, run time and status are those of the simulation, as if the cluster had logged them."""
    save_schedules(two[0], tmp_path / "fcfs.swf.gz")
    trace = read_workload(tmp_path / "fcfs.swf.gz", cancelled="short")
    assert trace["wait_s"].tolist() == [0, 100, 149, 3]
    assert trace["run_s"].tolist() == [100, 50, 0, 10]
    assert trace["status"].tolist() == [1, 0, 1, 5]
    assert trace.header["MaxNodes"] == ("4",)
    assert trace["job_id"].tolist() == [11, 12, 13, 14]


def test_swf_counts_the_wait_from_submission() -> None:
    """A job that depends on another was submitted long before it could start."""
    chain = Workload(
        {
            "job_id": [1, 2],
            "submit_s": [0, 0],
            "nodes": [1, 1],
            "request_s": [10, 10],
            "run_s": [10, 10],
            "depends_on": [-1, 1],
        }
    )
    schedule = simulate(chain, 4, "easy")
    assert schedule.wait_s.tolist() == [0, 0]
    assert as_trace(schedule)["wait_s"].tolist() == [0, 10]


def test_swf_holds_one_schedule(two: list[Schedule], tmp_path: Path) -> None:
    """SWF has no column for the policy."""
    with pytest.raises(ParameterError, match="holds one schedule; 2 were given"):
        save_schedules(two, tmp_path / "two.swf")


def test_chrome_trace_events(two: list[Schedule], tmp_path: Path) -> None:
    """A process per policy, a row per node, a slice per range, in microseconds."""
    save_schedules(two, tmp_path / "two.json.gz")
    events = json.loads(gzip.decompress((tmp_path / "two.json.gz").read_bytes()))["traceEvents"]
    names = [event["args"]["name"] for event in events if event["ph"] == "M"]
    assert names == ["fcfs", "easy"]
    slices = [event for event in events if event["ph"] == "X" and event["pid"] == 0]
    assert [(event["name"], event["tid"], event["ts"], event["dur"]) for event in slices] == [
        ("11", 0, 5_000_000, 100_000_000),
        ("12", 0, 105_000_000, 50_000_000),
        ("13", 0, 155_000_000, 0),
    ]
    assert slices[0]["args"]["node_range"] == "0-2"
    assert slices[1]["args"] == {
        "user": "007",
        "nodes": 4,
        "request_s": 50,
        "wait_s": 100,
        "state": "killed",
        "node_range": "0-3",
    }
    waiting = [event for event in events if event["name"] == "waiting jobs" and event["pid"] == 0]
    assert max(event["args"]["value"] for event in waiting) == 3


def test_slices_of_a_row_never_overlap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, two: list[Schedule]
) -> None:
    """A viewer cannot draw overlapping slices; large machines get as few rows as they need."""
    rng = np.random.default_rng(5)
    many = Workload(
        {
            "job_id": range(200),
            "submit_s": np.sort(rng.integers(0, 500, 200)),
            "nodes": rng.integers(1, 9, 200),
            "request_s": [60] * 200,
            "run_s": rng.integers(0, 60, 200),
        }
    )
    schedule = simulate(many, 40, "easy")
    for most, rows in ((1024, 40), (1, 39)):
        monkeypatch.setattr(chrome_trace, "MAX_NODE_ROWS", most)
        save_schedules(schedule, tmp_path / "many.json")
        events = json.loads((tmp_path / "many.json").read_text())["traceEvents"]
        slices = sorted(
            (e["tid"], e["ts"], e["ts"] + e["dur"]) for e in events if e["ph"] == "X" and e["dur"]
        )
        assert len({row for row, _, _ in slices}) <= rows
        for (row, _, end), (next_row, start, _) in pairwise(slices):
            assert row != next_row or start >= end


@pytest.mark.slow
def test_a_million_jobs_are_written_quickly(tmp_path: Path) -> None:
    """The range texts, the table and the compression together stay within seconds."""
    rng = np.random.default_rng(2)
    count = 1_000_000
    workload = Workload(
        {
            "job_id": np.arange(count),
            "submit_s": np.arange(count) * 9,
            "nodes": 2 ** rng.integers(0, 7, count),
            "request_s": np.full(count, 600),
            "run_s": rng.integers(1, 600, count),
        }
    )
    schedule = simulate(workload, 1024, "easy")
    with processor_time_below(60):
        save_schedules(schedule, tmp_path / "million.parquet")
    assert load_schedules(tmp_path / "million.parquet") == [schedule]


def test_chrome_trace_of_shared_nodes(tmp_path: Path) -> None:
    """Two jobs of 2 of 4 cores on the same node use one node, and have a lane each."""
    columns = {"job_id": [1, 2], "submit_s": [0, 0], "nodes": [1, 1], "cores_per_node": [2, 2]}
    jobs = Workload({**columns, "request_s": [10, 10], "run_s": [10, 10]})
    save_schedules(
        [simulate(jobs, Platform.homogeneous(2, cores=4), "easy")], tmp_path / "shared.json"
    )
    events = json.loads((tmp_path / "shared.json").read_text())["traceEvents"]
    used = [event["args"]["value"] for event in events if event["name"] == "used nodes"]
    assert used == [1, 0]
    assert sorted(event["tid"] for event in events if event["ph"] == "X") == [0, 1]
