"""What a job asks for beyond nodes and time, in the formats of others."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from schedlab.errors import InputError
from schedlab.workload import Workload, read_workload, write_workload

ASKED = Workload(
    {
        "job_id": [1, 2, 3],
        "submit_s": [0, 10, 20],
        "nodes": [1, 2, 1],
        "request_s": [60, 60, 60],
        "run_s": [50, 60, 40],
        "cores_per_node": [4, -1, 1],
        "memory_per_node_kb": [1.5e6, -1.0, -1.0],
        "gpus": [-1, 8, -1],
        "gpu_type": [-1, 0, -1],
        "licences": [0, -1, -1],
        "exclusive": [0, 1, -1],
        "partition": [0, 1, 0],
        "constraint": [-1, 0, -1],
        "account": [0, 0, 1],
        "qos": [0, -1, -1],
        "dependencies": [-1, 0, 1],
        "array": [-1, -1, 5],
        "array_index": [-1, -1, 0],
        "begin_after_s": [-1, 30, -1],
        "preemptible": [1, 0, -1],
    },
    labels={
        "gpu_type": ["a100"],
        "licences": ["matlab:2+ansys:1"],
        "partition": ["debug", "debug,general"],
        "constraint": ["icelake&(ib|opa)"],
        "account": ["physics", "chem lab=2;50%"],
        "qos": ["high"],
        "dependencies": ["afterok:1,after:1+10", "singleton"],
    },
)


@pytest.mark.parametrize("suffix", ["gwf", "sqlite", "json", "csv", "parquet"])
def test_all_of_it_comes_back(suffix: str, tmp_path: Path) -> None:
    """A format without a field for an item stores it elsewhere."""
    path = tmp_path / f"a.{suffix}"
    assert write_workload(ASKED, path) == ()
    again = read_workload(path)
    for name in ASKED.columns:
        told = ASKED.labelled(name).tolist()
        if suffix == "gwf" and name == "account":
            told = ["physics", "physics", "chem_lab=2;50%"]
        assert again.labelled(name).tolist() == told, name


def test_swf_says_what_it_cannot_carry(tmp_path: Path) -> None:
    """SWF has room for memory of a processor, a queue, a partition and one preceding job."""
    lost = write_workload(ASKED, tmp_path / "a.swf")
    assert "cores_per_node" in lost
    assert "partition" not in lost


def test_what_others_put_into_the_free_field_of_gwf_is_passed_over(tmp_path: Path) -> None:
    """Names that are no columns, and texts of another form, are skipped."""
    text = "1 0 5 100 4 -1 -1 4 200 -1 1 u1 -1 -1 -1 -1 -1 -1 UNITARY -1 -1 -1 -1 -1 -1 -1"
    fields = text.split()
    lines = [
        " ".join([*fields, "disk=20GB;gpus=2", "-1", "atlas"]),
        " ".join(["2", *fields[1:], "MPI,IB", "-1", "-1"]),
    ]
    (tmp_path / "a.gwf").write_text("\n".join(lines) + "\n")
    found = read_workload(tmp_path / "a.gwf")
    assert found["gpus"].tolist() == [2, -1]
    assert found.labelled("account").tolist() == ["atlas", ""]


def test_a_number_that_is_none_is_told_with_its_line(tmp_path: Path) -> None:
    """The error names the line in GWF, and the record in Batsim's JSON."""
    write_workload(ASKED, tmp_path / "a.gwf")
    text = (tmp_path / "a.gwf").read_text().replace("cores_per_node=1", "cores_per_node=one")
    (tmp_path / "a.gwf").write_text(text)
    with pytest.raises(InputError, match=r'a\.gwf:3: cores_per_node is "one"; must be a number'):
        read_workload(tmp_path / "a.gwf")
    write_workload(ASKED, tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text())
    content["jobs"][1]["gpus"] = [1, 2]
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"record 2: gpus is \[1, 2\]; must be a number or a text"):
        read_workload(tmp_path / "a.json")


def test_a_dependency_that_means_nothing_is_told(tmp_path: Path) -> None:
    """The error is that of CSV."""
    write_workload(ASKED, tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text().replace("singleton", "afterwards:1")
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError, match='record 3: dependencies is "afterwards:1"'):
        read_workload(tmp_path / "a.json")


def test_batsim_may_say_yes_and_no(tmp_path: Path) -> None:
    """JSON has true and false."""
    write_workload(ASKED, tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text())
    for job, value in zip(content["jobs"], (True, False, None), strict=True):
        job["exclusive"] = value
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert read_workload(tmp_path / "a.json")["exclusive"].tolist() == [1, 0, -1]


def test_older_databases_lack_the_last_fields(tmp_path: Path) -> None:
    """Project and resources are not needed."""
    path = tmp_path / "a.sqlite"
    write_workload(ASKED, path)
    with closing(sqlite3.connect(path)) as database:
        for field in ("ProjectID", "ReqResources"):
            database.execute(f"ALTER TABLE Jobs DROP COLUMN {field}")
        database.commit()
    found = read_workload(path)
    assert "account" not in found
    assert found["nodes"].tolist() == [1, 2, 1]
