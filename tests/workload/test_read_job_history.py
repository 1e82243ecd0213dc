"""Standard job records as a workload."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedlab.errors import InputError
from schedlab.workload import read_workload
from schedlab.workload.job_history import HistoryTable


def record(jobid: str, minute: int = 0, **items: Any) -> dict[str, Any]:
    """Return a job of two nodes of four cores that waited for 1 min and ran for 2 min."""
    clock = f"20260105T12{minute:02}"
    return {
        "jobid": jobid,
        "queue_time": f"{clock}00+0900",
        "start_time": f"20260105T12{minute + 1:02}00+0900",
        "end_time": f"20260105T12{minute + 3:02}00+0900",
        "req_walltime_sec": 600,
        "resource_req": {"num_host": 2, "num_cpu_perhost": 4},
        "per_host": [{"node_id": "n1"}, {"node_id": "n2"}],
        "state": "completed",
        **items,
    }


def written(path: Path, *records: dict[str, Any]) -> Path:
    """Write the records, one on each line; return the path."""
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def test_times_count_from_the_first_submission(tmp_path: Path) -> None:
    """They do so in SWF as well, whose header says when that was."""
    workload = read_workload(written(tmp_path / "a.jsonl", record("x_1"), record("7", 5)))
    assert workload["job_id"].tolist() == [1, 2]
    assert workload["submit_s"].tolist() == [0, 300]
    assert workload["wait_s"].tolist() == [60, 60]
    assert workload["run_s"].tolist() == [120, 120]
    assert workload["request_s"].tolist() == [600, 600]
    met = "2 (inferred from the jobs)"
    assert workload.header == {"UnixStartTime": ("1767582000",), "MaxNodes": (met,)}


def test_nodes_and_processors_are_told_apart(tmp_path: Path) -> None:
    """SWF cannot give nodes together with the cores and accelerators of each."""
    request = {"num_host": 2, "num_cpu_perhost": 4, "accelerator": {"num_perhost": 1}}
    workload = read_workload(written(tmp_path / "a.jsonl", record("1", resource_req=request)))
    columns = ("nodes", "cores_per_node", "gpus_per_node", "allocated_procs")
    assert [workload[name].tolist() for name in columns] == [[2], [4], [1], [8]]


def test_power_is_energy_over_run_time(tmp_path: Path) -> None:
    """A job whose energy was not measured has no power, rather than 0."""
    measured = record("1", energy={"total_joule": 60_000.0})
    workload = read_workload(written(tmp_path / "a.jsonl", measured, record("2", 1)))
    assert workload["energy_j"][0] == 60_000.0
    assert workload["power_w"][0] == 500.0
    assert math.isnan(workload["power_w"][1])


def test_states_and_dependencies_are_those_of_swf(tmp_path: Path) -> None:
    """A job that was withdrawn while it waited can be replayed; one that runs is left out."""
    never_ran = {"state": "cancelled", "start_time": None, "per_host": None}
    path = written(
        tmp_path / "a.jsonl",
        record("7", state="timeout"),
        record("8", 1, dependency=["7", "unknown"]),
        record("9", 2, **never_ran),
        record("10", 3, state="running", end_time=None),
    )
    workload = read_workload(path, cancelled="replay")
    assert workload["status"].tolist() == [0, 1, 5]
    assert workload["depends_on"].tolist() == [-1, 1, -1]
    assert workload["cancel_after_s"].tolist() == [-1, -1, 180]


def test_names_get_codes(tmp_path: Path) -> None:
    """The codes keep their names as labels."""
    path = written(
        tmp_path / "a.jsonl", record("1", user_identifier="ann"), record("2", user_identifier="bob")
    )
    assert read_workload(path).labelled("user").tolist() == ["ann", "bob"]


def test_an_array_is_told_from_batsim_by_its_content(tmp_path: Path) -> None:
    """Files of both formats are called .json."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps([record("1"), record("2", 1)]))
    assert read_workload(path).provenance[-1]["format"] == "job-history"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"jobid": "1"}\n', "record 1: not a standard job record"),
        (json.dumps(record("1")) + "\n{broken\n", "a.jsonl:2: not JSON"),
        (json.dumps(record("1", queue_time="noon")) + "\n", "record 1: not a standard job record"),
        (json.dumps(record("1", state="running")) + "\n", "no jobs that have ended"),
    ],
)
def test_what_is_no_record_is_said_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    """A user's mistake is answered with one sentence."""
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read_workload(path)


def test_portions_make_the_same_columns_as_the_whole() -> None:
    """An export of a million jobs is never held as a whole: numbers and codes continue."""
    names = ("ann", "bob", "ann", "eve")
    records = [
        record(str(place), place, user_identifier=name, dependency=["0"])
        for place, name in enumerate(names)
    ]
    whole, table = HistoryTable().columns(records), HistoryTable(frozenset({"0"}))
    portions = [table.columns(records[:1]), table.columns(records[1:3]), table.columns(records[3:])]
    for name, column in whole.items():
        joined = np.concatenate([portion[name] for portion in portions])
        assert np.array_equal(joined, column, equal_nan=True)


def test_what_a_job_asked_for_is_kept(tmp_path: Path) -> None:
    """Memory, GPU type, sharing, account, QOS, array, and all of several dependencies are kept."""
    request = {
        "num_host": 1,
        "num_cpu_perhost": 4,
        "mem_perhost_bytes": 2**30,
        "accelerator": {"num_perhost": 1, "type": "a100"},
    }
    items = {"accounting_group": "bio", "qos": "high", "job_name": "fold", "exclusive": False}
    array = {"array_job_id": "70", "array_task_id": 3, "native_priority": 41.0}
    path = written(
        tmp_path / "a.jsonl",
        record("1"),
        record("2", 1, dependency=["1"]),
        record("3", 2, resource_req=request, dependency=["2", "1"], **items, **array),
    )
    workload = read_workload(path)
    numbers = ("memory_per_node_kb", "exclusive", "array", "array_index", "priority", "depends_on")
    assert [workload[name].tolist()[2] for name in numbers] == [2**20, 0, 1, 3, 41, 2]
    names = ("gpu_type", "account", "qos", "job_name", "dependencies")
    told = [workload.labelled(name).tolist()[2] for name in names]
    assert told == ["a100", "bio", "high", "fold", "afterany:1,afterany:2"]
    assert workload.labelled("dependencies").tolist()[:2] == ["", ""]


def test_what_jobs_ask_for(tmp_path: Path) -> None:
    """Items that a scheduler's accounting has get the names of our columns."""
    asked = record(
        "7",
        1,
        constraint="icelake&ib",
        licences="matlab, ansys:2",
        preemptible=True,
        exclusive=False,
        account="ignored",
        accounting_group="physics",
        qos="high",
        partition="debug",
    )
    workload = read_workload(written(tmp_path / "a.jsonl", record("1"), asked))
    for column, value in {
        "constraint": "icelake&ib",
        "licences": "matlab:1+ansys:2",
        "account": "physics",
        "qos": "high",
        "partition": "debug",
    }.items():
        assert workload.labelled(column).tolist() == ["", value]
    assert workload["preemptible"].tolist() == [-1, 1]
    assert workload["exclusive"].tolist() == [-1, 0]


def test_kinds_of_dependencies(tmp_path: Path) -> None:
    """Without a kind, a job waits for an end, as in SWF; jobs have the workload's numbers."""
    path = written(
        tmp_path / "a.jsonl",
        record("7"),
        record("8", 1, dependency=["7"]),
        record("9", 2, dependency=["7"], dependency_kind="afterok"),
        record("10", 3, dependency=["7", "8"], dependency_kind="afternotok"),
    )
    told = read_workload(path).labelled("dependencies").tolist()
    assert told == ["", "", "afterok:1", "afternotok:1,afternotok:2"]


def test_a_begin_time_is_when_the_job_became_eligible(tmp_path: Path) -> None:
    """A job that waited for another has none: its dependency made it eligible later."""
    late: dict[str, Any] = {"eligible_time": "20260105T120030+0900"}
    path = written(
        tmp_path / "a.jsonl",
        record("1", **late),
        record("2"),
        record("3", dependency=["1"], **late),
        record("4", eligible_time="20260105T120000+0900"),
    )
    assert read_workload(path)["begin_after_s"].tolist() == [30, -1, -1, -1]


def test_totals_where_nothing_is_said_by_node(tmp_path: Path) -> None:
    """A job that was given cores and GPUs, without a request by node, asked for as many."""
    given = {"num_host": 2, "num_cpu": 6, "num_accelerator": 2}
    path = written(
        tmp_path / "a.jsonl", record("1", resource_req={"num_host": 2}, resource_alloc=given)
    )
    workload = read_workload(path)
    assert (workload["cores"].tolist(), workload["gpus"].tolist()) == ([6], [2])
    assert workload["cores_per_node"].tolist() == [-1]
