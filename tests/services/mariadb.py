"""A MariaDB server only for tests, on loopback, in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pymysql
import pytest
from tests.services.postgresql import free_port
from tests.services.processes import require_program, running
from tests.services.waiting import until


@dataclass
class MariaDB:
    """A server that lets root in without a password."""

    port: int
    _names: Iterator[int] = field(default_factory=count)

    def execute(self, statements: str) -> None:
        """Run statements, one after the other."""
        about = {"host": "127.0.0.1", "port": self.port, "user": "root", "autocommit": True}
        with closing(pymysql.connect(**about)) as connection, connection.cursor() as cursor:
            for statement in statements.split(";"):
                cursor.execute(statement)

    def new_database(self) -> str:
        """Create a database; return its URL."""
        name = f"test{next(self._names)}"
        self.execute(f"create database {name}")
        return f"mariadb://root@127.0.0.1:{self.port}/{name}"

    def is_up(self) -> bool:
        """Return whether the server answers."""
        try:
            self.execute("select 1")
        except pymysql.err.OperationalError:
            return False
        return True


@contextmanager
def mariadb_server(folder: Path) -> Iterator[MariaDB]:
    """Run a server with its data in that folder, which is made."""
    program, install = require_program("mariadbd"), require_program("mariadb-install-db")
    folder.mkdir(exist_ok=True)
    user = "mysql" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    if os.geteuid() == 0:  # the server does not run as root
        shutil.chown(folder, user, user)
    about = ["--no-defaults", f"--datadir={folder / 'data'}", f"--user={user}"]
    quiet = ["--auth-root-authentication-method=normal", "--skip-test-db"]
    subprocess.run([install, *about, *quiet], check=True, capture_output=True)
    server = MariaDB(free_port())
    command = [
        program,
        *about,
        f"--port={server.port}",
        "--bind-address=127.0.0.1",
        f"--socket={folder / 'socket'}",
        f"--pid-file={folder / 'pid'}",
        "--innodb-flush-log-at-trx-commit=0",
    ]
    with running(command, folder / "log"):
        until(server.is_up, "MariaDB answers")
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Callable[[], str]]:
    """A function that makes an empty database and returns its URL."""
    # Not under tmp_path, whose parents the server's own user may not enter.
    with tempfile.TemporaryDirectory(prefix="schedlab-mariadb-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with mariadb_server(folder / "server") as server:
            yield server.new_database
