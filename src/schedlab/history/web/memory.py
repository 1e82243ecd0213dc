"""How a process that serves for months gets its memory from the C library."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # as glibc's malloc.h has them
_LARGE_BYTES = 128 * 1024


def give_memory_back() -> None:
    """Let what requests have freed go back to the system; other libraries than glibc do already.

    By default each thread gets an arena of its own, in which large answers leave gaps, and what
    is kept grows with the largest block ever freed: a process grew by a tenth in 6,000 requests.
    """
    with suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in (
            (_ARENA_MAX, 2),
            (_MMAP_THRESHOLD, _LARGE_BYTES),
            (_TRIM_THRESHOLD, _LARGE_BYTES),
        ):
            mallopt(option, value)
