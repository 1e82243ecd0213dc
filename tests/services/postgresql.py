"""A PostgreSQL server only for tests, on loopback, in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest


def free_port() -> int:
    """Return a port of loopback on which no program listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _programs() -> Path:
    """Return the folder of the newest server that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("no PostgreSQL server is installed")
    return found[-1].parent


def _is_alive(process: str) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class PostgreSQL:
    """A server that gives each caller an empty database."""

    def __init__(self, folder: Path) -> None:
        self._programs = _programs()
        self._data, self.port = folder / "data", free_port()
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
        self._folder, self._names = folder, count()
        self._run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        self.start()

    def start(self) -> None:
        """Start to answer; after a kill, with all that was committed before it."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self._folder} -c fsync=off"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def kill(self) -> None:
        """Kill all processes of the server without warning."""
        first = (self._data / "postmaster.pid").read_text().split()[0]
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for process in (first, *children):
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        while any(_is_alive(process) for process in (first, *children)):
            time.sleep(0.01)  # a new server refuses to share its memory with one of the old
        # If no process reaps them, their ids still look alive to a new server.
        for lock in (self._data / "postmaster.pid", *self._folder.glob(".s.PGSQL.*.lock")):
            lock.unlink()

    def new_database(self) -> str:
        """Create a database; return its URL."""
        name = f"test{next(self._names)}"
        address = ("-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres")
        subprocess.run([self._programs / "createdb", *address, name], check=True)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        """Stop at once, without waiting for open connections."""
        self._run("pg_ctl", "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        command = [str(self._programs / program), "-D", str(self._data), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder, user=user)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Callable[[], str]]:
    """A function that makes an empty database and returns its URL."""
    # Not under tmp_path, whose parents the server's own user may not enter.
    with tempfile.TemporaryDirectory(prefix="schedlab-postgresql-") as folder:
        server = PostgreSQL(Path(folder))
        try:
            yield server.new_database
        finally:
            server.stop()
