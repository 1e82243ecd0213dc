"""The connection to a Ray cluster, or to a Ray started on this machine.

As a program it connects to the address that it is given, or says why that is impossible.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from socket import create_connection
from typing import Any

import ray

from schedlab.errors import ParameterError
from schedlab.processors import usable_processors

PATIENCE_S = 60.0

ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # By default a task that never finds enough memory is tried again for ever.
    "RAY_task_oom_retries": "3",
}
QUIETLY: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}


@contextmanager
def connected(address: str | None, *, processors: int | None = None) -> Iterator[bool]:
    """Connect to the cluster or, without an address, to a local Ray with these processors.

    Yields whether the connection was there before, and so goes on afterwards.
    """
    if ray.is_initialized():
        if address is not None:
            raise ParameterError(f"connected to Ray already; leave out the address {address}")
        yield True
        return
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        _print_notices(False)
        if address is None:
            _start(processors or usable_processors())
        else:
            _try(address)
            _join(address)
        yield False
    finally:
        ray.shutdown(wait_for_processes=True)
        _print_notices(True)


def _print_notices(wanted: bool) -> None:
    """Set whether Ray prints on stdout which process was killed where; no option prevents it."""
    ray._private.worker._worker_logs_enabled = wanted


def check_address(address: str) -> None:
    """Refuse what cannot be the address of a cluster."""
    host, _, port = address.rpartition(":")
    is_port = port.isdecimal() and int(port) < 2**16
    if address != "auto" and not (host and "/" not in host and is_port):
        raise ParameterError(f'address "{address}"; must be auto or host:port')


def _start(processors: int) -> None:
    with _ctrl_c_waits():
        ray.init(address="local", num_cpus=processors, include_dashboard=False, **QUIETLY)


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Hold back an interruption while Ray starts: a half-started Ray may crash at exit."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _join(address: str) -> None:
    try:
        with _ctrl_c_waits():
            ray.init(address=address, **QUIETLY)
    except (OSError, RuntimeError, ValueError) as error:
        raise _unreachable(address, str(error)) from None


def _try(address: str) -> None:
    """Connect in another process first: where no Ray answers, connecting cannot be interrupted."""
    if address != "auto":
        _knock(address)
    command = [sys.executable, "-m", __spec__.name, address]
    try:
        tried = subprocess.run(
            command, timeout=PATIENCE_S, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        raise _unreachable(address, f"no Ray answers within {PATIENCE_S:.0f} s") from None
    if tried.returncode:
        raise _unreachable(address, tried.stderr)


def _knock(address: str) -> None:
    """Find out at once whether anything listens there."""
    host, _, port = address.rpartition(":")
    try:
        create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except OSError as error:
        raise _unreachable(address, error.strerror or str(error)) from None


def _unreachable(address: str, reason: str) -> ParameterError:
    sentence, _, _ = " ".join(reason.split()).partition(". ")
    return ParameterError(f"no Ray cluster at {address}: {sentence}")


if __name__ == "__main__":
    try:
        ray.init(address=sys.argv[1], **QUIETLY)
    except Exception as error:
        sys.exit(str(error))
