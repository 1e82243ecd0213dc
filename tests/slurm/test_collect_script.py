"""The script that collects a dump, on a real Slurm, and the site made from the dump."""

from __future__ import annotations

import json
import os
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from tests.services.slurm import CLUSTER, NODES, Slurm
from tests.services.users import ANN
from tests.services.waiting import until
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.slurm import read_site

pytestmark = pytest.mark.slow

SCRIPT = Path(str(files("schedlab.slurm") / "collect-slurm.sh"))


def collect(slurm: Slurm, folder: Path) -> str:
    """Run the script; return what it printed."""
    command = ["sh", str(SCRIPT), str(folder), "now-1hours"]
    done = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **slurm.environment},
    )
    return done.stdout


def _ended_job(slurm: Slurm, *options: str) -> str:
    """Run a job; return its id once the accounting lists its end."""
    job = slurm.submit(ANN, *options, "-t", "3", "--wrap", "sleep 1 | cat")
    known = ("sacct", "-P", "-X", "-a", "-S", "now-1hours", "-o", "JobID,State")
    ended = f"{job}|COMPLETED"
    until(lambda: ended in slurm.run(*known).split(), "the accounting has the job")
    return job


def test_what_the_script_collects_becomes_a_site(slurm: Slurm, tmp_path: Path) -> None:
    """Every command of the script works, and every file of it is read."""
    slurm.run("sacctmgr", "-i", "modify", "account", "physics", "set", "GrpTRES=cpu=30,mem=1G")
    slurm.run("sacctmgr", "-i", "modify", "qos", "normal", "set", "MaxJobsPerUser=50")
    slurm.run("scontrol", "update", f"NodeName={NODES[7]}", "State=DRAIN", "Reason=test of drains")
    times = ("StartTime=now", "Duration=60", f"Nodes={NODES[6]}", f"Users={ANN}")
    slurm.run("scontrol", "create", "reservation", "ReservationName=course", *times)
    try:
        job = _ended_job(slurm, "-N", "1", "-n", "2", "--nice=7", "--no-requeue")
        printed = collect(slurm, tmp_path / "dump")
    finally:
        slurm.run("scontrol", "delete", "ReservationName=course")
        slurm.run("scontrol", "update", f"NodeName={NODES[7]}", "State=RESUME")
        slurm.run("sacctmgr", "-i", "modify", "account", "physics", "set", "GrpTRES=cpu=-1,mem=-1")
        slurm.run("sacctmgr", "-i", "modify", "qos", "normal", "set", "MaxJobsPerUser=-1")
    assert "left out" not in printed
    assert "slurmdbd.conf" not in printed, "it has passwords"

    arguments = ["slurm", "import", str(tmp_path / "dump"), "--out", str(tmp_path / "site")]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [name for name, use in told["files"].items() if use == "not read"] == []
    site = read_site(tmp_path / "site")
    assert site.parameters.cluster_name == CLUSTER
    assert site.parameters.version.startswith("22.05")
    assert site.parameters.control.cred_expire_s == 5
    assert site.parameters.control.boot_epoch_s
    assert site.machine.node_names() == list(NODES)
    physics = next(each for each in site.accounts.associations if each.account == "physics")
    assert physics.parent == "root"
    assert physics.grp_tres == {"cpu": 30, "mem": 1024}
    assert site.accounts.qos_by_name["normal"].max_jobs_per_user == 50
    cluster = site.machine.clusters[0]
    assert [(each.nodes, each.users) for each in cluster.reservations] == [(NODES[6], (ANN,))]
    assert (NODES[7], "test of drains") in [(each.nodes, each.name) for each in cluster.drains]
    assert site.history is not None
    row = site.history.details.filter(site.history.details["slurm_id"] == job).row(0, named=True)
    assert (row["nice"], row["may_requeue"], row["min_nodes"], row["attempts"]) == (7, False, 1, 1)
    assert row["state"] == "COMPLETED"
    place = site.history.details["slurm_id"].to_list().index(job)
    workload = site.history.workload
    assert (workload["tasks"][place], workload["cores_per_task"][place]) == (2, 1)


def test_nodes_and_partitions_are_read_without_slurm_conf(slurm: Slurm, tmp_path: Path) -> None:
    """Some operators cannot read slurm.conf; what scontrol shows is enough."""
    _ended_job(slurm)
    collect(slurm, tmp_path / "dump")
    with_conf = ["slurm", "import", str(tmp_path / "dump"), "--out", str(tmp_path / "with")]
    assert CliRunner().invoke(app, with_conf).exit_code == 0
    (tmp_path / "dump" / "slurm.conf").unlink()
    without = ["slurm", "import", str(tmp_path / "dump"), "--out", str(tmp_path / "without")]
    done = CliRunner().invoke(app, without)
    assert done.exit_code == 0, done.output
    one, other = read_site(tmp_path / "with"), read_site(tmp_path / "without")
    assert one.machine.clusters[0].partitions == other.machine.clusters[0].partitions
    assert one.machine.node_names() == other.machine.node_names()
    assert one.parameters.scheduler == other.parameters.scheduler
    assert one.parameters.select == other.parameters.select
