"""What a process of the service does with memory."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

_ARENAS = """
import ctypes, sys, threading
from schedlab.history.web.serve import give_memory_back
if sys.argv[1] == "settled":
    give_memory_back()
ready, kept = threading.Barrier(7), []
def work():
    kept.append(bytes(100_000))
    ready.wait()
for _ in range(6):
    threading.Thread(target=work).start()
ready.wait()
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info(0, ctypes.c_void_p(libc.fdopen(1, b"w")))
libc.fflush(None)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="another C library")
def test_threads_share_two_arenas() -> None:
    """Left to itself the C library would give one to each of six threads."""

    def arenas(how: str) -> int:
        command = [sys.executable, "-c", _ARENAS, how]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.count(
            "<heap nr="
        )

    assert arenas("settled") == 2
    assert arenas("as it is") > 2
