"""Prometheus and VictoriaMetrics, each with a history that was made beforehand."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import pytest
from tests.services.postgresql import free_port
from tests.services.processes import require_program, running, wait_for

Sample = tuple[str, float, float]
"""A series such as ``power{instance="n01"}``, seconds of the epoch, a value."""

ServeFile = Callable[[Path], AbstractContextManager[str]]
Serve = Callable[[Iterable[Sample]], AbstractContextManager[str]]


@pytest.fixture
def prometheus_history(tmp_path: Path) -> ServeFile:
    """A function that serves an OpenMetrics file from Prometheus, and yields its URL."""
    promtool, program = require_program("promtool"), require_program("prometheus")

    @contextmanager
    def serve(history: Path) -> Iterator[str]:
        data, log, port = tmp_path / "blocks", tmp_path / "prometheus.log", free_port()
        make = [promtool, "tsdb", "create-blocks-from", "openmetrics", str(history), str(data)]
        subprocess.run(make, check=True, capture_output=True)
        config = tmp_path / "prometheus.yml"
        config.write_text("scrape_configs: []\n")
        command = [
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={data}",
            "--storage.tsdb.retention.time=100y",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        url = f"http://127.0.0.1:{port}"
        with running(command, log) as server:
            wait_for(f"{url}/-/ready", server, log)
            yield url

    return serve


@pytest.fixture
def prometheus(tmp_path: Path, prometheus_history: ServeFile) -> Serve:
    """A function that serves samples from Prometheus, and yields its URL."""

    def serve(samples: Iterable[Sample]) -> AbstractContextManager[str]:
        history = tmp_path / "history.om"
        history.write_text(_open_metrics(samples))
        return prometheus_history(history)

    return serve


@pytest.fixture
def victoria_metrics(tmp_path: Path) -> Serve:
    """A function that serves samples from VictoriaMetrics, and yields its URL."""
    program = require_program("victoria-metrics")

    @contextmanager
    def serve(samples: Iterable[Sample]) -> Iterator[str]:
        log, port = tmp_path / "victoria.log", free_port()
        command = [
            program,
            f"-storageDataPath={tmp_path / 'victoria'}",
            f"-httpListenAddr=127.0.0.1:{port}",
            "-retentionPeriod=100y",
            "-search.latencyOffset=0s",
        ]
        url = f"http://127.0.0.1:{port}"
        with running(command, log) as server:
            wait_for(f"{url}/health", server, log)
            lines = "".join(f"{s} {v!r} {round(t * 1000)}\n" for s, t, v in samples)
            httpx.post(f"{url}/api/v1/import/prometheus", content=lines).raise_for_status()
            httpx.get(f"{url}/internal/force_flush").raise_for_status()
            yield url

    return serve


def _open_metrics(samples: Iterable[Sample]) -> str:
    families: dict[str, list[str]] = {}
    for series, time_s, value in samples:
        name = series.partition("{")[0]
        families.setdefault(name, []).append(f"{series} {value!r} {time_s!r}\n")
    text = ""
    for name, lines in families.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        text += f"# TYPE {name.removesuffix('_total')} {kind}\n" + "".join(lines)
    return text + "# EOF\n"
