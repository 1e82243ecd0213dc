"""A dump becomes a site; a mistake in a dump is reported in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.slurm import read_site

CONF = """\
ClusterName=tiny   # a comment
SchedulerParameters=bf_interval=60,\\
bf_continue,mystery=4
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityMaxAge=1-12
PreemptMode=SUSPEND,GANG
Licenses=matlab:4
UnheardOf=yes
Include nodes.con*
PartitionName=DEFAULT MaxTime=1-12:00:00 State=UP
PartitionName=batch Nodes=ALL Default=YES OverSubscribe=FORCE:2
PartitionName=gpu Nodes=withgpu MaxTime=INFINITE PriorityTier=5 DefMemPerCPU=2G
"""
NODES = """\
nodename=DEFAULT CPUs=8 RealMemory=16000 Feature=ib Weight=10
NodeName=n[1-2,10] State=UNKNOWN
NodeName=g1 Gres=gpu:a100:4 Feature=ib,gpu Weight=90
NodeSet=withgpu Feature=gpu
DownNodes=n2 State=DRAIN Reason="bad memory"
"""
ASSOC = """\
Cluster|Account|User|Partition|ParentName|Share|GrpTRES|MaxWall|QOS
tiny|root||||1|||normal
tiny|physics|||root|10|cpu=16,mem=2T|1-00:00:00|normal
tiny|physics|ann||||||normal
"""
QOS = "Name|Priority|Preempt|GrpJobs|MaxTRESPU\nnormal|10||5|gres/gpu=2\n"
SACCT = """\
JobID|State|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|NNodes|NCPUS|NodeList|\
ReqTRES|AllocTRES|Flags
12|COMPLETED|ann|physics|batch|normal|1000000100|1000000100|1000000110|1000000170|00:10:00|1|2|n1|\
cpu=2,mem=4G,node=1|cpu=2,mem=4G,node=1|SchedBackfill
13|TIMEOUT|ann|physics|gpu|normal|1000000130|1000000130|1000000131|1000000731|00:10:00|1|4|g1|\
cpu=4,node=1,gres/gpu=2|cpu=4,node=1,gres/gpu=2|SchedMain
"""


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A dump of four nodes and two jobs."""
    folder = tmp_path / "dump"
    folder.mkdir()
    files = {"slurm.conf": CONF, "nodes.conf": NODES, "sacctmgr-assoc.txt": ASSOC}
    for name, text in (files | {"sacctmgr-qos.txt": QOS, "sacct.txt": SACCT}).items():
        (folder / name).write_text(text)
    return folder


def run(*arguments: object) -> tuple[int, str]:
    """Return the exit code, and what the command printed."""
    done = CliRunner().invoke(app, ["slurm", *map(str, arguments)])
    return done.exit_code, done.output


def test_a_dump_becomes_a_site(dump: Path, tmp_path: Path) -> None:
    """Every part of the dump is in the site, in Slurm's order and in seconds and bytes."""
    code, printed = run("import", dump, "--out", tmp_path / "site")
    assert code == 0, printed
    site = read_site(tmp_path / "site")
    assert site.machine.node_names() == ["g1", "n1", "n2", "n10"]
    cluster = site.machine.clusters[0]
    batch, gpu = cluster.partitions
    assert (batch.max_time_s, gpu.max_time_s, gpu.nodes) == (129600, None, "g1")
    assert gpu.priority_tier == 5
    assert gpu.memory_per_core_bytes == 2 << 30
    assert (site.partitions[0].over_subscribe, site.partitions[0].over_subscribe_jobs) == (
        "FORCE",
        2,
    )
    assert cluster.groups[0].type.gpus == {"a100": 4}
    assert [(each.nodes, each.name) for each in cluster.drains] == [("n2", "bad memory")]
    assert [(each.name, each.capacity) for each in site.machine.consumables] == [("matlab", 4)]
    assert site.parameters.scheduler.bf_interval_s == 60
    assert site.parameters.scheduler.bf_continue
    assert site.parameters.priority.max_age_s == 129600
    physics = next(each for each in site.accounts.associations if each.account == "physics")
    assert physics.grp_tres == {"cpu": 16, "mem": 2 << 20}
    assert (physics.shares, physics.max_wall_s) == (10, 86400)
    assert site.accounts.qos_by_name["normal"].max_tres_per_user == {"gres/gpu": 2}
    assert site.history is not None
    assert site.history.workload["run_s"].tolist() == [60, 600]
    assert site.history.workload["request_s"].tolist() == [600, 600]
    assert site.history.details["started_by"].to_list() == ["backfill", "main"]
    assert site.history.details["hosts"].to_list() == ["n1", "g1"]


def test_nothing_is_dropped_silently(dump: Path, tmp_path: Path) -> None:
    """An operator must see what the twin ignores."""
    _, printed = run("import", dump, "--out", tmp_path / "site")
    assert "not modelled: UnheardOf=yes (slurm.conf:9)" in " ".join(printed.split())
    found = json.loads((tmp_path / "site" / "import.json").read_text())["parameters"]
    verdicts = {each["name"]: each["verdict"] for each in found}
    assert verdicts["SchedulerParameters.bf_interval"] == "modelled"
    assert verdicts["SchedulerParameters.mystery"] == "not modelled"
    assert verdicts["PreemptMode"] == "modelled"
    assert verdicts["ClusterName"] == "harmless"
    assert verdicts["PartitionName.PriorityTier"] == "modelled"
    assert verdicts["QOS.grpjobs"] == "modelled"
    page = (tmp_path / "site" / "import.md").read_text()
    assert all(each["name"] in page for each in found)


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        (
            "slurm.conf",
            "PriorityWeightAge=1000",
            "PriorityWeightAge=many",
            "slurm.conf:5: Priority",
        ),
        ("slurm.conf", "PriorityMaxAge=1-12", "PriorityMaxAge=soon", "must be minutes, INFINITE"),
        ("slurm.conf", "bf_interval=60", "bf_interval=x", ".bf_interval is 'x'; must be a whole"),
        ("slurm.conf", "UnheardOf=yes", "UnheardOf yes", "slurm.conf:9: 'UnheardOf'; must look"),
        ("slurm.conf", "nodes.con*", "other.conf", "slurm.conf:10: Include other.conf: no such"),
        ("slurm.conf", "Nodes=withgpu", "Nodes=n[7-9]", 'Nodes names "n7", which no line NodeName'),
        ("slurm.conf", "FORCE:2", "SOMETIMES", "must be NO, EXCLUSIVE, YES[:n] or FORCE[:n]"),
        ("slurm.conf", "MaxTime=INFINITE", "MaxTime=never", 'partition "gpu": MaxTime is'),
        ("nodes.conf", "n[1-2,10]", "n[1-", "nodes.conf:2: NodeName: host list"),
        ("nodes.conf", "NodeName=g1", "NodeName=n1", 'node "n1" is described twice'),
        ("nodes.conf", "CPUs=8", "CPUs=x", "CPUs is 'x'; must be a whole number"),
        (
            "sacctmgr-assoc.txt",
            "tiny|physics||",
            "tiny|chemistry||",
            'sacctmgr-assoc.txt:4: user "ann" is in account "physics", which has no association',
        ),
        ("sacctmgr-assoc.txt", "cpu=16", "cpu:16", "must look like cpu=100"),
        ("sacctmgr-qos.txt", "|10|", "|high|", "must be a whole number"),
        ("sacct.txt", "|gpu|", "|old|", '1 jobs name partition "old", which slurm.conf does not'),
        ("sacct.txt", "00:10:00", "", "no job has a time limit"),
    ],
)
def test_a_bad_dump_is_told_in_a_sentence(
    dump: Path, tmp_path: Path, file: str, old: str, new: str, says: str
) -> None:
    """There is no traceback, and no partial site is written."""
    text = (dump / file).read_text()
    assert old in text
    (dump / file).write_text(text.replace(old, new))
    code, printed = run("import", dump, "--out", tmp_path / "site")
    assert code == 2
    assert says in " ".join(printed.split())
    assert not (tmp_path / "site").exists()


def test_jobs_of_unknown_partitions_can_be_left_out(dump: Path, tmp_path: Path) -> None:
    """Partitions come and go; the other jobs are still a history."""
    (dump / "sacct.txt").write_text(SACCT.replace("|gpu|", "|old|"))
    code, printed = run("import", dump, "--out", tmp_path / "site", "--skip-unknown")
    assert code == 0
    assert "they are left out" in " ".join(printed.split())
    history = read_site(tmp_path / "site").history
    assert history is not None
    assert history.details["slurm_id"].to_list() == ["12"]


def test_holes_in_a_history_are_told(dump: Path, tmp_path: Path) -> None:
    """The rest of the history is used."""
    lines = SACCT.splitlines()
    waits = lines[1].replace("12|COMPLETED", "14|RUNNING")
    text = "\n".join([lines[0] + "|Suspended", lines[1] + "|00:00:00", lines[2] + "|00:01:00"])
    (dump / "sacct.txt").write_text(f"{text}\n15|half a row\n{waits}|00:00:00\n")
    code, printed = run("import", dump, "--out", tmp_path / "site")
    told = " ".join(printed.split())
    assert code == 0
    assert "sacct.txt: 1 rows are not readable" in told
    assert "1 jobs of this history were suspended" in told
    assert "1 of 3 jobs ran when it was written, and 0 waited" in told


def test_json_tells_how_long_a_job_was_suspended(
    dump: Path, tmp_path: Path, shared_data: Path
) -> None:
    """Two jobs of a real sacct 22.05; one was suspended for 4 s."""
    (dump / "sacct.txt").unlink()
    answer = json.loads((shared_data / "samples" / "slurm" / "sacct_edge_states.json").read_text())
    jobs = [job for job in answer["jobs"] if job["job_id"] in (1, 3)]
    (dump / "sacct.json").write_text(json.dumps({**answer, "jobs": jobs}))
    (dump / "nodes.conf").write_text(NODES.replace("n[1-2,10]", "n[1-2,10],n[01-04]"))
    code, printed = run("import", dump, "--out", tmp_path / "site")
    told = " ".join(printed.split())
    assert code == 0
    assert "sacct.json: 1 jobs of this history were suspended" in told
    assert "sacct.json: it does not tell the nice value of 2 jobs" in told
    history = read_site(tmp_path / "site").history
    assert history is not None
    found = history.details.select("slurm_id", "suspended_s", "started_by").rows()
    assert sorted(found) == [("1", None, "main"), ("3", 4, "backfill")]


@pytest.mark.parametrize(
    ("version", "code", "says"),
    [
        ("26.05", 0, "not among the versions whose defaults are known"),
        ("new", 2, '"new" is not a version of Slurm'),
    ],
)
def test_the_version_chooses_the_defaults(
    dump: Path, tmp_path: Path, version: str, code: int, says: str
) -> None:
    """An unknown version gets a note; a text that is no version is refused."""
    found, printed = run("import", dump, "--out", tmp_path / "site", "--slurm-version", version)
    assert found == code
    assert says in " ".join(printed.split())


def test_a_folder_without_a_configuration_says_how_to_get_one(tmp_path: Path) -> None:
    """A newcomer makes this mistake first."""
    code, printed = run("import", tmp_path, "--out", tmp_path / "site")
    assert code == 2
    assert "schedlab slurm script" in " ".join(printed.split())


def test_what_counts_less_than_it_seems_is_told(dump: Path, tmp_path: Path) -> None:
    """Notes report a parameter that is set twice, and a default time above the maximum."""
    conf = dump / "slurm.conf"
    twice = CONF.replace("PriorityMaxAge=1-12\n", "PriorityMaxAge=1-12\nPriorityWeightAge=7\n")
    conf.write_text(twice + "PartitionName=short Nodes=n1 MaxTime=10 DefaultTime=60\n")
    code, printed = run("import", dump, "--out", tmp_path / "site")
    assert code == 0
    told = " ".join(printed.split())
    assert "PriorityWeightAge=1000 is set again later; that one counts." in told
    assert 'partition "short" has a DefaultTime above its MaxTime' in told
    assert read_site(tmp_path / "site").parameters.priority.weight_age == 7


def test_what_a_real_slurm_left_behind_is_read(shared_data: Path, tmp_path: Path) -> None:
    """All recorded runs and the site of a week are read."""
    runs = sorted((shared_data / "slurm" / "runs").iterdir())
    for folder in [*runs, shared_data / "slurm" / "ub-hpc-week"]:
        code, printed = run("import", folder, "--out", tmp_path / folder.name)
        assert code == 0, printed
        site = read_site(tmp_path / folder.name)
        assert site.machine.nodes in (10, 217)
        assert site.history is not None
        assert len(site.history.workload) > 0
    started = read_site(tmp_path / "half-r1").history
    assert started is not None
    assert started.details["start_s"].null_count() == 0
    assert abs(float(started.workload["wait_s"].mean()) - 462.7) < 1
    arrays = read_site(tmp_path / "A-r1").history
    assert arrays is not None
    assert len(arrays.workload) == 208
    assert arrays.commands[0].text.startswith("scontrol")
    assert "singleton" in arrays.workload.labels["dependencies"]
