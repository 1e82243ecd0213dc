"""Run a command of another program, such as a scheduler, without a shell and with a time limit."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from schedlab.errors import PeerError


def answer_of(*command: str, environment: Mapping[str, str], timeout_s: float) -> str:
    """Return what a command prints; raise PeerError if it fails, or does not answer in time.

    Args:
        command: the program and its arguments.
        environment: the variables by which the program finds its server.
        timeout_s: how long it may take.
    """
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except OSError as error:
        raise PeerError(f"{name}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise PeerError(f"{name}: no answer within {timeout_s:g} s") from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise PeerError(f"{name}: {said[-1] if said else f'exit {done.returncode}'}")
    return done.stdout
