"""Waiting for what another program will do, for as long as patience lasts."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

PATIENCE_S = 600.0


def until(happened: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Look again and again; the test fails if it never happens."""
    end = time.monotonic() + patience_s
    while not happened():
        if time.monotonic() > end:
            pytest.fail(f"waited {patience_s:.0f} s in vain until {what}")
        time.sleep(0.1)
