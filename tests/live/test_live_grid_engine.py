"""A running Grid Engine: mirrored, advised, steered, and left alone when something goes wrong.

One file, since all tests share one cluster, which takes long to start.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.command_schemas import check_json
from tests.live.test_live_slurm import schedlab_as
from tests.services.grid_engine import HOST, GridEngineCell, grid_engine_cell
from tests.services.users import ANN, BOB, OPERATOR, unix_users
from tests.services.waiting import PATIENCE_S, until
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.errors import PeerError
from schedlab.live.connect import connect
from schedlab.live.grid_engine.peer import GridEnginePeer
from schedlab.live.ledger import read_ledger
from schedlab.live.mirror import Mirror
from schedlab.live.switch import LOG, SWITCH, WATCHDOG_LOG
from schedlab.live.watch import LiveWatch
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmSite

EVERY_S = 16
"""Long enough for one look on a busy machine: otherwise the watchdog takes steering for dead."""
INTERVAL_S = 2
PATH = os.environ["PATH"]
SLEEP = ("-cwd", "-b", "y", "-o", "/dev/null", "-j", "y")
OF_A_USER = -100
"""A priority that a user has given: steering must return the job to it."""


@pytest.fixture(scope="module")
def cell() -> Iterator[GridEngineCell]:
    """A cell whose priorities count, with a second queue for short jobs."""
    with unix_users(OPERATOR), grid_engine_cell() as made, pytest.MonkeyPatch.context() as patch:
        weights = {"weight_priority": "1", "weight_urgency": "0.1", "weight_ticket": "0.01"}
        weights["schedule_interval"] = f"0:0:{INTERVAL_S}"
        made.change(("-ssconf",), "-Msconf", weights)
        short = {"qname": "short.q", "hostlist": HOST, "slots": "2", "h_rt": "0:2:0"}
        made.change(("-sq",), "-Aq", {**short, "pe_list": "NONE", "load_thresholds": "NONE"})
        made.run("qconf", "-ao", OPERATOR)
        for name, value in made.environment.items():
            patch.setenv(name, value)
        patch.setenv("PATH", f"{_commands(made)}:{os.environ['PATH']}")
        yield made


def _commands(cell: GridEngineCell) -> Path:
    """Write commands for this process, which is not in the cell's network; return their folder."""
    folder = cell.folder / "commands"
    folder.mkdir()
    for name in ("qstat", "qhost", "qconf", "qalter"):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec ip netns exec {cell.network} /usr/bin/{name} "$@"\n')
        path.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def folder(cell: GridEngineCell) -> Path:
    """The operator's site folder, which needs nothing but an empty file."""
    place = cell.folder / "site"
    place.mkdir()
    (place / "grid-engine.toml").touch()
    subprocess.run(["chown", "--recursive", OPERATOR, str(place)], check=True)
    return place


@pytest.fixture
def peer(folder: Path) -> GridEnginePeer:
    """The cell, as `schedlab live` connects to it."""
    found = connect(folder)
    assert isinstance(found, GridEnginePeer)
    return found


@pytest.fixture
def queue(cell: GridEngineCell, folder: Path) -> Iterator[list[str]]:
    """Jobs that fill the cell, and many that wait; gone afterwards."""
    for name in (LOG, WATCHDOG_LOG):
        (folder / "live" / name).unlink(missing_ok=True)
    names = [cell.submit(ANN, *SLEEP, "-pe", "smp", "16", "-l", "h_rt=300", "sleep", "600")]
    names.append(cell.submit(ANN, *SLEEP, "-t", "1-2", "-q", "short.q", "sleep", "600"))
    until(lambda: list(told(cell).values()).count("r") == 3, "the first jobs run")
    for at in range(8):
        size, limit_s = 2 + 5 * at % 13, 200 + 60 * (at % 4)
        asked = ("-pe", "smp", str(size), "-l", f"h_rt={limit_s}")
        names.append(cell.submit(BOB, *SLEEP, *asked, "sleep", "3"))
    own = ("-p", str(OF_A_USER), "-l", "h_rt=0:3:0")
    names.append(cell.submit(BOB, *SLEEP, *own, "sleep", "2"))
    names.append(cell.submit(ANN, *SLEEP, "-t", "1-7:2", "-tc", "2", "-q", "all.q", "sleep", "2"))
    names.append(cell.submit(BOB, *SLEEP, "-hold_jid", names[2], "sleep", "1"))
    names.append(cell.submit(BOB, *SLEEP, "-a", "203712312359", "sleep", "1"))
    names.append(cell.submit(BOB, *SLEEP, "-h", "sleep", "1"))
    yield names
    cell.attempt("qdel", "-f", "-u", f"{ANN},{BOB}")
    until(lambda: not told(cell), "all jobs are gone")


def told(cell: GridEngineCell) -> dict[str, str]:
    """Return the state of each job and task, as qstat prints it for people."""
    found = {}
    for line in cell.run("qstat", "-u", "*", "-g", "d").splitlines()[2:]:
        words = line.split()
        place = 8 if "@" in words[7] else 7
        task = words[place + 1 :]
        found[".".join((words[0], *task))] = words[4]
    return found


def mirrored(site: SlurmSite | None) -> dict[str, tuple[bool, str | None]]:
    """Return whether each job of a mirror runs, and where."""
    if site is None:
        return {}
    rows = history_of(site).details.select("slurm_id", "ran_before", "hosts").iter_rows()
    return {name: (ran, hosts) for name, ran, hosts in rows}


def priorities(cell: GridEngineCell) -> dict[str, int]:
    """Return the priorities of waiting jobs that differ from those that users gave."""
    rows = (line.split() for line in cell.run("qstat", "-u", "*", "-pri").splitlines()[2:])
    given = {row[0]: int(row[5]) for row in rows if "q" in row[8]}
    return {name: each for name, each in given.items() if each not in (0, OF_A_USER)}


def test_the_mirror_is_equal_to_the_queue_at_twenty_moments(
    cell: GridEngineCell, peer: GridEnginePeer, queue: list[str]
) -> None:
    """Mirror and queue agree while jobs come, start, end, are held, released and deleted."""
    reader, mirror, drawn = peer.reader(), Mirror(peer.site), random.Random(3)
    cell.run("qdel", queue[0])
    acts: list[Callable[[], object]] = [
        lambda: cell.submit(ANN, *SLEEP, "-l", "h_rt=60", "sleep", "1"),
        lambda: cell.submit(
            *(BOB, *SLEEP, "-t", "1-3", "-pe", "smp", str(drawn.randrange(1, 9)), "sleep", "1")
        ),
        lambda: cell.attempt("qdel", drawn.choice(queue[2:])),
        lambda: cell.attempt("qrls", queue[-1]),
        lambda: None,
    ]
    compared = 0
    for _ in range(200):
        drawn.choice(acts)()
        time.sleep(drawn.random() / 5)
        before = told(cell)
        reading = reader.read()
        same = told(cell) == before  # otherwise it changed meanwhile: there is no right answer
        mirror.take(reading)
        if same:
            found = mirrored(mirror.site())
            assert found.keys() == before.keys()
            assert {name: ran for name, (ran, _) in found.items()} == {
                name: "q" not in state for name, state in before.items()
            }
            assert {hosts for ran, hosts in found.values() if ran} <= {
                f"{name}@{HOST}" for name in ("all.q", "short.q")
            }
            compared += 1
        if compared == 20:
            break
    assert compared == 20
    assert not mirror.unknown


def test_what_jobs_ask_for_is_read(peer: GridEnginePeer, queue: list[str]) -> None:
    """Slots, limits, queues, tasks, dependencies, begin times and submit times are read."""
    jobs = {job.id: job for job in peer.reader().read().jobs}
    assert (jobs[queue[2]].cpus, jobs[queue[2]].tasks, jobs[queue[2]].limit_s) == (2, 1, 200)
    assert jobs[queue[2]].partition == "all.q"
    by_user = jobs[queue[10]]
    assert (by_user.partition, by_user.base, by_user.site_factor) == ("all.q", OF_A_USER, 0)
    assert jobs[queue[0]].limit_s == 300
    short = jobs[f"{queue[1]}.2"]
    assert (short.partition, short.limit_s) == ("short.q", 120)  # the queue's own limit
    assert {name for name in jobs if name.startswith(f"{queue[11]}.")} == {
        f"{queue[11]}.{task}" for task in (1, 3, 5, 7)
    }
    task = jobs[f"{queue[11]}.3"]
    assert (task.array_limit, task.handle, task.array) == (2, queue[11], int(queue[11]))
    after = jobs[queue[12]]
    assert (after.dependency, after.reason, after.held) == (
        *(f"afterany:{queue[2]}", "Dependency", False),
    )
    assert jobs[queue[13]].reason == "BeginTime"
    assert jobs[queue[14]].held
    assert all(0 <= time.time() - job.submit < PATIENCE_S for job in jobs.values())
    order = sorted((jobs[name] for name in queue[2:11]), key=lambda job: -job.priority)
    assert order[-1] is by_user


def test_the_twin_goes_on_as_grid_engine_does(
    cell: GridEngineCell, peer: GridEnginePeer, queue: list[str]
) -> None:
    """The twin is given the ends and must start the same jobs; every waiting job has a forecast."""
    watch = LiveWatch(peer.site, peer.reader(), forks=4, past=peer.past())
    first = watch.look()
    waiting = {job.id for job in watch.mirror.waiting()}
    assert {each.job for each in first.forecasts} == waiting
    assert first.departure.jobs == 0
    cell.run("qdel", queue[0])
    until(lambda: queue[2] not in told(cell), "the first of those that waited has ended")
    look = watch.look()
    assert look.departure.real_starts > 0
    assert look.departure.same > 0.5
    assert not look.notes


@pytest.fixture
def closed(cell: GridEngineCell) -> Iterator[str]:
    """A job that waits because all queues are disabled."""
    cell.run("qmod", "-d", "*")
    yield cell.submit(BOB, *SLEEP, "sleep", "1")
    cell.run("qmod", "-e", "*")
    cell.attempt("qdel", "-f", "-u", BOB)
    until(lambda: not told(cell), "all jobs are gone")


def test_a_closed_queue_is_closed_in_the_twin(
    cell: GridEngineCell, peer: GridEnginePeer, closed: str
) -> None:
    """A queue is closed in the twin as long as Grid Engine says so."""
    reader, mirror = peer.reader(), Mirror(peer.site)
    mirror.take(reader.read())
    present = mirror.site()
    assert present is not None
    (drain,) = present.machine.clusters[0].drains
    assert drain.nodes == f"all.q@{HOST},short.q@{HOST}"
    cell.run("qmod", "-e", "short.q")
    assert reader.read().closed == {f"all.q@{HOST}": "state d"}


def test_a_priority_counts_from_the_next_pass_of_the_scheduler_on(
    cell: GridEngineCell, peer: GridEnginePeer, closed: str
) -> None:
    """Grid Engine stores it at once, and uses it from its next schedule_interval on."""
    hand = peer.hand(PATIENCE_S)

    def shown() -> tuple[str, str]:
        rows = (line.split() for line in cell.run("qstat", "-u", "*", "-pri").splitlines()[2:])
        return next((row[3], row[5]) for row in rows if row[0] == closed)

    until(lambda: shown() == ("0.50000", "0"), "it has a priority")
    hand.set_factor(closed, 1024)
    assert shown()[1] == "1024"
    until(lambda: shown()[0] == "1.00000", "it counts")
    for refused in (1025, -1024):
        with pytest.raises(PeerError, match="must be from -1023 to 1024"):
            hand.set_factor(closed, refused)


def test_texts_of_jobs_are_data(cell: GridEngineCell, peer: GridEnginePeer) -> None:
    """No shell reads what a user writes, and the mirror reads the jobs correctly."""
    bad = ["$(never)", "a|b;c", "--help", 'quo"te', "a<b>&amp;]]>"]
    held = (*SLEEP, "-h", "sleep", "1")
    names = [cell.submit(ANN, "-N", f"n{text}", *held) for text in bad]
    bad += ["é\u202e☃", "x\x01y", "a b\n<c>"]  # Grid Engine refuses these as names
    names += [cell.submit(ANN, "-v", f"X={text}", *held) for text in bad]
    try:
        mirror = Mirror(peer.site)
        mirror.take(peer.reader().read())
        assert {job.id for job in mirror.waiting()} >= set(names)
        assert all(job.held for job in mirror.waiting() if job.id in names)
        assert all(job.submit <= time.time() for job in mirror.waiting())
    finally:
        cell.run("qdel", *names)
    hand = peer.hand(PATIENCE_S)
    for text in (*bad, "7 -h u", "7.1", "-1", ""):
        with pytest.raises(PeerError, match="is not a job id"):
            hand.set_factor(text, 5)
    until(lambda: not told(cell), "all jobs are gone")


def inside(cell: GridEngineCell, *command: str) -> list[str]:
    """Return a command line for the cell's network, where the commands are the real ones."""
    return cell.inside("env", f"PATH={PATH}", *command)


@contextmanager
def steering(cell: GridEngineCell, folder: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command as the operator, and yield it after its first change of a priority."""
    command = schedlab_as(OPERATOR, "live", "steer", str(folder), "--policy", "saf", "--yes")
    command += ["--every", f"{EVERY_S}s", "--forks", "2", "--json", *more]
    output = cell.folder / "steer.out"
    with output.open("wb") as file:
        process = subprocess.Popen(inside(cell, *command), stdout=file, stderr=file)
    try:
        until(lambda: process.poll() is not None or bool(priorities(cell)), "priorities change")
        assert process.poll() is None, output.read_text()
        yield process
    finally:
        process.kill()
        process.wait()
        until(lambda: not priorities(cell), "all priorities are as they were")
        (folder / "live" / SWITCH).unlink(missing_ok=True)


def of_the_user(cell: GridEngineCell, name: str) -> int:
    """Return the priority of one job."""
    rows = (line.split() for line in cell.run("qstat", "-u", "*", "-pri").splitlines()[2:])
    return next(int(row[5]) for row in rows if row[0] == name)


def unharmed(cell: GridEngineCell, names: list[str]) -> None:
    """Check that no job is lost, and that only jobs that their users hold are held."""
    rows = told(cell)
    assert {name.partition(".")[0] for name in rows} == set(names)
    assert {name for name, state in rows.items() if "h" in state} == {names[12], names[14]}
    assert of_the_user(cell, names[10]) == OF_A_USER


def test_steering_changes_priorities_within_the_clamp_and_returns_them(
    cell: GridEngineCell, folder: Path, queue: list[str]
) -> None:
    """An operator, not root, steers until Ctrl-C; each change is logged before it is made.

    A qmaster that does not answer for a while does not end the steering.
    """
    qmaster = int((cell.folder / "spool" / "qmaster" / "qmaster.pid").read_text())
    with steering(cell, folder, "--clamp", "40") as process:
        changed = priorities(cell)
        assert set(changed) <= set(queue[2:12])
        os.kill(qmaster, signal.SIGSTOP)
        time.sleep(1.25 * EVERY_S)
        os.kill(qmaster, signal.SIGCONT)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert not priorities(cell)
    unharmed(cell, queue)
    entries = list(read_ledger(folder / "live" / LOG))
    assert entries[0]["mode"] == "steer"
    changes = [entry for entry in entries if entry["kind"] == "change"]
    assert {entry["job"] for entry in changes} >= set(changed)
    assert max(abs(entry["to"]) for entry in changes) <= 40
    assert {entry["base"] for entry in changes if entry["job"] == queue[10]} <= {OF_A_USER}


@pytest.mark.parametrize("fault", ["kill", "both"])
def test_when_the_steering_falls_silent_grid_engine_goes_on_alone(
    cell: GridEngineCell, folder: Path, queue: list[str], fault: str
) -> None:
    """The watchdog returns the priorities; if it was killed too, `live stop` does."""
    with steering(cell, folder) as process:
        if fault == "both":
            _kill_the_watchdog(folder)
        process.kill()
        if fault == "both":
            done = CliRunner().invoke(app, ["live", "stop", str(folder), "--json"])
            assert done.exit_code == 0, done.output
            check_json("live stop", json.loads(done.stdout))
            assert json.loads(done.stdout)["was_on"]
            assert not priorities(cell)
        until(lambda: not priorities(cell), "all priorities are as they were")
        until(lambda: not (folder / "live" / SWITCH).exists(), "the switch is off")
    if fault == "kill":
        log = folder / "live" / WATCHDOG_LOG
        silent = f"no sign of life for {EVERY_S} s; "
        until(lambda: silent in log.read_text() if log.exists() else False, "it is told why")
    unharmed(cell, queue)


def _kill_the_watchdog(folder: Path) -> None:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if str(folder / "live").encode() in words and b"schedlab.live.steering.watchdog" in words:
            os.kill(int(path.parent.name), signal.SIGKILL)
            return
    pytest.fail("there is no watchdog")


def test_who_may_not_steer_is_told_so(cell: GridEngineCell, folder: Path) -> None:
    """Users may only lower priorities, so an ordinary user is refused before any change."""
    command = schedlab_as(ANN, "live", "steer", str(folder), "--policy", "saf", "--yes")
    done = subprocess.run(inside(cell, *command), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"allow it with: qconf -ao {ANN}" in re.sub(r"\s+", " ", done.stderr)
    assert not (folder / "live" / SWITCH).exists()


def test_the_commands_say_what_they_see(
    cell: GridEngineCell, folder: Path, queue: list[str], tmp_path: Path
) -> None:
    """Mirror, advise and shadow report on the same queue and change nothing."""
    site = [str(folder), "--forks", "2", "--json"]
    mirror = CliRunner().invoke(app, ["live", "mirror", *site, "--looks", "1"])
    assert mirror.exit_code == 0, mirror.output
    look = json.loads(mirror.stdout)
    check_json("live mirror", look)
    assert (look["running"], look["held"]) == (3, 1)
    assert len(look["forecasts"]) == look["waiting"]
    advise = CliRunner().invoke(app, ["live", "advise", *site, "--policy", "saf"])
    assert advise.exit_code == 0, advise.output
    check_json("live advise", json.loads(advise.stdout))
    factors = json.loads(advise.stdout)["advice"]["factors"]
    assert set(factors) <= set(queue[2:12])
    log = tmp_path / "shadow.log"
    words = ["live", "shadow", *site, "--policy", "saf", "--looks", "1", "--log", str(log)]
    shadow = CliRunner().invoke(app, words)
    assert shadow.exit_code == 0, shadow.output
    check_json("live shadow", json.loads(shadow.stdout))
    assert {entry["kind"] for entry in read_ledger(log)} >= {"begin", "forecasts", "wish"}
    assert not priorities(cell)


def test_what_is_missing_is_told(folder: Path, tmp_path: Path) -> None:
    """An error says what is wrong in the file, or what is not available for Grid Engine."""
    (tmp_path / "grid-engine.toml").write_text('roof = "/opt/sge"\n')
    done = CliRunner().invoke(app, ["live", "mirror", str(tmp_path)])
    assert done.exit_code == 2
    assert 'did you mean "root"?' in done.output
    (tmp_path / "grid-engine.toml").write_text(f'root = "{tmp_path}"\n')
    done = CliRunner().invoke(app, ["live", "mirror", str(tmp_path)])
    assert done.exit_code == 2
    assert "no such folder" in done.output
    for words in (["score"], ["stop", "--conf", "slurm.conf"]):
        done = CliRunner().invoke(app, ["live", words[0], str(folder), *words[1:]])
        assert done.exit_code == 2
        assert "Grid Engine" in done.output
