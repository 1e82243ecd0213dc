"""A real Prometheus reads the service's metrics, with the settings that the guide shows."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.history.records import job
from tests.history.web.listening import listening
from tests.history.web.served import Served
from tests.services.postgresql import free_port
from tests.services.processes import PATIENCE_S, require_program, running, wait_for

from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store
from schedlab.history.web.access.tokens import add_token
from schedlab.history.web.access.viewer import Scope

GUIDE = Path(__file__).parents[3] / "docs/guides/service.md"


def settings(address: str, token: Path) -> str:
    """Return the settings in the guide, for this service and with a shorter interval."""
    found = re.search(r"```yaml\n(scrape_configs:.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found
    text = found[1].replace("hpc.example.org", address).replace("scheme: https", "scheme: http")
    text = text.replace("/etc/prometheus/schedlab.token", str(token)).replace("/history/", "/")
    return text.replace("1m", "1s")


def asked(url: str, query: str) -> list[dict[str, Any]]:
    """Return Prometheus's answer, asking again while it is empty."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        answer = httpx.get(f"{url}/api/v1/query", params={"query": query}).json()
        found: list[dict[str, Any]] = answer["data"]["result"]
        if found:
            return found
        time.sleep(0.1)
    pytest.fail(f"Prometheus has no {query}")


def test_prometheus_answers_with_the_queue_and_the_waits(served: Served, tmp_path: Path) -> None:
    """Values are by cluster and partition; the token may only read metrics."""
    program, now_s = require_program("prometheus"), int(time.time())
    waits: dict[str, Any] = {"start_time": None, "end_time": None, "state": "pending"}
    started: dict[str, Any] = {
        "start_time": from_epoch(now_s - 3_600),
        "end_time": from_epoch(now_s - 60),
        "queue_time": from_epoch(now_s - 3_700),
    }
    with Store.open(served.settings.store) as store:
        store.put(
            [
                job("10", partition="gpu", queue_time=from_epoch(now_s), **waits),
                job("11", partition="gpu", queue_time=from_epoch(now_s), **waits),
                job("12", partition="cpu", **started),
            ],
            source="scheduler",
        )
    with served.database.writing() as connection:
        token = tmp_path / "token"
        token.write_text(add_token(connection, "prometheus", scopes=[Scope.METRICS]))
    port, log = free_port(), tmp_path / "prometheus.log"
    with listening(served.app) as service:
        config = tmp_path / "prometheus.yml"
        config.write_text(settings(service.removeprefix("http://"), token))
        command = [
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={tmp_path / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        url = f"http://127.0.0.1:{port}"
        with running(command, log) as server:
            wait_for(f"{url}/-/ready", server, log)
            (queue,) = asked(url, 'sum by (cluster, partition) (schedlab_jobs{state="pending"})')
            (wait,) = asked(url, 'schedlab_job_wait_seconds{quantile="0.5"}')
            counts = asked(url, "schedlab_requests_total")
    assert queue["metric"] == {"cluster": "one", "partition": "gpu"}
    assert queue["value"][1] == "2"
    assert (wait["metric"]["partition"], wait["value"][1]) == ("cpu", "100")
    assert counts
