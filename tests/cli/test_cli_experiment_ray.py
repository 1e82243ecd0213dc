"""schedlab experiment run --engine ray."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

Run = Callable[..., Any]

LONG = """
[experiment]
name = "long"
policies = ["fcfs", "sjf", "easy", "wfp3+conservative"]
metrics = ["wait", "makespan"]
seeds = [1, 2]

[[workload]]
name = "lublin"
generate = "lublin:nodes=64"
jobs = 10000
transforms = ["load=1.5:64"]
nodes = 64
"""

COMMAND = ("experiment", "run", "long.toml", "--out", "out")
WITH_RAY = (*COMMAND, "--engine", "ray")


@pytest.fixture(autouse=True)
def long_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of an experiment of eight cells, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("long.toml").write_text(LONG)


@pytest.fixture
def of_its_own() -> Iterator[dict[str, str]]:
    """An environment in which Ray leaves nothing outside a folder of its own."""
    # Not a folder of pytest's: the paths of sockets must be short.
    with TemporaryDirectory(prefix="ray-") as folder:
        yield {**os.environ, "RAY_TMPDIR": folder, "HOME": folder}


def all_end(environment: dict[str, str]) -> bool:
    """Return whether the processes that were started in the environment end soon."""
    deadline = time.monotonic() + 300
    while (left := processes(environment)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not left


def processes(environment: dict[str, str]) -> list[str]:
    """Return the processes that were started in the environment."""
    mark = f"RAY_TMPDIR={environment['RAY_TMPDIR']}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_without_ray_the_extra_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2 and one line, before anything is made."""
    monkeypatch.setitem(sys.modules, "ray", None)
    for module in ("engine_ray", "ray_connection"):
        monkeypatch.delitem(sys.modules, f"schedlab.experiments.{module}", raising=False)
    result = run(*WITH_RAY)
    assert result.exit_code == 2
    sentence = 'Ray is not installed; in a copy of the repository run: pip install ".[ray]"'
    assert result.stderr == f"schedlab: {sentence}\n"
    assert not Path("out").exists()


def test_an_address_needs_the_engine(run: Run) -> None:
    """Otherwise the address would be ignored silently."""
    result = run(*COMMAND, "--address", "auto")
    assert result.exit_code == 2
    assert result.stderr == "schedlab: --address auto needs --engine ray\n"


def test_an_address_without_a_cluster(run: Run) -> None:
    """Exit code 2 and one line."""
    pytest.importorskip("ray", reason="Ray is not installed")
    result = run(*WITH_RAY, "--address", "127.0.0.1:1")
    assert result.exit_code == 2
    assert result.stderr == "schedlab: no Ray cluster at 127.0.0.1:1: Connection refused\n"


@pytest.mark.slow
def test_ctrl_c_at_half_and_again(of_its_own: dict[str, str]) -> None:
    """Exit code 130 and no process left; the next run computes the rest and stops its Ray too."""
    pytest.importorskip("ray", reason="Ray is not installed")
    command = [sys.executable, "-m", "schedlab", *WITH_RAY, "--workers", "2"]
    process = subprocess.Popen(
        command,
        env=of_its_own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 300
    while len(list(Path("out").glob("cells/*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to Ray's processes too
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 130, stderr
    kept = "finished cells are kept in out; run again to go on"
    assert stderr == f"{kept}\nschedlab: interrupted\n"
    assert 3 <= len(list(Path("out/cells").iterdir())) < 8
    assert all_end(of_its_own)
    again = subprocess.run(command, env=of_its_own, capture_output=True, text=True, check=True)
    assert again.stderr == ""
    assert "8 of 8 cells finished" in again.stdout
    assert all_end(of_its_own)
