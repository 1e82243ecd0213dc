"""Servers only for tests: started on loopback, waited for, and stopped by their process id."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

PATIENCE_S = 300.0


def require_program(name: str) -> str:
    """Return the program's path, or skip the test."""
    found = shutil.which(name, path="/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@contextmanager
def running(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until the block ends."""
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=output) as server,
    ):
        try:
            yield server
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers at that address."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and server.poll() is None:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    pytest.fail(f"no answer at {url}: {log.read_text()[-2000:]}")
