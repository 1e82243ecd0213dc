"""A job's demands get from Slurm's accounting into the record and the workload."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.history.ingest.reading import clean
from tests.history.ingest.test_sacct_text import COLUMNS, DONE

from schedlab.history.ingest.slurm.sacct_text import SacctText
from schedlab.history.ingest.slurm.submit_line import submission_of
from schedlab.workload import Workload, read_workload, write_workload

ALL_COLUMNS = [*COLUMNS, "Constraints", "Timelimit"]


def source(path: Path, *rows: dict[str, str]) -> SacctText:
    """Return a source of a dump with these rows."""
    lines = [ALL_COLUMNS, *([row.get(name, "") for name in ALL_COLUMNS] for row in rows)]
    path.write_text("".join("|".join(line) + "\n" for line in lines), encoding="utf-8")
    return SacctText("sacct", file=str(path))


def workload(folder: Path, *rows: dict[str, str]) -> Workload:
    """Return the rows as a workload, read through standard records."""
    records = clean(source(folder / "dump", *(DONE | row for row in rows))).values()
    path = folder / "jobs.jsonl"
    path.write_text("".join(record.to_json() + "\n" for record in records))
    return read_workload(path)


@pytest.mark.parametrize(
    ("options", "items"),
    [
        ("sbatch -N2 job.sh", {}),
        ("sbatch --exclusive a", {"exclusive": True}),
        ("sbatch --exclusive=user a", {}),
        ("sbatch -C 'icelake&ib' a", {"constraint": "icelake&ib"}),
        ('sbatch --constraint="a|b" a', {"constraint": "a|b"}),
        ("sbatch -Lmatlab:2,ansys a", {"licences": "matlab:2,ansys"}),
        ("sbatch --licenses=foo a", {"licences": "foo"}),
        ("sbatch -a 1-4%2 a", {"array_limit": 2}),
        ("sbatch --array=0-9:3,12%5 a", {"array_limit": 5}),
        ("sbatch -a 1-4 a", {}),
        ("sbatch -d afterany:7 a", {"dependency": ["7"]}),
        (
            "sbatch -d afterok:7:8_2 a",
            {"dependency": ["7", "8_2"], "dependencies": "afterok:7:8_2"},
        ),
        (
            "sbatch --dependency=after:7+10,singleton a",
            {"dependency": ["7"], "dependencies": "after:7+10,singleton"},
        ),
        ("sbatch -d singleton a", {"dependencies": "singleton"}),
        ("sbatch -d afterok:7?afterok:8 a", {"dependency": ["7", "8"]}),
        ("sbatch -d aftercorr:7 a", {"dependency": ["7"]}),
        ("sbatch --wrap srun -C x -d afterok:1", {}),
    ],
)
def test_the_submit_line_tells(options: str, items: dict[str, Any]) -> None:
    """Only options for Slurm itself count: the wrapped command has options of its own."""
    assert submission_of(options).items == items


@pytest.mark.parametrize(
    ("options", "bytes_"),
    [("--mem-per-cpu=2G", 2 << 30), ("--mem-per-cpu 500", 500 << 20), ("--mem=2G", None)],
)
def test_memory_by_core(options: str, bytes_: int | None) -> None:
    """Memory without a unit is in MiB."""
    assert submission_of(f"sbatch {options} a").mem_percpu_bytes == bytes_


def test_columns_of_a_workload(tmp_path: Path) -> None:
    """Constraint, licences, array limit, preemption and kinds of dependencies have columns."""
    jobs = workload(
        tmp_path,
        {"Constraints": "icelake&ib", "State": "PREEMPTED"},
        {"JobID": "2_1", "SubmitLine": "sbatch -a 1-2%1 x"},
        {"JobID": "2_2", "SubmitLine": "sbatch -a 1-2%1 x"},
        {"JobID": "3", "ReqTRES": "cpu=8,node=2,license/matlab=2"},
        {"JobID": "4", "SubmitLine": "sbatch -d after:3+1,afterok:2 x"},
    )
    frame = jobs.frame()
    assert frame["constraint"].to_list() == ["icelake&ib", "", "", "", ""]
    assert frame["licences"].to_list() == ["", "", "", "matlab:2", ""]
    assert frame["preemptible"].to_list() == [1, -1, -1, -1, -1]
    assert frame["array_limit"].to_list() == [-1, 1, 1, -1, -1]
    assert frame["dependencies"].to_list()[4] == "after:4+1,afterok:2,afterok:3"
    assert frame["depends_on"].to_list() == [-1, -1, -1, -1, 3]
    written = tmp_path / "jobs.csv"
    write_workload(jobs, written)
    again = read_workload(written).frame()
    for column in ("constraint", "licences", "array_limit", "preemptible", "dependencies"):
        assert again[column].to_list() == frame[column].to_list()


def test_cores_are_those_on_each_node_that_it_got(tmp_path: Path) -> None:
    """A request for 32 cores that got 8 nodes has 4 on each, and memory per core follows."""
    spread = {"ReqTRES": "cpu=32,mem=64000M,node=1", "AllocTRES": "cpu=32,node=8"}
    spread |= {"NodeList": "n[01-08]", "SubmitLine": "sbatch -n32 --mem-per-cpu=2000 x"}
    jobs = workload(tmp_path, spread)
    assert (jobs["nodes"][0], jobs["cores_per_node"][0]) == (8, 4)
    assert jobs["memory_per_node_kb"][0] == 4 * 2000 * 1024
    assert jobs["requested_procs"][0] == 32


def test_a_limit_in_words(tmp_path: Path) -> None:
    """If a dump has no TimelimitRaw, the limit is read from Timelimit."""
    texts = {"1": "1-00:00:30", "2": "UNLIMITED", "3": "Partition_Limit", "4": ""}
    rows = [DONE | {"JobID": job, "TimelimitRaw": "", "Timelimit": x} for job, x in texts.items()]
    jobs = clean(source(tmp_path / "dump", *rows))
    limits = [jobs[job].req_walltime_sec for job in texts]
    assert limits == [86430, None, None, None]
    assert json.loads(jobs["1"].to_json())["req_walltime_sec"] == 86430
