"""The whole loop on a real Slurm: from its history to a policy that steers, and is stopped."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.command_schemas import check_json
from tests.services.slurm import BY_FACTORS, Slurm, slurm_cluster
from tests.services.users import ANN, BOB
from tests.services.waiting import until
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.errors import InputError
from schedlab.live.ledger import Ledger, read_ledger
from schedlab.live.slurm.reader import SlurmReader
from schedlab.live.switch import SWITCH
from schedlab.operate.notices import Notices
from schedlab.operate.record import policy_digest
from schedlab.operate.settings import OperateSettings
from schedlab.operate.steps import Steps
from schedlab.slurm.real_slurm import RealSlurm

SETTINGS = """\
[operate]
policies = ["saf"]
generations = 1
keep = []
every = "3s"
round = "1h"
shadow = "24s"
watch = "15s"
forks = 2
phases = 2
wait_error = 1.0
least_jobs = 20
least_gain = 0.0
significant = false
tolerance = 1.0
"""


@pytest.fixture(scope="module")
def cluster(mariadb: Callable[[], str]) -> Iterator[Slurm]:
    """A cluster whose priorities have factors."""
    with slurm_cluster(mariadb(), BY_FACTORS) as made:
        yield made


def one_turn(cluster: Slurm) -> None:
    """Fill the cluster; then submit a large job that waits, and small ones behind it."""
    cluster.submit(ANN, "-n32", "-t1", "--wrap=sleep 5")
    cluster.submit(ANN, "-n32", "-t1", "--wrap=sleep 5")
    for _ in range(6):
        cluster.submit(BOB, "-n4", "-t1", "--wrap=sleep 1")


@pytest.fixture
def busy(cluster: Slurm) -> Iterator[None]:
    """Users who submit the same jobs again and again."""
    ended = Event()

    def work() -> None:
        while not ended.wait(13):
            one_turn(cluster)

    one_turn(cluster)
    users = Thread(target=work)
    users.start()
    yield
    ended.set()
    users.join()
    cluster.run("scancel", "--user", ANN)
    cluster.run("scancel", "--user", BOB)


def operated(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start the command in the background."""
    output = folder.parent / "operate.out"
    with output.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "schedlab", "operate", str(folder), *words],
            stdout=file,
            stderr=file,
        )


def test_there_is_one_loop_at_a_site(tmp_path: Path) -> None:
    """The second one ends before it does anything."""
    (tmp_path / "operate").mkdir()
    with (tmp_path / "operate" / "lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = CliRunner().invoke(app, ["operate", str(tmp_path)])
    assert done.exit_code == 2
    assert "another loop runs at this site" in done.stderr


def test_a_policy_whose_file_was_changed_does_not_steer(tmp_path: Path) -> None:
    """The file must stay as it was tested; the record keeps the digest that was allowed."""
    file = tmp_path / "policy.json"
    file.write_text("{}")
    policy = f"linear:{file}"
    steps = Steps(tmp_path, OperateSettings(), lambda dump, site: None, Notices("site", tmp_path))
    ledger = Ledger(steps.folder / "operate.log")
    digest = policy_digest(policy)
    ledger.add("round", 0.0, round=1)
    ledger.add("tested", 1.0, round=1, policy=policy, digest=digest, good=True)
    ledger.add("steers", 2.0, round=1, policy=policy, digest=digest)
    assert steps.record().digest == digest
    file.write_text('{"other": 1}')
    with pytest.raises(InputError, match="its file was changed since the test"):
        steps.steer(steps.record())
    ledger.add("rolled back", 3.0, round=1, policy=policy)
    assert steps.record().digest == ""


@pytest.mark.slow
def test_from_a_history_to_steering_and_back(cluster: Slurm, busy: None, tmp_path: Path) -> None:
    """The loop survives two kills; a human lets the policy steer, and later stops it.

    It is killed in the shadow and while it asks.
    """
    conf = str(cluster.folder / "slurm.conf")
    folder, log = tmp_path / "site", tmp_path / "site" / "operate" / "operate.log"
    script = Path(__file__).parents[2] / "src" / "schedlab" / "slurm" / "collect-slurm.sh"
    ended = ("sacct", "-a", "-X", "-n", "-S", "now-1hours", "-E", "now", "-s", "CD")
    until(lambda: len(cluster.run(*ended).splitlines()) > 40, "enough jobs have ended")
    cluster.run("sh", str(script), str(tmp_path / "dump"))
    run = CliRunner()
    done = run.invoke(app, ["slurm", "import", str(tmp_path / "dump"), "--out", str(folder)])
    assert done.exit_code == 0, done.output
    (folder / "operate.toml").write_text(SETTINGS)
    assert run.invoke(app, ["operate", str(folder), "approve"]).exit_code == 2  # nothing is asked

    def has_done(step: str, process: subprocess.Popen[bytes]) -> bool:
        kinds = [entry["kind"] for entry in read_ledger(log)] if log.exists() else []
        return process.poll() is not None or step in kinds

    def factors() -> dict[int, int]:
        return SlurmReader(RealSlurm.find(Path(conf))).site_factors()

    process = operated(folder, "--conf", conf, "--rounds", "1")
    output = tmp_path / "operate.out"
    try:
        for step in ("shadowing", "asked"):
            until(partial(has_done, step, process), step)
            assert process.poll() is None, output.read_text()
            process.kill()
            process.wait()
            process = operated(folder, "--conf", conf, "--rounds", "1")
        assert not factors()
        answer = run.invoke(app, ["operate", str(folder), "approve"])
        assert answer.exit_code == 0, answer.output
        until(partial(has_done, "watched", process), "the effect is known")
        assert process.poll() is None, output.read_text()
        until(lambda: process.poll() is not None or bool(factors()), "it steers again")
        assert run.invoke(app, ["operate", str(folder), "stop"]).exit_code == 0
        until(lambda: process.poll() is not None, "the round ends")
        assert process.returncode == 0, output.read_text()
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGINT)
            process.wait()
        (folder / "live" / SWITCH).unlink(missing_ok=True)
        until(lambda: not factors(), "all factors are 0")
        dogs = ["pgrep", "-f", f"steering.watchdog {folder}"]
        until(lambda: subprocess.run(dogs, check=False).returncode == 1, "no watchdog is left")
    status = json.loads(run.invoke(app, ["operate", str(folder), "status", "--json"]).stdout)
    check_json("operate", status)
    kinds = [entry["kind"] for entry in status["entries"]]
    for earlier, later in pairwise(STEPS):
        assert kinds.index(earlier) < kinds.index(later)
    assert (status["last"], status["steers"], status["is_on"]) == ("ended", "", False)
    tested = next(entry for entry in status["entries"] if entry["kind"] == "tested")
    assert tested["difference"] <= 0
    assert len(tested["digest"]) == 16
    table = run.invoke(app, ["operate", str(folder), "status"]).stdout
    assert "nothing steers" in table


STEPS = (
    *("round", "collected", "checked", "learned", "tested", "shadowing", "shadowed", "asked"),
    *("allowed", "steers", "steered", "watched", "stopped", "ended"),
)
