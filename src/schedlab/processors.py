"""The number of processors that this process may use."""

from __future__ import annotations

import os
import sys


def usable_processors() -> int:
    """Return how many processors this process may use; macOS does not limit them."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
