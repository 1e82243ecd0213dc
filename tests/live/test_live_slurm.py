"""A running Slurm: mirrored, advised, steered, and left alone when something goes wrong.

One file, since all tests share one cluster, which takes long to start.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.command_schemas import check_json
from tests.services.slurm import (
    BY_FACTORS,
    NODES,
    Slurm,
    controller_pid,
    restart_controller,
    slurm_cluster,
)
from tests.services.users import ANN, BOB, OPERATOR
from tests.services.waiting import PATIENCE_S, until
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.cli.served_mirror import ServedMirror
from schedlab.errors import InputError, PeerError
from schedlab.live.connect import connect
from schedlab.live.given import key_of
from schedlab.live.ledger import read_ledger
from schedlab.live.mirror import Mirror
from schedlab.live.slurm.hand import SlurmHand
from schedlab.live.slurm.reader import SlurmReader
from schedlab.live.switch import LOG, SWITCH, WATCHDOG_LOG
from schedlab.live.watch import LiveWatch
from schedlab.platform.hostlist import expand_hosts
from schedlab.slurm import SlurmSite, read_site
from schedlab.slurm.real_slurm import RealSlurm
from schedlab.slurm.replay import history_of

EVERY_S = 12
"""Long enough for one look on a busy machine: otherwise the watchdog takes steering for dead."""


@pytest.fixture(scope="module")
def cluster(mariadb: Callable[[], str]) -> Iterator[Slurm]:
    """A cluster whose priorities have factors."""
    with slurm_cluster(mariadb(), BY_FACTORS, rest=True) as made:
        yield made


@pytest.fixture(scope="module")
def folder(cluster: Slurm) -> Path:
    """The operator's site folder of the cluster."""
    place = cluster.folder / "imported"
    script = Path(__file__).parents[2] / "src" / "schedlab" / "slurm" / "collect-slurm.sh"
    cluster.run("sh", str(script), str(place / "dump"))
    done = CliRunner().invoke(
        app, ["slurm", "import", str(place / "dump"), "--out", str(place / "site")]
    )
    assert done.exit_code == 0, done.output
    subprocess.run(["chown", "--recursive", OPERATOR, str(place)], check=True)
    return place / "site"


@pytest.fixture
def site(folder: Path) -> SlurmSite:
    """The site of the cluster."""
    return read_site(folder)


@pytest.fixture
def queue(cluster: Slurm, folder: Path) -> Iterator[list[str]]:
    """Jobs that fill the cluster, and many that wait; gone afterwards."""
    for name in (LOG, WATCHDOG_LOG):
        (folder / "live" / name).unlink(missing_ok=True)
    names = [cluster.submit(ANN, "-n32", "-t5", "--wrap=sleep 600")]
    until(lambda: told(cluster)[names[0]][0] == "RUNNING", "the first job runs")
    for at in range(12):
        size, limit = 2 + 7 * at % 29, 1 + at % 4
        names.append(cluster.submit(BOB, f"-n{size}", f"-t{limit}", "--wrap=sleep 3"))
    names.append(cluster.submit(ANN, "--array=1-4%2", "-n3", "-t1", "--wrap=sleep 2"))
    names.append(cluster.submit(BOB, "--hold", "--wrap=sleep 1"))
    names.append(cluster.submit(BOB, f"--dependency=afterok:{names[1]}", "--wrap=sleep 1"))
    yield names
    cluster.run("scancel", "--user", ANN)
    cluster.run("scancel", "--user", BOB)
    until(lambda: not cluster.run("squeue", "-h"), "all jobs are gone")


def reader_of(cluster: Slurm, **more: object) -> SlurmReader:
    """Return a reader of the cluster."""
    slurm = RealSlurm.find(cluster.folder / "slurm.conf")
    return SlurmReader(slurm, **more)  # type: ignore[arg-type]


def told(cluster: Slurm) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the state and the nodes of jobs that wait or run, as squeue prints them."""
    text = cluster.run(
        "squeue", "-h", "-r", "-t", "PD,R,CG", "-O", "JobArrayID:40,State:20,NodeList:99"
    )
    rows = (line.split() for line in text.splitlines())
    return {
        row[0]: (row[1], tuple(sorted(expand_hosts(row[2]))) if row[2:] else ()) for row in rows
    }


def mirrored(site: SlurmSite | None) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the state and the nodes of the jobs of a mirror."""
    if site is None:
        return {}
    rows = history_of(site).details.select("slurm_id", "ran_before", "hosts").iter_rows()
    return {
        name: ("RUNNING", tuple(sorted(expand_hosts(hosts)))) if ran else ("PENDING", ())
        for name, ran, hosts in rows
    }


def test_the_mirror_is_equal_to_the_queue_at_twenty_moments(
    cluster: Slurm, site: SlurmSite, queue: list[str]
) -> None:
    """Mirror and queue agree while jobs come, start, end, are held, released and cancelled."""
    reader, mirror, drawn = reader_of(cluster), Mirror(site), random.Random(3)
    cluster.run("scancel", queue[0])
    compared = 0
    acts: list[Callable[[], object]] = [
        lambda: cluster.submit(ANN, f"-n{drawn.randrange(1, 20)}", "-t1", "--wrap=sleep 1"),
        lambda: cluster.run("scancel", drawn.choice(queue[2:])),
        lambda: cluster.run("scontrol", "release", queue[-2], check=False),  # it may have ended
        lambda: None,
    ]
    for _ in range(200):
        drawn.choice(acts)()
        time.sleep(drawn.random() / 2)
        before = told(cluster)
        reading = reader.read()
        if told(cluster) != before:  # it changed meanwhile: there is no right answer
            mirror.take(reading)
            continue
        for job in mirror.take(reading):
            mirror.end([job])
        wanted = {name: row for name, row in before.items() if row[0] in ("PENDING", "RUNNING")}
        found = mirrored(mirror.site())
        ending = {name for name, row in before.items() if row[0] == "COMPLETING"}
        assert {key: row for key, row in found.items() if key not in ending} == wanted
        compared += 1
        if compared == 20:
            break
    assert compared == 20


def test_the_twin_goes_on_as_slurm_does(cluster: Slurm, site: SlurmSite, queue: list[str]) -> None:
    """The twin is given the ends and must start the same jobs; every waiting job has a forecast."""
    watch = LiveWatch(site, reader_of(cluster), forks=4)
    first = watch.look()
    waiting = {job.id for job in watch.mirror.waiting()}
    assert {each.job for each in first.forecasts} == waiting
    assert first.departure.jobs == 0
    cluster.run("scancel", queue[0])
    until(lambda: queue[1] not in told(cluster), "the first of those that waited has ended")
    look = watch.look()
    assert look.departure.real_starts > 0
    assert look.departure.same > 0.5
    assert not look.notes


def test_a_closed_node_is_closed_in_the_twin(
    cluster: Slurm, site: SlurmSite, queue: list[str]
) -> None:
    """A node is closed as long as Slurm says so; the import knew nothing of it."""
    reader, mirror = reader_of(cluster), Mirror(site)
    cluster.run("scontrol", "update", f"nodename={NODES[3]}", "state=drain", "reason=a; rm -rf x")
    try:
        mirror.take(reader.read())
        present = mirror.site()
        assert present is not None
        (drain,) = present.machine.clusters[0].drains
        assert drain.nodes == NODES[3]
    finally:
        cluster.run("scontrol", "update", f"nodename={NODES[3]}", "state=resume")
    until(lambda: not reader.read().closed, "the node is open again")
    mirror.take(reader.read())
    opened = mirror.site()
    assert opened is not None
    assert not opened.machine.clusters[0].drains


def test_reading_costs_slurmctld_three_requests(cluster: Slurm, queue: list[str]) -> None:
    """The counts are slurmctld's own; site factors take a fourth request."""

    def asked() -> dict[str, int]:
        lines = cluster.run("sdiag").splitlines()
        pairs = (line.split() for line in lines if "count:" in line and "REQUEST_" in line)
        return {row[0]: int(next(w for w in row if w.startswith("count:"))[6:]) for row in pairs}

    reader_of(cluster)
    reader = reader_of(cluster, with_factors=True)
    before = asked()
    for _ in range(5):
        reader.read()
    after = asked()
    names = (
        "REQUEST_JOB_INFO",
        "REQUEST_NODE_INFO",
        "REQUEST_SHARE_INFO",
        "REQUEST_PRIORITY_FACTORS",
    )
    assert [after[name] - before.get(name, 0) for name in names] == [5, 5, 5, 5]


def test_a_site_factor_counts_at_once(cluster: Slurm, queue: list[str]) -> None:
    """Slurm does not wait for PriorityCalcPeriod, which is a minute here; a held job stays held."""
    hand, reader = SlurmHand(RealSlurm.find(cluster.folder / "slurm.conf")), reader_of(cluster)

    def priority(name: str) -> int:
        return next(job.priority for job in reader.read().jobs if job.id == name)

    before = priority(queue[1])
    begun = time.monotonic()
    hand.set_factor(queue[1], 5000)
    after, took_s = priority(queue[1]), time.monotonic() - begun
    assert took_s > 55 or 4990 <= after - before <= 5010  # it may have aged meanwhile
    hand.set_factor(queue[-2], 5000)
    assert priority(queue[-2]) == 0
    hand.set_factor(queue[1], 0)
    hand.set_factor(queue[-2], 0)


def test_names_of_jobs_are_data(cluster: Slurm, site: SlurmSite) -> None:
    """No shell reads what a user writes, and the mirror reads the jobs correctly."""
    bad = ["$(touch /tmp/never)", "a|b;c", "x\nJobState=RUNNING", "--help", 'quo"te', "é\u202e☃"]
    names = [
        cluster.submit(ANN, "--hold", f"--job-name={text}", f"--comment={text}", "--wrap=sleep 1")
        for text in bad
    ]
    try:
        mirror = Mirror(site)
        mirror.take(reader_of(cluster).read())
        assert {job.id for job in mirror.waiting()} >= set(names)
        assert all(job.held for job in mirror.waiting() if job.id in names)
        assert not Path("/tmp/never").exists()
    finally:
        cluster.run("scancel", *names)
    hand = SlurmHand(RealSlurm.find(cluster.folder / "slurm.conf"))
    for text in (*bad, "7 Nice=-5", "7_[1-3] Priority=9", "-1"):
        with pytest.raises(PeerError, match="is not a job id"):
            hand.set_factor(text, 5)


def factors(cluster: Slurm) -> dict[str, int]:
    """Return the site factors that are not 0, by raw id."""
    pairs = (line.split() for line in cluster.run("sprio", "-h", "-o", "%i %S").splitlines())
    return {name: int(factor) for name, factor in pairs if int(factor)}


def schedlab_as(user: str, *words: str) -> list[str]:
    """Return a command line that runs schedlab as a user, who may read Python wherever it lies."""
    caps = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
    who = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *caps]
    return [*who, sys.executable, "-m", "schedlab", *words]


@contextmanager
def steering(cluster: Slurm, folder: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command as the operator, and yield it after its first change of a priority."""
    command = schedlab_as(OPERATOR, "live", "steer", str(folder), "--policy", "saf")
    command += ["--conf", str(cluster.folder / "slurm.conf"), "--every", f"{EVERY_S}s", "--yes"]
    output = cluster.folder / "steer.out"
    with output.open("wb") as file:
        process = subprocess.Popen(
            [*command, "--forks", "2", "--json", *more],
            stdout=file,
            stderr=file,
        )
    try:
        until(lambda: process.poll() is not None or bool(factors(cluster)), "priorities change")
        assert process.poll() is None, output.read_text()
        yield process
    finally:
        process.kill()
        process.wait()
        until(lambda: not factors(cluster), "all factors are 0")
        (folder / "live" / SWITCH).unlink(missing_ok=True)


def _last(log: Path) -> str:
    entries = list(read_ledger(log)) if log.exists() else []
    return str(entries[-1]["what"]) if entries else ""


def unharmed(cluster: Slurm, names: list[str]) -> None:
    """Check that no job is lost, and that only the job that its user holds is held."""
    rows = told(cluster)
    there = {name.partition("_")[0] for name in rows}
    assert there == set(names)
    held = cluster.run("squeue", "-h", "-O", "JobID:20,Reason:40").splitlines()
    assert [line.split()[0] for line in held if "JobHeld" in line] == [names[-2]]


def test_steering_changes_priorities_within_the_clamp_and_returns_them(
    cluster: Slurm, folder: Path, queue: list[str]
) -> None:
    """An operator, not root, steers until Ctrl-C; each change is logged before it is made."""
    with steering(cluster, folder, "--clamp", "40") as process:
        found = factors(cluster)
        assert max(map(abs, found.values())) <= 40
        order = cluster.run("squeue", "-h", "-t", "PD", "--sort=-p", "-o", "%i").split()
        assert queue[-2] not in found
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert not factors(cluster)
    assert len(order) > 5
    unharmed(cluster, queue)
    entries = list(read_ledger(folder / "live" / LOG))
    assert entries[0]["mode"] == "steer"
    changed = {key_of(entry["job"]) for entry in entries if entry["kind"] == "change"}
    assert changed >= set(found)


@pytest.mark.parametrize("fault", ["kill", "hang", "switch", "stop", "both"])
def test_when_the_steering_falls_silent_slurm_goes_on_alone(
    cluster: Slurm, folder: Path, queue: list[str], fault: str
) -> None:
    """All factors return to 0, whatever ends the steering.

    It is killed, hangs, loses its switch, is stopped by the command, or is stopped after both it
    and its watchdog were killed.
    """
    with steering(cluster, folder) as process:
        if fault == "kill":
            process.kill()
        elif fault == "hang":
            process.send_signal(signal.SIGSTOP)
        elif fault == "switch":
            (folder / "live" / SWITCH).unlink()
            assert process.wait(PATIENCE_S) == 0
        else:
            if fault == "both":
                subprocess.run(["pkill", "-9", "-f", f"watchdog {folder}/live"], check=True)
                process.kill()
            conf = str(cluster.folder / "slurm.conf")
            done = CliRunner().invoke(app, ["live", "stop", str(folder), "--conf", conf, "--json"])
            assert done.exit_code == 0, done.output
            check_json("live stop", json.loads(done.stdout))
            assert json.loads(done.stdout)["was_on"]
            assert not factors(cluster)
        until(lambda: not factors(cluster), "all factors are 0")
        assert not (folder / "live" / SWITCH).exists()
        if fault == "hang":
            process.send_signal(signal.SIGCONT)
            assert process.wait(PATIENCE_S) == 0
            assert not factors(cluster)
    if fault in ("kill", "hang"):
        log = folder / "live" / WATCHDOG_LOG
        until(
            lambda: _last(log).startswith(f"no sign of life for {EVERY_S} s; "),
            "the watchdog says why",
        )
    unharmed(cluster, queue)


def test_a_slurmctld_that_is_slow_or_starts_again_loses_nothing(
    cluster: Slurm, folder: Path, queue: list[str]
) -> None:
    """Steering waits for slurmctld; factors outlive a restart and return to 0 at the end."""
    with steering(cluster, folder) as process:
        pid = controller_pid(cluster)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(2 * EVERY_S)
        os.kill(pid, signal.SIGCONT)
        assert process.poll() is None
        restart_controller(cluster)
        until(lambda: len(told(cluster)) > len(queue), "the queue is there again")
        conf = str(cluster.folder / "slurm.conf")
        done = CliRunner().invoke(app, ["live", "stop", str(folder), "--conf", conf])
        assert done.exit_code == 0, done.output
        assert not factors(cluster)
        unharmed(cluster, queue)


def rest_folder(cluster: Slurm, folder: Path, user: str, url: str = "") -> Path:
    """Return a site folder that says where slurmrestd is, and has a token of the user."""
    place = folder.parent / f"site-of-{user}"
    if not place.exists():
        shutil.copytree(folder, place, ignore=shutil.ignore_patterns("live"))
    url = url or cluster.rest_url
    (place / "slurmrestd.toml").write_text(f'url = "{url}"\ntoken = "token"\nuser = "{user}"\n')
    (place / "token").touch(0o600)
    (place / "token").write_text(cluster.token(user))
    subprocess.run(["chown", "--recursive", OPERATOR, str(place)], check=True)
    return place


def test_slurmrestd_reads_what_the_commands_read(
    cluster: Slurm, folder: Path, queue: list[str]
) -> None:
    """Jobs, closed nodes and shares agree at ten moments, by HTTP and by socket; so do the ends."""
    conf, drawn = cluster.folder / "slurm.conf", random.Random(5)
    cluster.run("scontrol", "update", f"nodename={NODES[3]}", "state=drain", "reason=fan")
    cluster.run("scancel", queue[0])
    compared = 0
    for _ in range(100):
        url = drawn.choice(["", f"unix:{cluster.rest_socket}"])
        rest = connect(rest_folder(cluster, folder, OPERATOR, url), conf).reader()
        before, found, after = (
            each.read() for each in (reader_of(cluster), rest, reader_of(cluster))
        )
        if (before.jobs, before.usage) == (after.jobs, after.usage):  # nothing happened meanwhile
            assert (found.jobs, found.closed, found.usage) == (
                before.jobs,
                before.closed,
                before.usage,
            )
            compared += 1
        if compared == 10:
            break
        time.sleep(drawn.random() / 4)
    cluster.run("scontrol", "update", f"nodename={NODES[3]}", "state=resume")
    assert compared == 10
    names = [queue[0], queue[1], f"{queue[-3]}_2", "99999"]
    until(lambda: not told(cluster).keys() & set(names), "they have ended")
    until(lambda: len(reader_of(cluster).ended(names)) == 3, "accounting knows")
    assert rest.ended(names) == reader_of(cluster).ended(names)


def nices(cluster: Slurm) -> dict[str, int]:
    """Return the nice values of waiting jobs that are neither 0 nor a user's."""
    jobs = reader_of(cluster).read().jobs
    return {
        job.id: job.nice for job in jobs if job.stage.value == "waits" and job.nice not in (0, 7)
    }


def test_steering_through_slurmrestd_changes_nice_and_returns_it(
    cluster: Slurm, folder: Path, queue: list[str]
) -> None:
    """An operator's token is enough. If steering is killed, jobs get back their users' values."""
    polite = cluster.submit(BOB, "-n1", "-t1", "--nice=7", "--wrap=sleep 1")
    place = rest_folder(cluster, folder, OPERATOR)
    command = schedlab_as(OPERATOR, "live", "steer", str(place), "--policy", "saf", "--yes")
    command += ["--conf", str(cluster.folder / "slurm.conf"), "--every", f"{EVERY_S}s"]
    output = cluster.folder / "steer-rest.out"
    with output.open("wb") as file:
        process = subprocess.Popen(
            [*command, "--clamp", "40", "--forks", "2", "--json"], stdout=file, stderr=file
        )
    try:
        until(lambda: process.poll() is not None or len(nices(cluster)) > 3, "nice changes")
        assert process.poll() is None, output.read_text()
        changed = nices(cluster)
        assert all(abs(nice) <= 47 for nice in changed.values())
        assert len({changed.get(f"{queue[-3]}_{task}") for task in range(1, 5)}) == 1
        assert not factors(cluster)
        process.kill()
        until(lambda: not nices(cluster), "all are as they were")
    finally:
        process.kill()
        process.wait()
        until(lambda: not (place / "live" / SWITCH).exists(), "the watchdog has acted")
    jobs = {job.id: job.nice for job in reader_of(cluster).read().jobs}
    assert jobs[polite] == 7
    unharmed(cluster, [polite, *queue])


def test_a_token_without_rights_reads_and_does_not_steer(cluster: Slurm, folder: Path) -> None:
    """A token is refused if others can read it or Slurm did not sign it; each error says why."""
    place = rest_folder(cluster, folder, ANN)
    peer = connect(place, cluster.folder / "slurm.conf")
    assert peer.reader().read().notes == ()
    with pytest.raises(InputError, match="AdminLevel=None and cannot raise priorities"):
        peer.hand(10.0).check_rights()
    job = cluster.submit(BOB, "--hold", "--wrap=sleep 1")
    with pytest.raises(PeerError, match="Invalid user id"):
        peer.hand(10.0).set_factor(job, 5)
    cluster.run("scancel", job)
    (place / "token").write_text("not.a.token")
    with pytest.raises(PeerError, match="slurmrestd"):
        peer.reader().read()
    (place / "token").chmod(0o640)
    done = CliRunner().invoke(app, ["live", "mirror", str(place), "--looks", "1"])
    assert done.exit_code == 2
    assert "has mode 640, others can reach it" in done.output


def test_who_may_not_steer_is_told_so(cluster: Slurm, folder: Path) -> None:
    """An account without AdminLevel=Operator is refused before any change."""
    command = schedlab_as(ANN, "live", "steer", str(folder), "--policy", "saf")
    done = subprocess.run(
        [*command, "--conf", str(cluster.folder / "slurm.conf"), "--yes"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "AdminLevel=None and cannot raise priorities" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "live" / SWITCH).exists()


def test_a_trial_runs_the_same_jobs_with_and_without_steering(
    cluster: Slurm, folder: Path, tmp_path: Path
) -> None:
    """No job is left behind; a complete trial that is run again only reads its results."""
    for name in (LOG, WATCHDOG_LOG):
        (folder / "live" / name).unlink(missing_ok=True)
    rows = [
        f"{at} {at // 3} -1 {run_s} {nodes} -1 -1 {nodes} 60 -1 1 1 1 -1 1 1 -1 -1"
        for at, (nodes, run_s) in enumerate([(8, 6), (7, 3), (5, 3), (3, 2), (2, 2), (1, 2)], 1)
    ]
    swf = tmp_path / "jobs.swf"
    swf.write_text("; MaxProcs: 8\n" + "\n".join(rows) + "\n")
    words = ["live", "trial", str(swf), "--site", str(folder), "--policy", "saf", "--every", "3s"]
    words += ["--conf", str(cluster.folder / "slurm.conf"), "--out", str(tmp_path / "trial")]
    words += ["--replicas", "1", "--arms", "shadow,steer", "--forks", "2", "--yes", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    check_json("live trial", told)
    assert [(run["jobs"], run["lost"]) for run in told["runs"]] == [(6, 0)] * 2
    assert {tuple(each["arms"]) for each in told["effects"]} == {("shadow", "steer")}
    assert told["predicted"]["by_shadow"]
    assert not cluster.run("squeue", "-h")
    again = CliRunner().invoke(app, words)
    assert json.loads(again.stdout) == told


def test_the_service_is_left_what_the_mirror_sees(
    cluster: Slurm, folder: Path, queue: list[str], tmp_path: Path
) -> None:
    """It gets all jobs of squeue, with reasons, and forecasts of waiting jobs that are not held."""
    (tmp_path / "site.toml").write_text(
        f'[site]\nname = "t"\n[[cluster]]\nname = "c"\n[slurm]\nsite = "{folder}"\n'
    )
    waiting = (queue[1], queue[-2], queue[-1])
    until(
        lambda: all(
            cluster.run("squeue", "-h", "-j", each, "-o", "%r").strip() != "None"
            for each in waiting
        ),
        "Slurm has noted why they wait",
    )
    conf = str(cluster.folder / "slurm.conf")
    words = ["history", "mirror", "--site", str(tmp_path / "site.toml"), "--conf", conf]
    done = CliRunner().invoke(app, [*words, "--looks", "1", "--forks", "4"])
    assert done.exit_code == 0, done.output
    state = ServedMirror(folder).state()
    assert state is not None
    records = {record["jobid"]: record for record in state.records}
    assert records.keys() == told(cluster).keys()
    assert records[queue[0]]["state"] == "running"
    assert records[queue[1]]["wait_reason"] in ("Resources", "Priority")
    assert records[queue[-2]]["wait_reason"].startswith("JobHeld")
    assert records[queue[-1]]["wait_reason"] == "Dependency"
    assert queue[1] in state.starts
