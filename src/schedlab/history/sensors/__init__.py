"""Sensor sources: where a site's timelines are kept, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, UnknownNameError
from schedlab.history.sensors.archive import ArchiveSource
from schedlab.history.sensors.csv import CsvSource
from schedlab.history.sensors.ganglia import GangliaSource
from schedlab.history.sensors.parquet import ParquetSource
from schedlab.history.sensors.prometheus import PrometheusSource
from schedlab.history.sensors.resample import coverage, integral, resample, thinned
from schedlab.history.sensors.series import Series
from schedlab.history.sensors.source import (
    AnySensorSource,
    MeasuringPoint,
    SensorRequest,
    SensorSource,
)
from schedlab.history.sensors.zabbix_api import ZabbixApiSource
from schedlab.history.sensors.zabbix_sql import ZabbixSqlSource
from schedlab.lookup import find_class
from schedlab.sections import parse_toml

__all__ = [
    "PRESETS",
    "SENSORS",
    "MeasuringPoint",
    "SensorRequest",
    "SensorSource",
    "Series",
    "coverage",
    "integral",
    "make_sensor_source",
    "resample",
    "thinned",
]

SENSORS: dict[str, type[AnySensorSource]] = {
    "archive": ArchiveSource,
    "csv": CsvSource,
    "ganglia": GangliaSource,
    "parquet": ParquetSource,
    "prometheus": PrometheusSource,
    "zabbix-api": ZabbixApiSource,
    "zabbix-sql": ZabbixSqlSource,
}

PRESETS = ("cgroup", "dcgm", "ipmi", "node-exporter")


def make_sensor_source(given: Mapping[str, Any], folder: Path) -> AnySensorSource:
    """Return the source that a ``[[sensor_source]]`` describes.

    Args:
        given: the section; ``kind`` is a name in ``SENSORS`` or ``package.module:Class``.
        folder: folder to which its paths are relative.
    """
    kind = given.get("kind")
    if not isinstance(kind, str):
        raise InputError(f"[[sensor_source]] lacks the key kind; known: {', '.join(SENSORS)}")
    presets = given.get("presets", [])
    if not isinstance(presets, list):
        raise InputError(f"[[sensor_source]]: presets is {presets!r}; must be a list of texts")
    items = [item for name in presets for item in _preset(name)]
    rest = {key: value for key, value in given.items() if key not in ("kind", "presets")}
    return find_class("kind of sensor source", kind, SENSORS).from_section(rest, items, folder)


def _preset(name: Any) -> list[Mapping[str, Any]]:
    """Return the items of a preset, as they would stand in a site file."""
    if name not in PRESETS:
        raise UnknownNameError("preset", str(name), PRESETS)
    file = resources.files(__name__) / "presets" / f"{name}.toml"
    items: list[Mapping[str, Any]] = parse_toml(f"{name}.toml", file.read_text())["item"]
    return items
