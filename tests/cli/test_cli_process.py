"""Behaviour that only a separate process shows: imports, time, interruption and closed pipes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.services.waiting import until

Run = Callable[..., Any]

HEAVY = ("torch", "ray", "fastapi", "matplotlib", "bokeh", "polars", "pyarrow")


@pytest.mark.parametrize(
    "start",
    ["import schedlab", "from schedlab import simulate, Workload", "import schedlab.cli.app"],
)
def test_importing_stays_light(start: str) -> None:
    """A command does not load what it does not need."""
    code = f"{start}; import sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == []


def test_help_comes_without_numpy() -> None:
    """0.2 s of processor time on the machine of the tests; NumPy alone would double that."""
    command = [sys.executable, "-X", "importtime", "-m", "schedlab", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "schedlab.cli.simulate" in loaded
    assert loaded.isdisjoint({"numpy", "schedlab._core", *HEAVY})


def test_no_arguments_show_the_help(schedlab: Run) -> None:
    """Other commands of the ecosystem do the same."""
    done = schedlab()
    assert "simulate" in done.stdout
    assert done.returncode == 2
    assert done.stderr == ""


def test_a_closed_pipe_is_no_error(ten_jobs: str) -> None:
    """``schedlab ... | head -1`` must not end in a traceback."""
    command = [sys.executable, "-m", "schedlab", "workload", "info", ten_jobs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_ctrl_c_in_the_making_of_a_class_is_met_too(tmp_path: Path) -> None:
    """Otherwise Python, after ``exec``, would end by the signal, whatever the exit code."""
    (tmp_path / "interrupted.py").write_text(
        "import os, signal\n"
        "from schedlab.cli.signals import INTERRUPTED, meet_signals\n"
        "try:\n"
        "    meet_signals()\n"
        "    exec('os.kill(os.getpid(), signal.SIGINT)')\n"
        "except KeyboardInterrupt:\n"
        "    raise SystemExit(INTERRUPTED)\n"
    )
    command = [sys.executable, "-m", "interrupted"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 130


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", -15)])
def test_a_signal_that_a_destructor_swallows_comes_back(name: str, code: int) -> None:
    """Python prints an exception that is raised in a destructor, and then forgets it."""
    text = (
        "import os, signal, time\n"
        "from schedlab.cli.signals import INTERRUPTED, meet_signals\n"
        "class Freed:\n"
        "    def __del__(self):\n"
        f"        os.kill(os.getpid(), signal.{name})\n"
        "try:\n"
        "    meet_signals()\n"
        "    Freed()\n"
        "    time.sleep(300)\n"
        "except KeyboardInterrupt:\n"
        "    raise SystemExit(INTERRUPTED)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == code
    assert "Exception ignored" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", -15)])
def test_a_signal_within_a_library_that_swallows_exceptions_comes_back(
    name: str, code: int
) -> None:
    """Any exception in a sampler tells cma only that this one cannot be used."""
    text = (
        "import os, signal, time\n"
        "import cma\n"
        "from schedlab.cli.signals import INTERRUPTED, meet_signals\n"
        "class Sampler(cma.sampler.GaussFullSampler):\n"
        "    def __init__(self, *given, **options):\n"
        f"        os.kill(os.getpid(), signal.{name})\n"
        "        super().__init__(*given, **options)\n"
        "try:\n"
        "    meet_signals()\n"
        "    cma.CMAEvolutionStrategy([0, 0], 1, {'CMA_sampler': Sampler, 'verbose': -9})\n"
        "    time.sleep(300)\n"
        "except KeyboardInterrupt:\n"
        "    raise SystemExit(INTERRUPTED)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], timeout=300, check=False)
    assert done.returncode == code


def test_ctrl_c_ends_a_simulation_cleanly(tmp_path: Path) -> None:
    """Exit code 130, one line, and no half-written schedule."""
    trace, out = tmp_path / "long.swf", tmp_path / "schedule.parquet"
    generate = ("workload", "generate", "lublin", "--jobs", "200000", "--out", str(trace))
    command = [sys.executable, "-m", "schedlab"]
    subprocess.run([*command, *generate], check=True, capture_output=True)
    heavy = ("--transform", "load=3:128", "--policy", "wfp3+conservative", "--out", str(out))
    process = subprocess.Popen(
        [*command, "simulate", str(trace), *heavy],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background processes with SIGINT ignored, and the tests may run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    maps = Path(f"/proc/{process.pid}/maps")
    until(lambda: "/_core." in maps.read_text(), "the simulator is loaded")
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=300)
    assert (process.returncode, stdout, stderr) == (130, "", "schedlab: interrupted\n")
    assert [each.name for each in tmp_path.iterdir()] == ["long.swf"]
