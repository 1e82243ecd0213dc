"""Services on two hosts with one PostgreSQL are one service; the hosts are network namespaces."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from sqlalchemy import create_engine, text
from tests.history.records import NOON_S, job
from tests.history.tiny_site import SITE
from tests.history.web.served import ACCOUNTS, PASSWORD, token_in
from tests.services.hook import webhook
from tests.services.postgresql import PostgreSQL
from tests.services.waiting import until

from schedlab.history.store import Store
from schedlab.history.web.access import Role
from schedlab.history.web.access.accounts import put_account
from schedlab.history.web.access.tokens import add_token
from schedlab.history.web.access.viewer import SCOPES
from schedlab.history.web.database import Database

pytestmark = pytest.mark.slow
PORT = 8080
PAGE = {"accept": "text/html"}


class Reachable(PostgreSQL):
    """A PostgreSQL server that other hosts can reach, too."""

    def start(self) -> None:
        """Listen at every address, and trust the addresses of the two hosts."""
        with (self._data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 10.213.0.0/16 trust\n")
        options = f"-p {self.port} -c listen_addresses=* -k {self._folder} -c fsync=off"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")


@dataclass(frozen=True)
class Host:
    """A network namespace, joined to this machine by its own virtual cable."""

    name: str
    address: str
    gateway: str
    """The address of this machine, as the host sees it."""

    @property
    def url(self) -> str:
        """The URL of the host's service."""
        return f"http://{self.address}:{PORT}"


@contextmanager
def host(number: int) -> Iterator[Host]:
    """Make a host that lasts until the block ends."""
    own = os.getpid() % 250
    name, cable = f"schedlab-web-{own}-{number}", f"slw{own}-{number}"
    net = f"10.213.{own}.{4 * number}"
    first, _, last = net.rpartition(".")
    made = Host(name, f"{first}.{int(last) + 2}", f"{first}.{int(last) + 1}")
    _ip("netns", "add", name)
    try:
        _ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("address", "add", f"{made.gateway}/30", "dev", cable)
        _ip("link", "set", cable, "up")
        _ip("-n", name, "address", "add", f"{made.address}/30", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", name, "link", "set", device, "up")
        yield made
    finally:
        _ip("netns", "del", name)  # the cable goes with it


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode and "not permitted" in done.stderr:
        pytest.skip("this machine does not let us make network namespaces")
    assert not done.returncode, done.stderr


@contextmanager
def service(on: Host, folder: Path, store: str, more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a service on the host, with its own site file."""
    folder.mkdir()
    (folder / "site.toml").write_text(SITE + more)
    command = [sys.executable, "-m", "schedlab", "serve", "--store", store]
    command += ["--host", on.address, "--port", str(PORT), "--workers", "2"]
    within = ["ip", "netns", "exec", on.name, *command]
    log = folder / "log"
    with log.open("wb") as stderr, subprocess.Popen(within, stderr=stderr, cwd=folder) as process:
        try:
            until(lambda: _is_well(on), f"it answers: {log.read_text()}")
            yield process
        finally:
            process.terminate()


def _is_well(on: Host) -> bool:
    try:
        return httpx.get(f"{on.url}/healthz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def two_hosts() -> Iterator[tuple[Host, Host]]:
    """Two hosts, each in its own network namespace."""
    if shutil.which("ip") is None or os.geteuid():
        pytest.skip("network namespaces need ip, and root")
    with host(0) as first, host(1) as second:
        yield first, second


def test_two_hosts_are_one_service(two_hosts: tuple[Host, Host], tmp_path: Path) -> None:
    """Jobs sent to one are seen at the other; sessions hold at both; a duty is done once."""
    first, second = two_hosts
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="schedlab-postgresql-"))
        server = Reachable(Path(folder))
        stack.callback(server.stop)
        url = server.new_database()
        Store.make(url).close()
        stores = [url.replace("127.0.0.1", each.gateway) for each in (first, second)]
        token = _prepare(url)
        hooks = [stack.enter_context(webhook(each.gateway)) for each in (first, second)]
        for on, store, hook in zip((first, second), stores, hooks, strict=True):
            alerts = f'[service.alerts]\nevery_s = 10\nwebhook = "{hook.url}"\n'
            stack.enter_context(service(on, tmp_path / on.name, store, alerts))

        headers = {"authorization": f"Bearer {token}"}
        sent = httpx.post(f"{first.url}/v1/ingest", content=job("7").to_json(), headers=headers)
        assert sent.json()["added"] == 1
        assert httpx.get(f"{second.url}/v1/jobs/7", headers=headers).json()["jobid"] == "7"
        _log_in_and_out(first, second)
        _take_alerts_together(url)
        until(lambda: any(hook.documents for hook in hooks), "somebody is told")
        _take_alerts_together(url)
        assert sum(len(hook.documents) for hook in hooks) == 1


def _prepare(url: str) -> str:
    """Make an account and a token, and let no duty be due before both services run."""
    database = Database(url)
    with database.writing() as connection:
        put_account(connection, ACCOUNTS[Role.USER], PASSWORD)
        connection.execute(text("UPDATE duties SET due_s = 1e12"))
        token = add_token(connection, "test", scopes=list(SCOPES[Role.API]))
    database.close()
    return token


def _log_in_and_out(first: Host, second: Host) -> None:
    """Check that a login at one host holds at the other, and that a logout there ends both."""
    with httpx.Client(headers=PAGE) as client:
        form = {"name": "ann", "password": PASSWORD}
        form["form_token"] = token_in(client.get(f"{first.url}/login"))
        answer = client.post(f"{first.url}/login", data=form)
        assert answer.status_code == 303, answer.text
        session = {"cookie": answer.headers["set-cookie"].split(";")[0]}
    here, there = f"{first.url}/jobs", f"{second.url}/jobs"
    assert httpx.get(there, headers=PAGE | session).status_code == 200
    page = httpx.get(there, headers=PAGE | session)
    data = {"form_token": token_in(page)}
    httpx.post(f"{second.url}/logout", data=data, headers=PAGE | session)
    assert httpx.get(here, headers=PAGE | session).status_code == 303


def _take_alerts_together(url: str) -> None:
    """Make the duty due for both at once, and wait until one has taken it."""
    engine = create_engine(url.replace("://", "+psycopg://"))
    due = text("SELECT due_s FROM duties WHERE name = 'alerts'")
    with engine.begin() as connection:
        connection.execute(text("UPDATE duties SET due_s = 0 WHERE name = 'alerts'"))

    def is_taken() -> bool:
        with engine.connect() as connection:
            return float(connection.execute(due).scalar_one()) > NOON_S

    until(is_taken, "the duty is taken")
    engine.dispose()
