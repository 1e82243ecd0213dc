"""Jobs from a scheduler's hook: stored before the answer, and once however often they are sent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.history.records import job
from tests.history.web.served import Served
from tests.services.postgresql import PostgreSQL, free_port

from schedlab.errors import ServiceError
from schedlab.history import Client
from schedlab.history.schema import JobRecord
from schedlab.history.site import SharingSection
from schedlab.history.store import JobQuery, Measurement, Store
from schedlab.history.web.access import Scope
from schedlab.history.web.access.tokens import add_token
from schedlab.history.web.api import ingest
from schedlab.history.web.database import Database


def sent(record: JobRecord) -> dict[str, Any]:
    """Return the record as JSON."""
    return record.model_dump(mode="json", exclude_none=True)


@pytest.fixture
def hook(served: Served) -> httpx.Client:
    """A program that may only send jobs."""
    return served.program(scopes=[Scope.INGEST])


def stored(served: Served, *jobids: str) -> list[JobRecord]:
    """Return the jobs in the store that have these ids."""
    with Store.open(served.settings.store) as store:
        return list(store.jobs(JobQuery(jobids=jobids)))


def test_what_is_acknowledged_is_stored(served: Served, hook: httpx.Client) -> None:
    """An ended job is also due for its measurement by the sensors."""
    running = job("70", state="running", end_time=None)
    assert hook.post("/v1/ingest", json=sent(running)).json() == {
        "added": 1,
        "changed": 0,
        "same": 0,
    }
    assert stored(served, "70") == [running]
    ended = job("70")
    answer = hook.post("/v1/ingest", json=[sent(ended), sent(job("71"))], params={"source": "me"})
    assert answer.json() == {"added": 1, "changed": 1, "same": 0}
    with Store.open(served.settings.store) as store:
        assert [due.record.jobid for due in store.due(Measurement.DUE, 10)] == ["70", "71"]


def test_sending_again_changes_nothing(served: Served, hook: httpx.Client) -> None:
    """A hook that got no answer sends its jobs again; JSON lines work as well as an array."""
    lines = "\n".join(job(str(number)).model_dump_json() for number in (80, 81))
    counts = [hook.post("/v1/ingest", content=lines).json() for _ in range(2)]
    assert [each["added"] for each in counts] == [2, 0]
    assert counts[1]["same"] == 2
    assert len(stored(served, "80", "81")) == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"jobid": "9"}', "record 1: $.req_walltime_sec: is missing"),
        ("[]", "0 records; must be 1 to 10,000"),
        ("", "0 records"),
        ('{"a": 1}\n{"b"', "line 2 is not JSON"),
        ("[1]", "record 1: $: is 1"),
        (r'{"jobid": "\u0000"}', r"\u0000"),
    ],
)
def test_what_is_no_record_is_refused(common: Served, body: str, said: str) -> None:
    """The message says where the mistake is and what was expected there."""
    answer = common.program(scopes=[Scope.INGEST]).post("/v1/ingest", content=body)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_all_records_are_stored_or_none(served: Served, hook: httpx.Client) -> None:
    """A hook then needs no bookkeeping of its own."""
    broken = {**sent(job("91")), "end_time": "yesterday"}
    answer = hook.post("/v1/ingest", json=[sent(job("90")), broken])
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["where"] == "record 2: $.end_time"
    assert stored(served, "90", "91") == []


def test_a_body_is_not_held_however_large(common: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """One client must not use up the service's memory."""
    monkeypatch.setattr(ingest, "MOST_BYTES", 2**20)
    answer = common.program(scopes=[Scope.INGEST]).post("/v1/ingest", content=b" " * (2**20 + 1))
    assert answer.status_code == 413
    assert "1 MiB" in answer.json()["detail"]


def test_where_nodes_are_shared_nothing_comes_between(served: Served) -> None:
    """During an ingest, the hook is refused and tries again: a measurement needs all neighbours."""
    assert served.settings.site is not None
    site = replace(served.settings.site, sharing=SharingSection())
    sharing = Served(replace(served.settings, site=site))
    hook, record = sharing.program(scopes=[Scope.INGEST]), sent(job("75"))
    with Store.open(served.settings.store) as store, store.ingesting():
        busy = hook.post("/v1/ingest", json=record)
    assert busy.status_code == 503
    assert "try again" in busy.json()["detail"]
    assert hook.post("/v1/ingest", json=record).json()["added"] == 1
    sharing.close()


def test_a_hook_that_may_only_send_sees_nothing(common: Served) -> None:
    """The hook's token is stored on the scheduler's machine, where many people can log in."""
    assert common.program(scopes=[Scope.INGEST]).get("/v1/jobs").status_code == 403


@contextmanager
def serving(url: str, workers: int) -> Iterator[tuple[int, str]]:
    """Run the command until the block ends, and yield its process id and URL."""
    port = free_port()
    command = [sys.executable, "-m", "schedlab", "serve", "--store", url]
    command += ["--port", str(port), "--workers", str(workers)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            _await_health(f"http://127.0.0.1:{port}/healthz")
            yield process.pid, f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(300)


def _await_health(url: str) -> None:
    for _ in range(3_000):
        with suppress(httpx.HTTPError):
            if httpx.get(url).status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError("the service has not started")


def send_under(disturb: Callable[[], None], url: str, token: str) -> set[str]:
    """Send jobs, disturb the service in the middle, and return the ids that it acknowledged.

    A job that is not acknowledged is sent again after a while, as a hook would do.
    """
    acknowledged: set[str] = set()

    def send(first: int) -> None:
        waiting = [f"j{number}" for number in range(first, first + 70)]
        with Client(url, token, timeout_s=10) as client:
            for _ in range(600):
                with suppress(ServiceError):
                    while waiting:
                        client.ingest([sent(job(waiting[0]))])
                        acknowledged.add(waiting.pop(0))
                    return
                time.sleep(0.05)

    threads = [threading.Thread(target=send, args=(1_000 * each,)) for each in range(1, 4)]
    for thread in threads:
        thread.start()
    while len(acknowledged) < 50:
        time.sleep(0.01)
    disturb()
    for thread in threads:
        thread.join()
    return acknowledged


def token_for(url: str) -> str:
    """Return a token that may send jobs."""
    database = Database(url)
    with database.writing() as connection:
        token = add_token(connection, "hook", scopes=[Scope.INGEST])
    database.close()
    return token


def ids_in(url: str) -> set[str]:
    """Return the ids of all jobs in the store."""
    with Store.open(url) as store:
        return {each.jobid for each in store.jobs()}


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """A worker gets SIGKILL while jobs arrive; another worker takes its place."""
    url = str(tmp_path / "history.db")
    Store.make(url).close()
    token = token_for(url)
    with serving(url, workers=2) as (pid, address):

        def kill() -> None:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            worker = max(map(int, children))
            os.kill(worker, signal.SIGKILL)

        acknowledged = send_under(kill, address, token)
    assert len(acknowledged) == 3 * 70
    assert acknowledged == ids_in(url)


@pytest.mark.slow
def test_a_killed_database_loses_nothing_that_was_acknowledged() -> None:
    """PostgreSQL is killed and started again; the service goes on by itself."""
    with tempfile.TemporaryDirectory(prefix="schedlab-postgresql-") as folder:
        server = PostgreSQL(Path(folder))
        url = server.new_database()
        Store.make(url).close()
        token = token_for(url)
        with serving(url, workers=1) as (_, address):

            def kill() -> None:
                server.kill()
                server.start()

            acknowledged = send_under(kill, address, token)
        assert len(acknowledged) == 3 * 70
        assert acknowledged == ids_in(url)
        server.stop()
