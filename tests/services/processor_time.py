"""Limits that a busy machine does not break."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def processor_time_below(limit_s: float) -> Iterator[None]:
    """Fail if the block computes longer than that; waiting for a processor does not count."""
    began_s = time.process_time()
    yield
    took_s = time.process_time() - began_s
    assert took_s < limit_s, f"took {took_s:.1f} s of a processor"
