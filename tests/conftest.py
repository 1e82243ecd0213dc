"""Shared by all tests: the folder of real traces, servers, and the rule that CI skips nothing."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Import fixtures only here: each file that imports one makes another fixture of it.
from tests.services.mariadb import mariadb as mariadb
from tests.services.slurm import slurm as slurm
from typer.main import get_command

# Speed is measured by `make bench`: a test on a busy machine is not wrong for being slow.
# The same draws in every run: a change is judged by what it changed. `make fuzz` draws others.
settings.register_profile("schedlab", deadline=None, derandomize="SCHEDLAB_FUZZ" not in os.environ)
settings.load_profile("schedlab")

# Tests send nothing out; one that imports ONNX Runtime before schedlab would.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# Typer would build all commands again, 0.1 s of work, for each command line that a test runs.
_build_once = cache(get_command)
for name in ("typer.main.get_command", "typer.testing._get_command"):
    pytest.MonkeyPatch().setattr(name, _build_once)

# A shell's background jobs ignore Ctrl-C, and so would the commands that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `make sanitize` installs another build of the package beside the editable one and names it here.
_OTHER_BUILD = os.environ.get("SCHEDLAB_SITE")
if _OTHER_BUILD:
    sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]
    sys.path.insert(0, _OTHER_BUILD)
    import schedlab

    assert schedlab.__file__.startswith(_OTHER_BUILD), schedlab.__file__


def pytest_collection_finish() -> None:
    """Let the garbage collector check only what tests make: all that is imported stays anyway.

    The plain reference makes many small objects; a quarter of its time went into the collector.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count a skip as a failure with SCHEDLAB_NO_SKIPS: all that tests need must be installed."""
    report = yield
    if os.environ.get("SCHEDLAB_NO_SKIPS") and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real traces beside the repository; tests that want it skip without it."""
    folder = Path(__file__).parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no traces beside the repository")
    return folder
