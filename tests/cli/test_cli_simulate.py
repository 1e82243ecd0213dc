"""schedlab simulate."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Run = Callable[..., Any]

KEYS = {
    "policy",
    "jobs",
    "makespan_s",
    "utilisation",
    "mean_wait_s",
    "mean_slowdown",
    "mean_bounded_slowdown",
    "wall_s",
    "jobs_per_s",
}


def test_json_has_one_object_per_policy(run: Run, head_blocked: str) -> None:
    """Under fcfs the third job waits for the second; under easy it runs beside the first."""
    result = run(
        "simulate", head_blocked, "--nodes", "4", "--policy", "fcfs", "--policy", "easy", "--json"
    )
    assert result.exit_code == 0
    fcfs, easy = json.loads(result.stdout)
    assert fcfs.keys() >= KEYS
    assert (fcfs["policy"], easy["policy"]) == ("fcfs", "easy")
    assert (fcfs["jobs"], fcfs["nodes"], fcfs["seed"]) == (3, 4, 0)
    assert fcfs["mean_wait_s"] == pytest.approx((0 + 99 + 148) / 3)
    assert easy["mean_wait_s"] == pytest.approx((0 + 99 + 0) / 3)
    assert (fcfs["makespan_s"], easy["makespan_s"]) == (240, 150)


def test_only_json_is_on_stdout(run: Run, ten_jobs: str) -> None:
    """A program parses stdout; what the reader did is for people, on stderr."""
    result = run("simulate", ten_jobs, "--policy", "easy", "--json")
    assert [row["policy"] for row in json.loads(result.stdout)] == ["easy", "as it was"]
    assert "reader: dropped" in result.stderr
    assert "machine: 338 nodes, as the trace's header says" in result.stderr


def test_the_table_tells_what_was_done(run: Run, ten_jobs: str) -> None:
    """The table shows policies, the header's machine and every repair; stderr stays empty."""
    result = run("simulate", ten_jobs, "--policy", "easy", "--policy", "sjf+easy")
    assert result.exit_code == 0
    assert result.stderr == ""
    for text in ("ten: 8 jobs on 338 nodes", "sjf+easy", "utilisation", "reader: repaired"):
        assert text in result.stdout
    assert "killed at their request: 1 job\n" in result.stdout
    table = result.stdout.partition("simulated")[0]
    assert max(map(len, table.splitlines())) <= 80


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_schedules_are_written(run: Run, head_blocked: str, tmp_path: Path, suffix: str) -> None:
    """The file has one row per policy and job."""
    out = tmp_path / f"schedules.{suffix}"
    options = ("--nodes", "4", "--policy", "fcfs", "--policy", "easy", "--out", out)
    result = run("simulate", head_blocked, *options)
    assert f"written: {out}" in result.stdout
    frame = pl.read_parquet(out) if suffix == "parquet" else pl.read_csv(out, comment_prefix="#")
    wanted = ("policy", "job_id", "submit_s", "start_s", "end_s", "nodes", "user")
    assert frame.select(wanted).rows()[-1] == ("easy", 3, 2, 2, 92, 2, "ann")
    assert len(frame) == 6


def test_a_schedule_can_leave_as_a_trace(run: Run, head_blocked: str, tmp_path: Path) -> None:
    """Other tools read SWF; Perfetto and Chrome read the JSON."""
    for name in ("easy.swf", "easy.json"):
        run("simulate", head_blocked, "--nodes", "4", "--policy", "easy", "--out", tmp_path / name)
    assert (tmp_path / "easy.swf").read_text().count("\n3 2 ") == 1
    assert json.loads((tmp_path / "easy.json").read_text())["traceEvents"]


def test_the_workload_is_shaped_in_order(run: Run, head_blocked: str) -> None:
    """Cores become nodes first: transforms and the machine count nodes."""
    result = run(
        *("simulate", head_blocked, "--cores-per-node", "2", "--transform", "head=2"),
        *("--nodes", "2", "--policy", "fcfs", "--seed", "3", "--json"),
    )
    (row,) = json.loads(result.stdout)
    assert (row["jobs"], row["seed"], row["makespan_s"]) == (2, 3, 150)


@pytest.mark.parametrize(("what", "jobs"), [("drop", 2), ("clip", 3)])
def test_wide_jobs_can_be_dropped_or_clipped(
    run: Run, head_blocked: str, what: str, jobs: int
) -> None:
    """A message says how many jobs were dropped or clipped."""
    options = ("--nodes", "2", "--oversize", what, "--policy", "fcfs", "--json")
    result = run("simulate", head_blocked, *options)
    assert json.loads(result.stdout)[0]["jobs"] == jobs
    assert "1 of 3: wider than 2 nodes" in result.stderr


def test_a_job_may_run_beyond_its_request(run: Run, ten_jobs: str) -> None:
    """Job 7 runs 120 s on a request of 100 s."""
    killed, whole = (
        json.loads(run("simulate", ten_jobs, "--policy", "easy", "--json", *more).stdout)[0]
        for more in ((), ("--allow-overrun",))
    )
    assert (killed["killed"], whole["killed"]) == (1, 0)


def test_depth_and_tick_reach_the_simulator(run: Run, head_blocked: str) -> None:
    """With depth 1 easy considers the head alone; ticks of 60 s move every start to a minute."""
    options = ("--nodes", "4", "--policy", "easy", "--json")
    (shallow,) = json.loads(run("simulate", head_blocked, *options, "--depth", "1").stdout)
    assert (shallow["policy"], shallow["makespan_s"]) == ("easy:depth=1", 240)
    (ticked,) = json.loads(run("simulate", head_blocked, *options, "--tick", "60").stdout)
    assert ticked["tick_s"] == 60
    assert ticked["makespan_s"] % 10 == 0
    assert ticked["mean_wait_s"] > 33


def test_a_platform_file_with_several_clusters_is_one_pool(
    run: Run, head_blocked: str, tmp_path: Path
) -> None:
    """One cluster can be chosen, and cores can be counted instead of nodes."""
    toml = tmp_path / "two.toml"
    toml.write_text(
        '[[cluster]]\nname = "thin"\n[[cluster.nodes]]\ncount = 4\n'
        '[[cluster]]\nname = "fat"\n[[cluster.nodes]]\ncount = 8\n'
    )
    base = ("simulate", head_blocked, "--platform", toml, "--policy", "easy", "--json")
    assert json.loads(run(*base).stdout)[0]["nodes"] == 12
    assert json.loads(run(*base, "--cluster", "fat").stdout)[0]["nodes"] == 8
    toml.write_text(toml.read_text() + "cores = 2\n")
    assert json.loads(run(*base).stdout)[0]["nodes"] == 12
    assert json.loads(run(*base, "--cores").stdout)[0]["nodes"] == 4 + 16


def test_jobs_share_nodes_unless_told_otherwise(run: Run, tmp_path: Path) -> None:
    """The platform says what nodes have, the jobs what they need; a remark names the choice."""
    toml, csv = tmp_path / "two.toml", tmp_path / "jobs.csv"
    toml.write_text(
        '[[node_type]]\nname = "t"\ncores = 4\n'
        '[[cluster]]\nname = "c"\n[[cluster.nodes]]\ntype = "t"\ncount = 1\n'
    )
    csv.write_text(
        "job_id,submit_s,nodes,request_s,run_s,cores_per_node\n1,0,1,9,9,2\n2,0,1,9,9,2\n"
    )
    base = ("simulate", csv, "--platform", toml, "--policy", "easy", "--json")
    shared, whole = run(*base), run(*base, "--whole-nodes")
    assert json.loads(shared.stdout)[0]["makespan_s"] == 9
    assert json.loads(whole.stdout)[0]["makespan_s"] == 18
    assert "2 of 2 jobs ask for part of a node; simulated as shared (--whole-nodes" in shared.stderr
    assert "2 of 2 jobs ask for part of a node; simulated as whole nodes" in whole.stderr


def test_a_fetched_trace_goes_by_its_name(
    run: Run, ten_jobs: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command looks into the cache when no file has the name."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cached = tmp_path / "schedlab" / "traces" / "KTH-SP2-1996-2.1-cln.swf.gz"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(gzip.compress(Path(ten_jobs).read_bytes()))
    result = run("simulate", "KTH-SP2-1996-2.1-cln", "--policy", "easy", "--json")
    assert json.loads(result.stdout)[0]["trace"] == "KTH-SP2-1996-2.1-cln"


def test_a_transform_that_keeps_no_job_is_refused(run: Run, ten_jobs: str) -> None:
    """A script would take an empty table for a result."""
    result = run("simulate", ten_jobs, "--transform", "head=0", "--policy", "easy")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == 'schedlab: transform "head=0" keeps none of 8 jobs\n'


def test_a_model_needs_no_file(run: Run) -> None:
    """The jobs that `workload generate` would write; another seed gives others."""
    command = ("simulate", "lublin:nodes=64", "--jobs", "50", "--policy", "easy", "--json")
    once, again, other = (run(*command, "--seed", seed) for seed in ("1", "1", "2"))
    found = [json.loads(each.stdout)[0] for each in (once, again, other)]
    assert (found[0]["jobs"], found[0]["nodes"]) == (50, 64)
    assert found[0]["makespan_s"] == found[1]["makespan_s"] != found[2]["makespan_s"]


def test_a_mistake_in_a_model_is_one_sentence(run: Run) -> None:
    """A name that is no model is taken for the name of a file."""
    result = run("simulate", "lublin:node=64", "--policy", "easy")
    assert result.exit_code == 2
    assert 'unknown parameter of lublin "node"; did you mean "nodes"?' in result.stderr
    assert "shard: no such file" in run("simulate", "shard", "--policy", "easy").stderr


def test_a_file_named_like_a_model_is_read(
    run: Run, ten_jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that exists takes precedence over a model of the same name."""
    (tmp_path / "shared").write_bytes(Path(ten_jobs).read_bytes())
    monkeypatch.chdir(tmp_path)
    result = run("simulate", "shared", "--format", "swf", "--policy", "easy", "--json")
    assert json.loads(result.stdout)[0]["jobs"] == 8


def test_the_place_is_told_checked_and_recorded(
    run: Run, head_blocked: str, tmp_path: Path
) -> None:
    """On equal nodes the place changes no start; an unknown place gets one sentence."""
    base = ("simulate", head_blocked, "--nodes", "4", "--policy", "easy", "--json")
    lowest, chance = run(*base), run(*base, "--place", "random:seed=2")
    rows = [json.loads(each.stdout)[0] for each in (lowest, chance)]
    assert [row["place"] for row in rows] == ["lowest", "random:seed=2"]
    assert rows[0]["mean_wait_s"] == rows[1]["mean_wait_s"]
    wrong = run(*base, "--place", "best")
    assert wrong.exit_code == 2
    assert 'unknown place "best"; did you mean "best-fit"?' in wrong.stderr
