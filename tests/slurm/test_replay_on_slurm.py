"""A workload on a real Slurm, collected, imported and replayed by the twin."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from tests.command_schemas import check_json
from tests.services.slurm import Slurm
from tests.services.users import ANN, BOB
from tests.services.waiting import until
from tests.slurm.tiny_site import run

from schedlab.platform import Platform
from schedlab.slurm import SlurmHistory, read_site, write_site
from schedlab.slurm.bench import submissions_of
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.replay import replay
from schedlab.slurm.site import SlurmSite
from schedlab.workload import Workload
from schedlab.workload.writers import write_workload

LIMIT_S = 120


def _history() -> SlurmHistory:
    """Return jobs that fill eight nodes of four cores, wait for each other, and form an array."""
    cores = [4, 12, 16, 8, 32, 4, 8, 2, 2, 2, 4]
    runs = [8.0, 6.0, 7.0, 5.0, 3.0, 4.0, 2.0, 2.0, 3.0, 4.0, 1.0]
    count = len(cores)
    is_task = [7 <= at <= 9 for at in range(count)]
    names = [f"20_{at - 7}" if is_task[at] else str(at + 1) for at in range(count)]
    columns = {
        "job_id": range(1, count + 1),
        "submit_s": [0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 4],
        "nodes": [1] * count,
        "request_s": [LIMIT_S] * count,
        "run_s": [math.ceil(each) for each in runs],
        "tasks": cores,
        "user": [at % 2 for at in range(count)],
        "partition": [0] * count,
        "array": [20 if each else -1 for each in is_task],
        "array_index": [at - 7 if is_task[at] else -1 for at in range(count)],
        "array_limit": [1 if each else -1 for each in is_task],
    }
    labels = {"user": (ANN, BOB), "partition": ("batch",)}
    details = pl.DataFrame(
        {
            "slurm_id": names,
            "submit_s": [0.0, 0.4, 1.0, 1.4, 2.0, 2.4, 3.0, 3.4, 3.4, 3.4, 4.0],
            "true_run_s": runs,
            "dependency": [None] * 10 + ["afterok:1"],
            "exit_code": [0] * count,
        }
    )
    return SlurmHistory(Workload(columns, labels=labels), details)


def test_jobs_become_calls_of_sbatch() -> None:
    """An array is one call; its tasks sleep as long as each of them ran."""
    calls = submissions_of(_history().workload, _history())
    assert [each.name for each in calls] == ["1", "2", "3", "4", "5", "6", "7", "20", "11"]
    array = calls[7]
    assert "--array=0,1,2%1" in array.options
    assert array.script == (
        "case $SLURM_ARRAY_TASK_ID in 0) s=2;; 1) s=3;; 2) s=4;; esac; exec sleep $s"
    )
    assert calls[8].depends({"1": "77"}) == "afterok:77"
    assert calls[1].script == "exec sleep 6"
    assert calls[1].options[:2] == ("--ntasks", "12")


def test_a_plain_workload_asks_for_whole_nodes() -> None:
    """A trace says how many nodes; a job at its limit sleeps until it is killed."""
    columns = {"job_id": [1, 2], "submit_s": [0, 9], "nodes": [3, 1], "request_s": [61, 60]}
    calls = submissions_of(Workload({**columns, "run_s": [5, 60]}))
    assert calls[0].options[:5] == ("--nodes", "3", "--exclusive", "--time", "2")
    assert calls[1].at_s == 9
    assert calls[1].script == "exec sleep 1000000"


def test_names_cannot_break_the_table_or_become_options() -> None:
    """A job's name may hold anything."""
    columns = {"job_id": [1], "submit_s": [0], "nodes": [1], "request_s": [60], "run_s": [1]}
    labels = {"job_name": ("a|b\n--wrap=rm $(x)",)}
    (call,) = submissions_of(Workload({**columns, "job_name": [0]}, labels=labels))
    assert call.options[call.options.index("--job-name") + 1] == "a_b_--wrap_rm___x_"


@pytest.mark.slow
def test_the_twin_matches_a_real_slurm(slurm: Slurm, tmp_path: Path) -> None:
    """Loops turn every second here: their phases matter little, even on a busy machine."""
    write_site(SlurmSite(Platform.homogeneous(2), history=_history()), tmp_path / "wanted")
    conf = ["--conf", slurm.folder / "slurm.conf"]
    code, said = run(
        "replay",
        tmp_path / "wanted",
        *conf,
        "--out",
        tmp_path / "run",
        "--yes",
        "--sample",
        1,
        "--json",
    )
    assert code == 0, said
    told = json.loads(said[said.index("{") : said.rindex("}") + 1])
    check_json("slurm replay", told)
    assert told["refused"] == []
    code, said = run("import", tmp_path / "run", "--out", tmp_path / "site")
    assert code == 0, said
    site = read_site(tmp_path / "site")
    assert site.history is not None
    details = site.history.details
    assert len(details) == 11
    assert set(details["state"]) == {"COMPLETED"}
    assert details["started_by"].is_in(["main", "backfill"]).all()
    first = float(details["submit_s"].min())  # type: ignore[arg-type]
    twin = replay(site, Clocks(first, first, first, first, first))
    real = details["start_s"].to_numpy()
    assert abs(twin.start_s - real).max() < 8
    assert (tmp_path / "run" / "squeue-start.csv").read_text().count("\n") > 1


def test_without_slurm_the_command_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes before anything is written."""
    write_site(SlurmSite(Platform.homogeneous(2), history=_history()), tmp_path / "wanted")
    monkeypatch.setenv("PATH", "")
    code, said = run("replay", tmp_path / "wanted", "--out", tmp_path / "run", "--yes")
    assert code == 2
    assert "this needs the commands of Slurm" in said
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_ctrl_c_cancels_what_was_submitted(slurm: Slurm, tmp_path: Path) -> None:
    """No one wants to find sleeping jobs on the cluster the next morning."""
    columns = {"job_id": [1, 2], "submit_s": [0, 500], "nodes": [1, 1], "request_s": [6000] * 2}
    labels = {"user": (ANN,), "job_name": ("of-the-interrupted-replay",)}
    jobs = {**columns, "run_s": [5000, 5000], "user": [0, 0], "job_name": [0, 0]}
    write_workload(Workload(jobs, labels=labels), tmp_path / "two.parquet")
    command = [sys.executable, "-m", "schedlab", "slurm", "replay", str(tmp_path / "two.parquet")]
    options = ["--conf", str(slurm.folder / "slurm.conf"), "--out", str(tmp_path / "run"), "--yes"]

    def names() -> list[str]:
        return slurm.run("squeue", "-h", "-o", "%j").split()

    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: "of-the-interrupted-replay" in names(), "the first job is there")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=300)[1]
    finally:
        process.kill()
    assert process.returncode == 130
    assert "the 1 jobs that were submitted are cancelled" in said
    until(lambda: "of-the-interrupted-replay" not in names(), "it is cancelled")
