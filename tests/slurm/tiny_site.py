"""A small Slurm site of four nodes, made of a dump; and its jobs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.slurm import SlurmSite, read_site

CONF = """\
ClusterName=tiny
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=30,bf_continue
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightJobSize=1000
AccountingStorageEnforce=limits
TopologyPlugin=topology/tree
Licenses=matlab:1
NodeName=DEFAULT CPUs=4 RealMemory=8000
NodeName=a[1-3] Feature=old
NodeName=z1 Feature=new
PartitionName=DEFAULT MaxTime=INFINITE State=UP DefMemPerCPU=100
PartitionName=batch Nodes=ALL Default=YES
PartitionName=fast Nodes=z1 PriorityTier=5
"""
TOPOLOGY = """\
SwitchName=s1 Nodes=a[1-3]
SwitchName=s2 Nodes=z1
SwitchName=top Switches=s[1-2]
"""
SCRIPT = """\
add QOS Name=scarce Priority=0 MaxJobsPerUser=1
add QOS Name=keen Priority=100 Preempt=normal
add cluster Name=tiny Fairshare=1 QOS=normal,scarce
add account name=physics Fairshare=10
add user name=ann DefaultAccount=physics
add user name=ben DefaultAccount=physics
"""
COLUMNS = [
    *("job", "jobid", "submit_offset_s", "user", "account", "qos", "partition", "cores", "nodes"),
    *("tasks_per_node", "memory_mb", "gpus", "constraint", "limit_s", "true_run_s", "array"),
    *("dependency_ids", "licenses", "hold", "exit_code", "name"),
]


def job(number: int, submit_s: float, cores: int, limit_s: int, run_s: float, **more: str) -> str:
    """Return a line of submitted.csv."""
    row = dict.fromkeys(COLUMNS, "") | {
        "job": f"job{number}",
        "jobid": str(number),
        "submit_offset_s": str(submit_s),
        "user": "ann",
        "account": "physics",
        "qos": "normal",
        "partition": "batch",
        "cores": str(cores),
        "tasks_per_node": str(min(cores, 4)),
        "gpus": "0",
        "limit_s": str(limit_s),
        "true_run_s": str(run_s),
    }
    return "|".join((row | more)[name] for name in COLUMNS)


@pytest.fixture
def make(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Return a function that makes a site of jobs."""
    return partial(make_in, tmp_path)


def make_in(
    folder: Path, *jobs: str, conf: str = CONF, events: str = "", script: str = SCRIPT
) -> SlurmSite:
    """Make a site of jobs in the folder ``site`` there, and return it."""
    dump = folder / "dump"
    dump.mkdir(exist_ok=True)
    (dump / "slurm.conf").write_text(conf)
    (dump / "topology.conf").write_text(TOPOLOGY)
    (dump / "sacctmgr.script").write_text(script)
    (dump / "t0.txt").write_text("ctld_boot_epoch 999999000\nt0_epoch 1000000000\n")
    (dump / "submitted.csv").write_text("\n".join(["|".join(COLUMNS), *jobs]) + "\n")
    if events:
        (dump / "events.csv").write_text(events)
    code, said = run("import", dump, "--out", folder / "site")
    assert code == 0, said
    return read_site(folder / "site")


def run(*arguments: object) -> tuple[int, str]:
    """Return the exit code, and what the command printed."""
    done = CliRunner().invoke(app, ["slurm", *map(str, arguments)])
    return done.exit_code, done.output
