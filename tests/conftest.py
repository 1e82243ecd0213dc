"""What all tests share: where the real traces are, servers, and the rule that CI skips nothing."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# Here and nowhere else: a fixture is another one in every file that names it.
from tests.services.mariadb import mariadb as mariadb
from tests.services.slurm import slurm as slurm

# Speed is measured by `make bench`: a test on a busy machine is not wrong for being slow.
# The same draws in every run: a change is judged by what it changed. `make fuzz` draws others.
settings.register_profile("schedlab", deadline=None, derandomize="SCHEDLAB_FUZZ" not in os.environ)
settings.load_profile("schedlab")

# Tests talk to nobody; a test that imports ONNX Runtime before schedlab does would.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

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
    """Let the collector walk only over what tests make: all that is imported stays anyway.

    The plain reference makes many small objects; a quarter of its time went into the collector.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With SCHEDLAB_NO_SKIPS a skip is a failure: everything a test wants must be installed."""
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
