"""Waiting for what another program will do, up to a limit."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

PATIENCE_S = 600.0


def until(happened: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Check again and again; fail the test after the time limit."""
    end = time.monotonic() + patience_s
    while not happened():
        if time.monotonic() > end:
            pytest.fail(f"waited {patience_s:.0f} s in vain until {what}")
        time.sleep(0.1)
