"""Prometheus, and other servers with its HTTP API, such as VictoriaMetrics."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from schedlab.errors import ParameterError, SensorError
from schedlab.history.sensors.http import JsonService, check_timeout
from schedlab.history.sensors.series import Floats, Series
from schedlab.history.sensors.source import (
    ItemSection,
    MeasuringPoint,
    SensorRequest,
    SensorSource,
    SourceSection,
)

# A range query gives at most 11,000 points of each series.
MAX_POINTS = 10_000
RAW_CHUNK_S = 4 * 3600.0
HOSTS_AT_ONCE = 100
USUAL_STEP_S = 60.0

_SELECTOR = re.compile(r'[a-zA-Z_:][\w:]*\s*(\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})?', re.ASCII)
_PLAIN = re.compile(r"[\w:@/-]", re.ASCII)

Points = tuple[Floats, Floats]


@dataclass(frozen=True, kw_only=True)
class PrometheusSection(SourceSection):
    """``[[sensor_source]] kind = "prometheus"``.

    Args:
        url: URL of the server, without ``/api/v1``.
        timeout_s: how long an answer may take.
        token_file: file with a bearer token, if the server wants one.
    """

    url: str
    timeout_s: float = 30.0
    token_file: str | None = None

    def __post_init__(self) -> None:
        check_timeout(self.timeout_s)


@dataclass(frozen=True, kw_only=True)
class PrometheusItem(ItemSection):
    """How a query measures an item.

    Without ``step_s`` a plain selector gives the samples as they were scraped. With it, or for any
    other expression, the server averages (``avg_over_time``) over steps of that length.

    Args:
        query: PromQL in which ``{host}`` stands for a pattern of the hosts, ``{device}`` for one of
            the devices and ``{jobid}`` for the job.
        host_label: the label that names the host, perhaps with a port.
        device_label: the label that names the device.
        step_s: length of the steps over which the server averages.
        resolution_s: how often it evaluates the expression within a step.
    """

    query: str
    host_label: str = "instance"
    device_label: str = "gpu"
    step_s: float | None = None
    resolution_s: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("step_s", "resolution_s"):
            if (value := getattr(self, key)) is not None and value < 0.001:
                raise ParameterError(f"{key} is {value:g}; must be at least 0.001")

    @property
    def is_raw(self) -> bool:
        """Whether samples are read as they were scraped."""
        return self.step_s is None and self.is_selector

    @property
    def is_selector(self) -> bool:
        """Whether the query only chooses series."""
        return _SELECTOR.fullmatch(self.query.strip()) is not None

    def filled(self, request: SensorRequest, hosts: tuple[str, ...]) -> str:
        """Return the query for these hosts."""
        devices = sorted({each for host in hosts for each in request.hosts[host]})
        values = {"host": hosts, "device": devices, "jobid": [request.jobid or ""]}
        query = self.query.strip()
        for name, texts in values.items():
            query = query.replace(f"{{{name}}}", "(" + "|".join(map(_literal, texts)) + ")")
        return query

    def place(self, labels: Mapping[str, str], request: SensorRequest) -> MeasuringPoint | None:
        """Return the place of a series; None for a host or device that was not asked for."""
        if self.scope == "site":
            return MeasuringPoint()
        host = labels.get(self.host_label, "").split(":")[0]
        if host not in request.hosts:
            host = host.split(".")[0]
        if host not in request.hosts:
            return None
        if self.scope != "device":
            return MeasuringPoint(host)
        device = labels.get(self.device_label, "")
        return MeasuringPoint(host, device) if device in request.hosts[host] else None


class PrometheusSource(SensorSource[PrometheusSection, PrometheusItem]):
    """Asks a Prometheus server, or VictoriaMetrics."""

    source_section = PrometheusSection
    item_section = PrometheusItem

    def fetch(self, item: PrometheusItem, request: SensorRequest) -> dict[MeasuringPoint, Series]:
        """Fetch timelines with one query for many hosts, in chunks of time."""
        hosts = list(request.hosts)
        found: dict[MeasuringPoint, Series] = {}
        for first in range(0, max(1, len(hosts)), HOSTS_AT_ONCE):
            query = item.filled(request, tuple(hosts[first : first + HOSTS_AT_ONCE]))
            if not item.is_raw and item.kind == "gauge":
                found |= self._averages(item, query, request)
                continue
            read = self._raw if item.is_raw else self._readings
            for place, (time_s, value) in read(item, query, request).items():
                found[place] = item.series(time_s, value, self.name)
        return found

    def check(self) -> str:
        """Ask for a constant."""
        self._ask("query", query="1")
        return f"{self._service.shown} answers queries"

    def _raw(
        self, item: PrometheusItem, query: str, request: SensorRequest
    ) -> dict[MeasuringPoint, Points]:
        """Return samples with the times at which they were scraped."""
        parts = []
        for start_s, end_s in _chunks(request.start_s, request.end_s, RAW_CHUNK_S):
            span = _duration(end_s - start_s)
            answer = self._ask("query", query=f"{query}[{span}]", time=f"{end_s:.3f}")
            parts.append(_points(self.name, answer, item, request))
        return _chained(parts)

    def _readings(
        self, item: PrometheusItem, query: str, request: SensorRequest
    ) -> dict[MeasuringPoint, Points]:
        """Return what the expression gives at the end of each step."""
        return self._range(item, query, request, shift_s=0.0)

    def _averages(
        self, item: PrometheusItem, query: str, request: SensorRequest
    ) -> dict[MeasuringPoint, Series]:
        step_s = item.step_s or USUAL_STEP_S
        window = _duration(step_s)
        inner = query
        if not item.is_selector:
            inner, window = f"({query})", f"{window}:{_duration(item.resolution_s or step_s)}"
        # A step ends just before the next begins: a sample at an edge must not count twice.
        mean, low, high = (
            self._range(item, f"{each}_over_time({inner}[{window}])", request, shift_s=0.001)
            for each in ("avg", "min", "max")
        )
        return {
            place: Series.of_intervals(
                time_s - step_s + 0.001,
                time_s + 0.001,
                value,
                minimum=_at(time_s, low.get(place), value),
                maximum=_at(time_s, high.get(place), value),
                native_step_s=step_s,
                unit=item.unit,
                source=self.name,
            )
            for place, (time_s, value) in mean.items()
        }

    def _range(
        self, item: PrometheusItem, query: str, request: SensorRequest, shift_s: float
    ) -> dict[MeasuringPoint, Points]:
        step_s = item.step_s or USUAL_STEP_S
        first_s = np.floor(request.start_s / step_s) * step_s
        parts = []
        for start_s, end_s in _chunks(first_s, request.end_s, step_s * MAX_POINTS):
            answer = self._ask(
                "query_range",
                query=query,
                start=f"{start_s - shift_s:.3f}",
                end=f"{end_s - shift_s:.3f}",
                step=f"{step_s:.3f}",
                nocache="1",  # else VictoriaMetrics moves the start to a multiple of the step
            )
            parts.append(_points(self.name, answer, item, request))
        return _chained(parts)

    def _ask(self, what: str, **form: str) -> list[Any]:
        answer = self._service.ask(f"/api/v1/{what}", data=form)
        if not isinstance(answer, dict) or answer.get("status") != "success":
            reason = answer.get("error", "no reason given") if isinstance(answer, dict) else answer
            raise self._service.fault(f"refused the query {form['query']!r}: {reason}")
        try:
            result = answer["data"]["result"]
        except (KeyError, TypeError):
            result = None
        if not isinstance(result, list):
            raise self._service.fault("its answer has no data.result")
        return result

    @cached_property
    def _service(self) -> JsonService:
        section = self.section
        token = None if section.token_file is None else self.folder / section.token_file
        return JsonService(section.url, section.timeout_s, token)


def _points(
    source: str, result: list[Any], item: PrometheusItem, request: SensorRequest
) -> dict[MeasuringPoint, Points]:
    """Return the points of each series in an answer, by place."""
    found: dict[MeasuringPoint, Points] = {}
    for each in result:
        try:
            place = item.place(each["metric"], request)
            time_s = np.array([point[0] for point in each["values"]], dtype=np.float64)
            value = np.array([float(point[1]) for point in each["values"]])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise SensorError(f'{source}: the answer on "{item.name}" is not a matrix') from None
        if place is None:
            continue
        if place in found:
            raise SensorError(
                f'{source}: the query of "{item.name}" gives several series for {place}; '
                f"choose one by a label, or write sum by ({item.host_label}) (...)"
            )
        found[place] = time_s, value
    return found


def _chained(parts: list[dict[MeasuringPoint, Points]]) -> dict[MeasuringPoint, Points]:
    lists: dict[MeasuringPoint, list[Points]] = defaultdict(list)
    for part in parts:
        for place, points in part.items():
            lists[place].append(points)
    return {
        place: (np.concatenate([t for t, _ in each]), np.concatenate([v for _, v in each]))
        for place, each in lists.items()
    }


def _at(time_s: Floats, points: Points | None, otherwise: Floats) -> Floats:
    """Return the values at these times; where there is none, that of ``otherwise``."""
    known = {} if points is None else dict(zip(*points, strict=True))
    pairs = zip(time_s, otherwise, strict=True)
    return np.array([known.get(time, value) for time, value in pairs])


def _chunks(start_s: float, end_s: float, length_s: float) -> Iterator[tuple[float, float]]:
    while start_s < end_s:
        yield start_s, min(start_s + length_s, end_s)
        start_s += length_s


def _duration(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"


def _literal(text: str) -> str:
    """Return a pattern that matches the text, without backslashes, which PromQL would unquote."""
    return "".join(c if _PLAIN.match(c) else "." if c in '\\^]"' else f"[{c}]" for c in text)
