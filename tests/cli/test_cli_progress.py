"""The progress bar."""

from __future__ import annotations

import sys
import time
from io import StringIO

import pytest

from schedlab.cli import progress as module
from schedlab.cli.progress import progress


class Terminal(StringIO):
    """Text that is thought to be seen."""

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        return True


def work(monkeypatch: pytest.MonkeyPatch, stderr: StringIO, patience_s: float) -> str:
    """What half a second of work shows."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(module, "PATIENCE_S", patience_s)
    with progress("counting") as report:
        for done in range(5):
            report(done, 5)
            time.sleep(0.1)
    return stderr.getvalue()


def test_long_work_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, once patience is at its end."""
    assert "counting" in work(monkeypatch, Terminal(), 0.1)


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar that flashes up disturbs."""
    assert work(monkeypatch, Terminal(), 600.0) == ""


def test_a_file_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs are not terminals."""
    assert work(monkeypatch, StringIO(), 0.0) == ""
