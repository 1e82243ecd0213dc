"""The socket to which Batsim connects."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from schedlab.live.batsim.server import serve
from schedlab.live.batsim.session import Session

_LONG_S = 300


def test_ctrl_c_that_wakes_nobody_ends_the_wait() -> None:
    """A signal that another thread receives, or that comes just before the wait, wakes no poll."""
    waiting = threading.Event()

    def interrupt() -> None:
        waiting.wait()
        signal.raise_signal(signal.SIGINT)

    other = threading.Thread(target=interrupt)
    other.start()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    begin_s = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            serve(
                Session("easy"),
                "tcp://127.0.0.1:*",
                timeout_s=_LONG_S,
                listening=lambda endpoint: waiting.set(),
            )
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, before)
        other.join()
    assert time.monotonic() - begin_s < _LONG_S
