"""SIGTERM and SIGHUP end a command as Ctrl-C does: it cleans up, then the process ends by them."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

INTERRUPTED = 130

_ENDINGS = {signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}
_received: list[int] = []


def meet_signals() -> None:
    """Meet the signals from now on, except those that are ignored, as SIGHUP is under nohup."""
    for number in _ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    atexit.register(_end)  # registered first, it comes last


def ending() -> str:
    """What ended the command, in a word."""
    return _ENDINGS[signal.Signals(_received[0])] if _received else "interrupted"


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not _received:  # another one must not end the cleaning up
        _received.append(number)
        raise KeyboardInterrupt


def _end() -> None:
    """End by the signal, as whoever sent it expects."""
    if _received:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        signal.signal(_received[0], signal.SIG_DFL)
        os.kill(os.getpid(), _received[0])
