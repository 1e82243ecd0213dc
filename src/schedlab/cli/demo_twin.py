"""A Slurm for the miniature site: configuration, accounts, and its jobs as a site folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

CONF = """\
# What the Slurm of the miniature site might be told.
ClusterName=mini
SlurmctldHost=n01
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=60,bf_continue
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityMaxAge=7-0
GresTypes=gpu
AccountingStorageEnforce=associations
NodeName=n[01-{nodes:02}] CPUs={cpus} RealMemory=65536 Gres=gpu:{gpus}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=interactive Nodes=ALL MaxTime=INFINITE State=UP
"""
ACCOUNTS = """\
add cluster Name=mini Fairshare=1 QOS=normal
add account name=group1 Fairshare=1
add account name=group2 Fairshare=1
"""
FOLDER, _DUMP, _VERSION = "slurm", "slurm-dump", "24.11"


def make_demo_twin(site_file: Path) -> Path:
    """Make a twin for the miniature site, and name it in the site file; return its folder.

    Args:
        site_file: the site file of ``schedlab.history.demo.make_demo``, beside which the jobs lie.
    """
    from schedlab.atomic import atomic_write
    from schedlab.history.demo import CPUS, GPUS, NODES, USERS
    from schedlab.slurm import write_site
    from schedlab.slurm.dump.history import history_of
    from schedlab.slurm.dump.importing import import_dump

    folder = site_file.parent
    dump, jobs = folder / _DUMP, folder / "jobs.jsonl"
    dump.mkdir(exist_ok=True)
    (dump / "slurm.conf").write_text(CONF.format(nodes=NODES, cpus=CPUS, gpus=GPUS))
    users = [
        f"add user name={user} DefaultAccount=group{place % 2 + 1}\n"
        for place, user in enumerate(USERS)
    ]
    (dump / "sacctmgr.script").write_text(ACCOUNTS + "".join(users))
    site, report = import_dump(dump, lambda path: ((), ()), version=_VERSION)
    with jobs.open() as lines:
        records = [json.loads(line) for line in lines]
    write_site(replace(site, history=history_of(records, {}, jobs, report)), folder / FOLDER)
    text = site_file.read_text()
    if "[slurm]" not in text:
        with atomic_write(site_file) as path:
            path.write_text(f'{text}\n[slurm]\nsite = "{FOLDER}"\n')
    return folder / FOLDER
