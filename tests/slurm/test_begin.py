"""The state in which a history begins: jobs that run, jobs that wait, and what users have used."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
from tests.slurm.tiny_site import CONF, SCRIPT, run

from schedlab.slurm import SlurmSite, read_site
from schedlab.slurm.fidelity import fidelity_of
from schedlab.slurm.plain.jobs import TwinJob, jobs_of
from schedlab.slurm.replay import TwinReplay, phases_of, replay

HEADER = (
    "JobID|State|User|Account|Partition|QOS|Submit|Eligible|Start|End|TimelimitRaw|ReqTRES|"
    "AllocTRES|NodeList|SubmitLine"
)
BEGIN = 1_000_000_000


def row(
    number: int,
    state: str,
    times: tuple[int, int | None, int | None],
    cpus: int,
    hosts: str = "",
    line: str = "",
    nodes: int = 1,
) -> str:
    """Return a line of sacct: submission, start and end are counted from the first submission."""
    submit, start, end = (None if each is None else BEGIN + each for each in times)
    known = [str(submit), str(submit), str(start or "Unknown"), str(end or "Unknown")]
    asked = f"cpu={cpus},mem=400M,node=1"
    held = f"cpu={cpus},mem=400M,node={nodes}" if hosts else ""
    first = [str(number), state, "ann", "physics", "batch", "normal"]
    return "|".join([*first, *known, "10", asked, held, hosts or "None assigned", line])


def site_of(folder: Path, *rows: str, **files: str) -> SlurmSite:
    """Return the site of a dump with this accounting."""
    dump = folder / "dump"
    dump.mkdir(parents=True)
    texts = {"slurm.conf": CONF, "sacctmgr-dump.cfg": SCRIPT}
    texts["sacct.txt"] = "\n".join([HEADER, *rows]) + "\n"
    for name, text in (texts | {f"{name}.txt": text for name, text in files.items()}).items():
        (dump / name).write_text(text)
    code, said = run("import", dump, "--out", folder / "site")
    assert code == 0, said
    return read_site(folder / "site")


def replayed(site: SlurmSite) -> TwinReplay:
    """Return the replay under some phases."""
    return replay(site, phases_of(site, 1)[0])


def jobs_by_id(site: SlurmSite) -> dict[int, TwinJob]:
    """Return the jobs by their number."""
    return {job.id: job for job in jobs_of(site)}


BUSY = (
    row(1, "COMPLETED", (0, 50, 900), 4, "a1"),
    row(2, "COMPLETED", (0, 60, 400), 12, "a[2-3],z1", nodes=3),
    row(3, "COMPLETED", (100, 900, 950), 4, "a1"),
    row(4, "COMPLETED", (120, 402, 500), 4, "a2"),
    row(5, "CANCELLED", (130, None, 300), 4),
    row(6, "CANCELLED", (140, None, 2000), 16),
    row(7, "RUNNING", (700, 702, None), 4, "a3"),
    row(8, "PENDING", (800, None, None), 16),
)


def test_jobs_that_ran_start_as_they_did(tmp_path: Path) -> None:
    """A job was cancelled at 300 s, the first end: what had started before is given."""
    site = site_of(tmp_path, *BUSY)
    assert site.history is not None
    assert site.history.begin_s == 300
    assert site.history.details["ran_before"].to_list()[:4] == [True, True, False, False]
    found = replayed(site)
    assert [int(each) for each in found.start_s[:2]] == [50, 60]
    assert [len(each) for each in found.nodes[:2]] == [1, 3]
    assert all(each >= 300 for each in found.start_s[2:] if not math.isnan(each))
    assert fidelity_of(site, [found]).rows[0].jobs == 3, "3, 4 and 7 can be compared"


def test_jobs_that_never_started_wait_in_the_queue(tmp_path: Path) -> None:
    """A cancelled job leaves when it really did; one pending at the end starts when it can."""
    site = site_of(tmp_path, *BUSY)
    found = replayed(site)
    assert math.isnan(found.start_s[4]), "cancelled before the twin decides"
    assert math.isnan(found.start_s[5]) or found.start_s[5] < 2000
    assert found.start_s[7] > 1000, "it needs the whole machine"
    assert jobs_by_id(site)[7].run_s == 600, "up to its limit"


def test_a_history_of_a_new_machine_begins_empty(tmp_path: Path) -> None:
    """All jobs had started before the first end: otherwise nothing would be left to decide."""
    site = site_of(tmp_path, *BUSY[:2])
    assert site.history is not None
    assert not site.history.details["ran_before"].any()


@pytest.mark.parametrize(
    ("line", "hosts", "nodes", "expected"),
    [
        ("sbatch -n 6 -c 2 x.sh", "a[1-3]", 3, (6, 2, 0)),
        ("sbatch --ntasks=12 x.sh", "a[1-3]", 3, (12, 1, 0)),
        ("sbatch -c12 x.sh", "a1", 1, (1, 12, 0)),
        ("sbatch --ntasks-per-node=4 x.sh", "a[1-3]", 3, (12, 1, 4)),
        ("sbatch x.sh", "a1", 1, (12, 1, 12)),
        ("sbatch x.sh", "a[1-3]", 3, (12, 1, 0)),
        ("sbatch x.sh -n 700 -c 3", "a1", 1, (12, 1, 12)),
    ],
)
def test_how_a_job_is_cut_into_tasks(
    tmp_path: Path, line: str, hosts: str, nodes: int, expected: tuple[int, int, int]
) -> None:
    """The submit line says how, or else the nodes that the job got."""
    own = row(2, "COMPLETED", (0, 60, 400), 12, hosts, line, nodes)
    job = jobs_by_id(site_of(tmp_path, BUSY[0], own))[2]
    assert (job.tasks, job.cpus_per_task, job.tasks_per_node) == expected
    assert (job.memory_per_cpu_mb is not None) == (nodes == 3), "the same memory on more nodes"


def test_use_before_the_history_is_known_from_its_end(tmp_path: Path) -> None:
    """4 CPUs for 648 s were used since; without decay, the rest of the use is older."""
    shares = "Account|User|RawUsage\nroot||20000\n physics|ann|12000\n physics|ben|700\n"
    conf = CONF.replace("PriorityWeightAge", "PriorityDecayHalfLife=0\nPriorityWeightAge")
    dump = tmp_path / "one" / "dump"
    site_of(tmp_path / "one", *BUSY[:4], sshare=shares)
    (dump / "slurm.conf").write_text(conf)
    code, said = run("import", dump, "--out", tmp_path / "site")
    assert code == 0, said
    usage = {each.user: each.usage for each in read_site(tmp_path / "site").accounts.associations}
    since = 4 * (900 - 400) + 4 * (950 - 900) + 4 * (500 - 402)
    assert usage["ann"] == pytest.approx(12000 - since)
    assert usage["ben"] == pytest.approx(700)


def test_a_wrong_use_is_refused(tmp_path: Path) -> None:
    """The error names the file and the line."""
    dump = tmp_path / "one" / "dump"
    site_of(tmp_path / "one", *BUSY[:4])
    (dump / "sshare.txt").write_text("Account|User|RawUsage\nphysics|ann|much\n")
    code, said = run("import", dump, "--out", tmp_path / "site")
    assert code == 2
    assert "sshare.txt:2: RawUsage is 'much'" in " ".join(said.split())


def cut(source: Path, folder: Path, from_s: float) -> None:
    """Write the dump of a real run with only the jobs that ended at or after a time."""
    folder.mkdir(parents=True)
    for name in ("slurm.conf", "gres.conf", "topology.conf", "sacctmgr.script", "slurmctld.log.gz"):
        shutil.copy(source / name, folder / name)
    times = dict(line.split() for line in (source / "t0.txt").read_text().splitlines())
    header, *rows = (source / "sacct.csv").read_text().splitlines()
    end = header.split("|").index("End")
    kept = [
        each for each in rows if float(each.split("|")[end]) >= float(times["t0_epoch"]) + from_s
    ]
    (folder / "sacct.csv").write_text("\n".join([header, *kept]) + "\n")
    samples = [line.split("|") for line in (source / "sshare.csv").read_text().splitlines()[1:]]
    last = [each for each in samples if each[0] == samples[-1][0]]
    lines = ["|".join((each[1], each[2], each[5])) for each in last]
    (folder / "sshare.txt").write_text("\n".join(["Account|User|RawUsage", *lines]) + "\n")


def test_a_real_run_is_joined_in_the_middle(shared_data: Path, tmp_path: Path) -> None:
    """The use is that of the sample next to the cut, and waits are near to the real ones.

    The accounting of these runs does not tell which jobs asked for GPUs.
    """
    source = shared_data / "slurm" / "runs" / "base-r1"
    cut(source, tmp_path / "dump", 1000)
    code, said = run("import", tmp_path / "dump", "--out", tmp_path / "site")
    assert code == 0, said
    site = read_site(tmp_path / "site")
    samples = [line.split("|") for line in (source / "sshare.csv").read_text().splitlines()[1:]]
    real = {each[2]: float(each[5]) for each in samples if each[0] == "1020.0" and each[2]}
    usage = {each.user: each.usage for each in site.accounts.associations if each.user}
    assert usage == pytest.approx(real, rel=0.05, abs=100)
    assert site.history is not None
    assert site.history.clocks is not None
    found = fidelity_of(site, [replay(site, site.history.clocks)])
    assert not found.not_started
    all_jobs = found.rows[0]
    assert all_jobs.twin_wait_s.mean == pytest.approx(all_jobs.real_wait_s, rel=0.1)
