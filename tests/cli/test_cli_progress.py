"""The progress bar."""

from __future__ import annotations

import sys
import time
from io import StringIO

import pytest

from schedlab.cli import progress as module
from schedlab.cli.progress import progress


class Terminal(StringIO):
    """A text stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True, as a terminal does."""
        return True


def work(monkeypatch: pytest.MonkeyPatch, stderr: StringIO, patience_s: float) -> str:
    """Return what half a second of work writes to stderr."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(module, "PATIENCE_S", patience_s)
    with progress("counting") as report:
        for done in range(5):
            report(done, 5)
            time.sleep(0.1)
    return stderr.getvalue()


def test_long_work_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal shows the bar when the patience has run out."""
    assert "counting" in work(monkeypatch, Terminal(), 0.1)


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar that flashes up disturbs."""
    assert work(monkeypatch, Terminal(), 600.0) == ""


def test_a_file_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs are not terminals."""
    assert work(monkeypatch, StringIO(), 0.0) == ""
