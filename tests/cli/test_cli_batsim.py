"""``schedlab batsim serve`` as users run it: a process that Batsim talks to."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import zmq
from tests.command_schemas import check_json

from schedlab.testing.batsim import play_batsim
from schedlab.testing.instances import head_blocked
from schedlab.workload import write_workload

Run = Callable[..., Any]

ANYWHERE = "tcp://127.0.0.1:*"


@pytest.fixture
def head_blocked_json(tmp_path: Path) -> Path:
    """The four jobs of ``head_blocked`` as a Batsim workload."""
    path = tmp_path / "jobs.json"
    write_workload(head_blocked(), path)
    return path


@contextmanager
def served(*options: str) -> Iterator[tuple[subprocess.Popen[str], zmq.Socket[bytes]]]:
    """Yield the process, and Batsim's end of a socket connected to it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "schedlab", "batsim", "serve", "--endpoint", ANYWHERE, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background processes with SIGINT ignored, and the tests may run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process, zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.linger, socket.rcvtimeo = 0, 30_000
        assert process.stderr is not None
        socket.connect(process.stderr.readline().split()[-1])
        yield process, socket


def test_a_whole_simulation() -> None:
    """EASY backfills the last job; at the end of the simulation the process exits by itself."""
    with served("--policy", "easy", "--json") as (process, socket):

        def ask(message: bytes) -> bytes:
            socket.send(message)
            return socket.recv()

        played = play_batsim(head_blocked(), 4, ask)
        stdout, stderr = process.communicate(timeout=300)
    assert played.start_s.tolist() == [0, 6, 9, 0]
    assert (process.returncode, stderr) == (0, "")
    check_json("batsim serve", json.loads(stdout))
    assert json.loads(stdout) == {
        "policy": "easy",
        "nodes": 4,
        "jobs": 4,
        "ended": 4,
        "killed": 0,
        "rejected": 0,
    }


def test_a_peer_that_talks_nonsense_ends_it() -> None:
    """Exit code 1 and one line: it was not the user's mistake."""
    with served("--policy", "easy") as (process, socket):
        socket.send(b"good morning")
        stdout, stderr = process.communicate(timeout=300)
    assert (process.returncode, stdout) == (1, "")
    assert stderr.startswith("schedlab: a message from Batsim is not JSON")
    assert stderr.count("\n") == 1


def test_ctrl_c_ends_the_wait_for_batsim() -> None:
    """The exit code is 130, as for every command."""
    with served("--policy", "easy") as (process, _):
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=300)
    assert (process.returncode, stdout, stderr) == (130, "", "schedlab: interrupted\n")


def test_batsim_s_platform_and_results(run: Run, head_blocked_json: Path) -> None:
    """A simulation reads and writes Batsim's files, and the audit reads them back."""
    folder = head_blocked_json.parent
    platform, out = folder / "machine.xml", folder / "out_jobs.csv"
    platform.write_text(
        '<platform version="4.1"><zone id="z" routing="Full">'
        '<cluster id="c" prefix="n" suffix="" radical="0-4" speed="1Gf"/></zone></platform>'
    )
    machine = ("--platform", platform, "--master-host", "n4")
    done = run("simulate", head_blocked_json, *machine, "--policy", "easy", "--out", out, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)[0]["nodes"] == 4
    assert (folder / "out_schedule.csv").exists()
    done = run("audit", out, "--policy", "easy", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["faithful"]


def test_a_peer_that_never_comes(run: Run) -> None:
    """The command gives up when no message comes within the timeout."""
    done = run("batsim", "serve", "--policy", "easy", "--endpoint", ANYWHERE, "--timeout", "1")
    assert done.exit_code == 1
    assert "no message came from Batsim for 1 s" in done.stderr


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--policy", "eazy"), 'unknown policy "eazy"; did you mean "easy"?'),
        (("--policy", "easy", "--endpoint", "28000"), "cannot listen at 28000"),
        (("--policy", "easy:predict=actual"), "which are unknown"),
    ],
)
def test_a_user_s_mistake(run: Run, options: tuple[str, ...], reason: str) -> None:
    """The command ends with exit code 2 before it waits for Batsim."""
    done = run("batsim", "serve", *options)
    assert done.exit_code == 2
    assert reason in done.stderr


def test_an_endpoint_that_is_taken(run: Run) -> None:
    """Another scheduler may run there already."""
    with zmq.Context() as context, context.socket(zmq.REP) as socket:
        socket.bind(ANYWHERE)
        taken = socket.getsockopt_string(zmq.LAST_ENDPOINT)
        done = run("batsim", "serve", "--policy", "easy", "--endpoint", taken)
    assert done.exit_code == 2
    assert f"cannot listen at {taken}: address already in use" in done.stderr
