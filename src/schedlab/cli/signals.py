"""SIGTERM and SIGHUP end a command as Ctrl-C does: it cleans up, then the signal ends it."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

INTERRUPTED = 130

_ENDINGS = {signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}
_AGAIN_S = 0.01
_received: list[int] = []


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a command runs.

    Python ends a process by SIGINT, whatever its exit code, once a bare KeyboardInterrupt has
    passed through ``exec`` of a text, as in the making of a dataclass.
    """

    def __init__(self, number: int) -> None:
        """Take the number of the signal."""
        super().__init__(number)
        self.number = number


def meet_signals() -> None:
    """Handle the signals from now on, except those that are ignored, as SIGHUP is under nohup."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _ctrl_c)
    for number in _ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _unraisable
    atexit.register(_end)  # registered first, so it runs last


def ending() -> str:
    """Return what ended the command, in a word."""
    return _ENDINGS[signal.Signals(_received[0])] if _received else "interrupted"


def _ctrl_c(number: int, frame: FrameType | None) -> None:
    if not _put_off(number, frame):
        raise Interrupted(number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _received or _put_off(number, frame):  # another one must not end the cleaning up
        return
    _received.append(number)
    raise Interrupted(number)


def _put_off(number: int, frame: FrameType | None) -> bool:
    """Return whether an exception would do harm now; if so, raise the signal again later.

    It would abort the loading of a native module, and cma swallows whatever is raised in it.
    """
    while frame and not _must_not_raise(frame):
        frame = frame.f_back
    if frame:
        _come_back(number)
    return frame is not None


def _must_not_raise(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    is_loading = frame.f_code.co_qualname.startswith("ExtensionFileLoader.")
    return is_loading or module.partition(".")[0] == "cma"


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise the signal again if a destructor, or an import that cleans up, has swallowed it."""
    if isinstance(unraisable.exc_value, Interrupted):
        _received.clear()
        _come_back(unraisable.exc_value.number)
    else:
        sys.__unraisablehook__(unraisable)


def _come_back(number: int) -> None:
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(number))
    signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)


def _end() -> None:
    """End by the signal, as its sender expects."""
    if _received:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        signal.signal(_received[0], signal.SIG_DFL)
        os.kill(os.getpid(), _received[0])
