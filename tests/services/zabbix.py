"""Zabbix's own frontend and tables: PHP's web server on loopback, over PostgreSQL.

The server that would collect values is left out; tests write them into its tables.
"""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import create_engine, text
from tests.services.postgresql import free_port
from tests.services.processes import require_program, running, wait_for

USER, PASSWORD = "Admin", "zabbix"
_PAGES = Path("/usr/share/zabbix")
_TABLES = Path("/usr/share/zabbix-server-pgsql")
_SETTINGS = "/etc/zabbix/zabbix.conf.php"
# Only those rows of a new Zabbix without which no user can log in; the others are thousands of
# templates.
_FIRST_ROWS = re.compile(
    r"INSERT INTO (role|role_rule|users|usrgrp|users_groups|config|dbversion|hstgrp) "
)


@dataclass(frozen=True)
class Zabbix:
    """A running frontend and its database."""

    url: str
    """The URL of ``api_jsonrpc.php``."""
    database_url: str

    def call(self, method: str, params: Any, session: str | None = None) -> Any:
        """Return the result of a method of the API."""
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        if session is not None:
            request["auth"] = session
        answer = httpx.post(self.url, json=request).json()
        assert "result" in answer, f"{method}: {answer}"
        return answer["result"]

    def log_in(self) -> str:
        """Log in as the administrator; return the session."""
        return str(self.call("user.login", {"username": USER, "password": PASSWORD}))

    def add_host(self, name: str, items: Mapping[str, int]) -> list[int]:
        """Add a host with items of these keys and value types; return the ids of the items."""
        session = self.log_in()
        group = self.call("hostgroup.get", {"output": ["groupid"], "limit": 1}, session)
        about = {"host": name, "groups": group, "interfaces": []}
        hostid = self.call("host.create", about, session)["hostids"][0]
        trapper = {"hostid": hostid, "type": 2}
        made = [
            {**trapper, "name": key, "key_": key, "value_type": value_type}
            for key, value_type in items.items()
        ]
        return [int(each) for each in self.call("item.create", made, session)["itemids"]]

    def write(self, table: str, rows: Sequence[Mapping[str, float]]) -> None:
        """Write rows to one of the tables that the server fills."""
        marks = ", ".join(f":{name}" for name in rows[0])
        statement = f"INSERT INTO {table} ({', '.join(rows[0])}) VALUES ({marks})"
        engine = create_engine(self.database_url.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            connection.execute(text(statement), [dict(row) for row in rows])
        engine.dispose()


@contextmanager
def serving_zabbix(database_url: str, folder: Path) -> Iterator[Zabbix]:
    """Run a frontend over a database that is still empty."""
    php = require_program("php")
    for needed in (_PAGES / "api_jsonrpc.php", _TABLES / "schema.sql.gz"):
        if not needed.is_file():
            pytest.skip(f"{needed} is not installed")
    _fill(database_url)
    pages, log, port = _pages(folder, database_url), folder / "php.log", free_port()
    with running([php, "-S", f"127.0.0.1:{port}", "-t", str(pages)], log) as server:
        wait_for(f"http://127.0.0.1:{port}/robots.txt", server, log)
        yield Zabbix(f"http://127.0.0.1:{port}/api_jsonrpc.php", database_url)


def _fill(database_url: str) -> None:
    with gzip.open(_TABLES / "schema.sql.gz", "rt") as schema:
        statements = schema.read()
    with gzip.open(_TABLES / "data.sql.gz", "rt") as rows:
        statements += "".join(row for row in rows if _FIRST_ROWS.match(row))
    psql = [require_program("psql"), "-q", "-v", "ON_ERROR_STOP=1", database_url]
    subprocess.run(psql, input=statements, text=True, check=True)


def _pages(folder: Path, database_url: str) -> Path:
    """Copy the frontend with its own settings; Debian's looks for them in one place only."""
    pages, database = folder / "www", urlsplit(database_url)
    pages.mkdir()
    # A file looks for the others beside its real path, not beside a link to it: these are copied.
    shutil.copytree(_PAGES / "include", pages / "include")
    shutil.copy(_PAGES / "api_jsonrpc.php", pages)
    for part in _PAGES.iterdir():
        if not (pages / part.name).exists():
            (pages / part.name).symlink_to(part)
    settings = {
        "TYPE": "POSTGRESQL",
        "SERVER": database.hostname,
        "PORT": database.port,
        "DATABASE": database.path[1:],
        "USER": database.username,
        "PASSWORD": "",
        "SCHEMA": "",
    }
    lines = [f"$DB['{name}'] = '{value}';" for name, value in settings.items()]
    lines += ["$DB['ENCRYPTION'] = false;", "$DB['DOUBLE_IEEE754'] = true;"]
    (pages / "settings.php").write_text("<?php\n" + "\n".join(lines))
    reader = pages / "include" / "classes" / "core" / "CConfigFile.php"
    reader.write_text(reader.read_text().replace(_SETTINGS, str(pages / "settings.php")))
    return pages


@pytest.fixture(scope="session")
def zabbix_frontend(
    postgresql: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Zabbix]:
    """One frontend for all tests that need it."""
    with serving_zabbix(postgresql(), tmp_path_factory.mktemp("zabbix")) as frontend:
        yield frontend
