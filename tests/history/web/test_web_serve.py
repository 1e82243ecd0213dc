"""The service as a process: started, stopped, killed in parts, and in several workers."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest
from sqlalchemy import create_engine, text
from tests.history.web.served import ACCOUNTS, JOBS, PASSWORD, token_in
from tests.services.waiting import until

from schedlab.history.store import Store
from schedlab.history.web.access.accounts import put_account
from schedlab.history.web.access.tokens import PREFIX
from schedlab.history.web.database import Database
from schedlab.history.web.serve import _bound

pytestmark = pytest.mark.slow


@dataclass
class Running:
    """A service that listens on loopback."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def answers(self) -> bool:
        """Return whether the service is well."""
        try:
            return httpx.get(f"{self.url}/healthz").status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def running(store: str, log: Path, *options: str) -> Iterator[Running]:
    """Run a service, until the end of the block at the latest."""
    command = [sys.executable, "-m", "schedlab", "serve", "--store", store, "--port", "0"]
    with (
        log.open("wb") as stderr,
        subprocess.Popen([*command, *options], stderr=stderr, cwd=log.parent) as process,
    ):
        try:
            until(lambda: "listening at" in log.read_text(), f"it listens: {log.read_text()}")
            found = re.search(r"listening at (\S+)", log.read_text())
            assert found is not None
            service = Running(process, found[1], log)
            until(service.answers, "it answers")
            yield service
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store without accounts."""
    url = str(tmp_path / "history.db")
    Store.make(url).close()
    return url


def test_an_idle_connection_stays_open(store: str, tmp_path: Path) -> None:
    """A proxy that keeps it for a minute would find it closed: uvicorn's own limit is 5 s."""
    with running(store, tmp_path / "log") as service:
        address = httpx.URL(service.url)
        with closing(HTTPConnection(address.host, address.port)) as connection:
            for pause_s in (6, 0):
                connection.request("GET", "/healthz")
                assert connection.getresponse().read()
                connection.auto_open = 0  # the client must not open it again
                time.sleep(pause_s)


def test_the_first_run_prints_a_token_once(store: str, tmp_path: Path) -> None:
    """The token lets the administrator in; the second run prints none."""
    with running(store, tmp_path / "first") as service:
        printed = re.search(rf"{PREFIX}[\w-]+", service.log.read_text())
        assert printed is not None
        token = {"authorization": f"Bearer {printed[0]}"}
        assert httpx.get(f"{service.url}/metrics", headers=token).status_code == 200
        assert httpx.get(f"{service.url}/metrics").status_code == 401
    with running(store, tmp_path / "second") as service:
        assert PREFIX not in service.log.read_text()
        assert httpx.get(f"{service.url}/metrics", headers=token).status_code == 200


def test_a_request_is_answered_to_its_end_when_the_service_is_stopped(
    store: str, tmp_path: Path
) -> None:
    """A request under way at a restart is answered, but no new connection is accepted."""
    with running(store, tmp_path / "log") as service:
        port = int(service.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(b"POST /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
            slow.sendall(b"Content-Type: application/x-www-form-urlencoded\r\n")
            slow.sendall(b"Content-Length: 6\r\n\r\nname")
            assert service.answers()
            service.process.send_signal(signal.SIGTERM)
            until(lambda: not service.answers(), "it accepts nobody")
            assert service.process.poll() is None
            slow.sendall(b"=x")
            answer = slow.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 4")
        assert b"problem+json" in answer
        service.process.wait(30)


def test_an_answer_is_not_held_back() -> None:
    """Headers and body go out at once: TCP would keep the body until the headers were seen."""
    with _bound("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def log_in(url: str, name: str) -> httpx.Client:
    """Return a client with a session."""
    client = httpx.Client(base_url=url)
    fields = {"name": name, "password": PASSWORD, "form_token": token_in(client.get("/login"))}
    assert client.post("/login", data=fields).status_code == 303
    return client


def workers_of(service: Running) -> set[int]:
    """Return the processes that answer requests."""
    pid = service.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(each) for each in children if b"spawn_main" in _command(each)}


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:  # it has ended since
        return b""


def test_two_workers_on_postgresql_are_one_service(
    postgresql: Callable[[], str], tmp_path: Path
) -> None:
    """Workers share sessions and counts; a killed worker and lost connections are replaced."""
    url = postgresql()
    with Store.make(url) as made:
        made.put(JOBS, source="scheduler")
    database = Database(url)
    with database.writing() as connection:
        for account in ACCOUNTS.values():
            put_account(connection, account, PASSWORD)
    database.close()
    with (
        running(url, tmp_path / "log", "--workers", "2") as service,
        closing(log_in(service.url, "sue")) as client,
    ):
        assert all(client.get("/account").status_code == 200 for _ in range(20))
        counted = client.get("/metrics").text
        assert re.search(r'route="/account",status="200"} 20\b', counted)
        until(lambda: len(workers_of(service)) == 2, "two workers run")
        os.kill(killed := min(workers_of(service)), signal.SIGKILL)
        until(lambda: len(workers_of(service) - {killed}) == 2, "the worker is replaced")
        until(service.answers, "it answers")
        engine = create_engine(url.replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT")
        with engine.connect() as other:
            others = "pid <> pg_backend_pid() AND datname = current_database()"
            lost = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"
            other.execute(text(lost))
        engine.dispose()
        assert all(client.get("/account").status_code == 200 for _ in range(10))
