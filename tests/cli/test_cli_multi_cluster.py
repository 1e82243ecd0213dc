"""Jobs that name clusters on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

GRID = """
[[cluster]]
name = "a"
[[cluster.nodes]]
count = 4
cores = 8
[[cluster]]
name = "b"
[[cluster.nodes]]
count = 2
"""
JOBS = """job_id,submit_s,nodes,request_s,run_s,needs
1,0,4,100,90,a:4
2,1,3,100,50,a:1+b:2
3,2,1,90,90,b:1
"""


@pytest.fixture
def grid(tmp_path: Path) -> list[str]:
    """Two clusters whose nodes differ, and three jobs."""
    (tmp_path / "grid.toml").write_text(GRID)
    (tmp_path / "jobs.csv").write_text(JOBS)
    return [str(tmp_path / "jobs.csv"), "--platform", str(tmp_path / "grid.toml")]


def test_simulate_tells_of_clusters_and_of_co_allocated_jobs(run: Run, grid: list[str]) -> None:
    """Nodes of different clusters may differ, so no job gets a node of another cluster."""
    policies = ("--policy", "conservative", "--policy", "coalloc:solver=wd,round_s=1")
    shown = run("simulate", *grid, *policies).stdout
    assert "3 jobs on 6 nodes of 2 clusters" in shown
    assert "coalloc:solver=wd,round_s=1: agreements 0, without agreement 0" in shown
    (row,) = json.loads(run("simulate", *grid, "--policy", "conservative", "--json").stdout)
    assert [part["mean_wait_s"] for part in row["by_clusters_needed"]] == [0.0, 91.0]
    assert [part["jobs"] for part in row["clusters"]] == [2, 2]


def test_a_schedule_can_be_audited(run: Run, grid: list[str], tmp_path: Path) -> None:
    """The file holds the clusters and the needs of the jobs."""
    out = tmp_path / "s.parquet"
    assert run("simulate", *grid, "--policy", "conservative", "--out", out).exit_code == 0
    assert run("audit", out, "--policy", "conservative").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--policy", "wrsabf-ar:reservation=pinned"], "plans whole nodes of one pool"),
        (["--policy", "conservative", "--cluster", "a"], 'job 2: unknown cluster "b"'),
        (["--policy", "sjf+conservative:promises=1"], "promises is for the order fcfs; omit it"),
        (["--policy", "conservative:promises=1,rebuild=true"], "keeps its promises; omit rebuild"),
        (["--policy", "coalloc:solver=wdd"], 'unknown solver "wdd"; did you mean "wd"?'),
    ],
)
def test_mistakes_are_one_sentence(
    run: Run, grid: list[str], arguments: list[str], reason: str
) -> None:
    """The exit code is 2."""
    result = run("simulate", *grid, *arguments)
    assert result.exit_code == 2
    assert reason in result.stderr


def test_the_clusters_must_be_described(run: Run, grid: list[str]) -> None:
    """The size of the whole machine says nothing about its clusters."""
    result = run("simulate", grid[0], "--policy", "conservative")
    assert result.exit_code == 2
    assert "its jobs name clusters; say which there are in a platform file" in result.stderr


def test_policies_lists_them(run: Run) -> None:
    """The list shows the parameters of each policy."""
    shown = run("policies").stdout
    assert "round_s: new jobs wait" in shown
    listed = {each["policy"]: each for each in json.loads(run("policies", "--json").stdout)}
    assert set(listed["coalloc"]["parameters"]) >= {"solver", "round_s", "objective"}
