"""Accounting files of schedulers, read as workloads on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedlab.cli.accounting import ACCOUNTING, read_accounting
from schedlab.history.ingest import JOB_SOURCES
from schedlab.workload.readers import ReadOptions

Run = Callable[..., Any]

FIELDS = "JobID|State|Submit|Eligible|Start|End|Timelimit|ReqTRES|AllocTRES|NNodes|NodeList|"
FIELDS += "Partition|Account|QOS|User"
TIME = "2026-11-15T00:{:02}:00"


def row(job: int, submit: int, start: int, end: int, tres: str, **changed: str) -> str:
    """Return a line of sacct for a job that ran on n1; times are minutes after midnight."""
    times = (TIME.format(submit), TIME.format(submit), TIME.format(start), TIME.format(end))
    fields = [str(job), "COMPLETED", *times, "00:10:00", tres, tres, "1", "n1"]
    return "|".join([*fields, "debug", "physics", changed.get("qos", "normal"), "ann"])


@pytest.fixture
def sacct(tmp_path: Path) -> Path:
    """Three jobs that shared a node, the first of which was submitted last."""
    rows = [
        row(9, 5, 6, 9, "cpu=4,mem=2G,node=1,gres/gpu:a100=1"),
        row(7, 0, 0, 8, "cpu=8,mem=4G,node=1"),
        row(8, 1, 4, 7, "cpu=1,mem=1G,node=1", qos="high"),
    ]
    path = tmp_path / "sacct.txt"
    path.write_text("\n".join([FIELDS, *rows]) + "\n")
    return path


def test_sacct_fills_what_jobs_ask_for(sacct: Path) -> None:
    """Jobs come in the order of submission, whatever the order of the rows."""
    jobs = read_accounting("slurm-sacct", sacct, ReadOptions())
    assert jobs["submit_s"].tolist() == [0, 60, 300]
    assert jobs["wait_s"].tolist() == [0, 180, 60]
    assert jobs["cores_per_node"].tolist() == [8, 1, 4]
    assert jobs["memory_per_node_kb"].tolist() == [4 << 20, 1 << 20, 2 << 20]
    assert jobs["gpus_per_node"].tolist() == [-1, -1, 1]
    assert jobs.labelled("gpu_type").tolist() == ["", "", "a100"]
    assert jobs.labelled("qos").tolist() == ["normal", "high", "normal"]
    assert jobs.labelled("partition").tolist() == ["debug"] * 3
    assert jobs.labelled("account").tolist() == ["physics"] * 3


def test_sacct_is_simulated_beside_what_happened(run: Run, sacct: Path) -> None:
    """The jobs share the node, as the real ones did, and a remark says so."""
    command = ("simulate", str(sacct), "--format", "slurm-sacct", "--policy", "easy")
    easy, past = json.loads(run(*command, "--json").stdout)
    assert (easy["policy"], past["policy"]) == ("easy", "as it was")
    assert past["mean_wait_s"] == 80
    told = run(*command)
    assert told.exit_code == 0
    assert "sacct: 3 jobs on 1 nodes, 2026-11-15" in told.stdout
    remark = "2 of 3 jobs ask for part of a node; simulated as shared"
    assert remark in " ".join(told.stdout.split())


def test_a_broken_row_is_counted_or_refused(run: Run, sacct: Path) -> None:
    """The other rows are read, unless reading is strict."""
    with sacct.open("a") as stream:
        stream.write("10|COMPLETED|half a row\n")
    command = ("simulate", str(sacct), "--format", "slurm-sacct", "--policy", "easy")
    result = run(*command)
    assert result.exit_code == 0
    assert "reader: dropped 1 of 4: could not be read" in result.stdout
    strict = run(*command, "--strict")
    assert strict.exit_code == 2
    assert "strict reading refuses this" in strict.stderr


def test_mistakes_are_sentences(run: Run, tmp_path: Path) -> None:
    """A wrong file, one without jobs, a missing one and a misspelt format are refused."""
    (tmp_path / "a.txt").write_text("hello\n")
    (tmp_path / "b.txt").write_text(FIELDS + "\n")
    for name, format, reason in (
        ("a.txt", "slurm-sacct", "must be the header of sacct --parsable2"),
        ("b.txt", "slurm-sacct", "has no jobs"),
        ("c.txt", "slurm-sacct", "No such file"),
        ("a.txt", "slurm-sact", 'did you mean "slurm-sacct"?'),
    ):
        result = run("simulate", str(tmp_path / name), "--format", format, "--policy", "easy")
        assert result.exit_code == 2
        assert reason in result.stderr


def test_the_formats_are_sources_of_a_history() -> None:
    """The history service can read every accounting format too."""
    assert set(ACCOUNTING) <= set(JOB_SOURCES)


@pytest.mark.parametrize(
    ("kind", "file", "jobs"),
    [
        ("slurm-sacct", "slurm/sacct_P_ALL.txt", 47),
        ("slurm-sacct-json", "slurm/sacct.json", 47),
        ("slurm-jobcomp", "slurm/jobcomp_filetxt.log", 47),
        ("grid-engine", "gridengine/accounting", 16),
    ],
)
def test_real_samples(kind: str, file: str, jobs: int, shared_data: Path) -> None:
    """Files that real schedulers wrote are read; each job has its real start."""
    found = read_accounting(kind, shared_data / "samples" / file, ReadOptions())
    assert len(found) == jobs
    assert found["wait_s"].min() >= 0
    assert found["submit_s"].min() == 0
