"""Two dashboards for Grafana, which use the data source "JSON"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

PLUGIN = "simpod-json-datasource"
_SOURCE = {"type": PLUGIN, "uid": "${DS_SCHEDLAB}"}
_VARIABLES = ("cluster", "partition", "group")
_WIDTH = 24  # the width of a row, in Grafana's columns


@dataclass(frozen=True)
class Panel:
    """A panel of a dashboard.

    Args:
        title: the title above it.
        metric: what it draws: a key of ``METRICS``.
        unit: the unit of its values, as Grafana names units.
        by: the key by which its values are divided.
        kind: ``timeseries`` or ``table``.
        stacked: whether series are stacked.
        width: its width in columns, of which a row has 24.
        units: the units of the columns of a table.
    """

    title: str
    metric: str
    unit: str = "short"
    by: str | None = None
    kind: str = "timeseries"
    stacked: bool = False
    width: int = 12
    units: dict[str, str] = field(default_factory=dict)


_TABLE_UNITS = {
    "energy_joule": "joule",
    "mean_wait_s": "s",
    "mean_wra": "percentunit",
    "wait_s": "s",
    "run_s": "s",
    "wra": "percentunit",
}

CLUSTER = (
    Panel("Nodes in use", "nodes_in_use"),
    Panel("Jobs waiting", "jobs_waiting"),
    Panel("Mean wait, by partition", "mean_wait_s", "s", "partition"),
    Panel("Jobs that ended, by state", "jobs", by="state", stacked=True),
    Panel("Node-hours, by partition", "node_hours", "h", "partition", stacked=True),
    Panel("Energy", "energy_joule", "joule"),
)
USERS = (
    Panel("Node-hours, by user", "node_hours", "h", "user", stacked=True),
    Panel("Mean wait, by group", "mean_wait_s", "s", "group"),
    Panel("Run time / request, by group", "mean_wra", "percentunit", "group"),
    Panel("Energy, by group", "energy_joule", "joule", "group", stacked=True),
    Panel("Users", "user_table", kind="table", width=_WIDTH, units=_TABLE_UNITS),
    Panel("Jobs", "job_table", kind="table", width=_WIDTH, units=_TABLE_UNITS),
)

DASHBOARDS = {
    "cluster": ("Cluster", CLUSTER, "now-7d"),
    "users": ("Users and their requests", USERS, "now-30d"),
}
"""The dashboards by file name: title, panels, and the time that each shows at first."""


def dashboard(name: str) -> dict[str, Any]:
    """Return the dashboard as Grafana imports it; it then asks which data source to use."""
    title, panels, since = DASHBOARDS[name]
    return {
        "__inputs": [
            {
                "name": "DS_SCHEDLAB",
                "label": "schedlab",
                "type": "datasource",
                "pluginId": PLUGIN,
                "pluginName": "JSON",
            }
        ],
        "uid": f"schedlab-{name}",
        "title": f"schedlab: {title}",
        "tags": ["schedlab"],
        "schemaVersion": 39,
        "editable": True,
        "timezone": "browser",
        "time": {"from": since, "to": "now"},
        "refresh": "5m",
        "templating": {"list": [_variable(each) for each in _VARIABLES]},
        "panels": list(_placed(panels)),
    }


def _variable(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "label": name,
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": name, "format": "string"},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": "All",
        "current": {"text": "All", "value": "$__all"},
    }


def _placed(panels: Iterable[Panel]) -> Iterable[dict[str, Any]]:
    x = y = 0
    for number, panel in enumerate(panels, 1):
        if x + panel.width > _WIDTH:
            x, y = 0, y + 8
        yield _panel(number, panel, {"x": x, "y": y, "w": panel.width, "h": 8})
        x += panel.width


def _panel(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    chosen = ", ".join(f'"{each}": ${{{each}:json}}' for each in _VARIABLES)
    by = f'"by": "{panel.by}", ' if panel.by else ""
    custom = {"stacking": {"mode": "normal"}, "fillOpacity": 40} if panel.stacked else {}
    overrides = [
        {
            "matcher": {"id": "byName", "options": column},
            "properties": [{"id": "unit", "value": unit}],
        }
        for column, unit in panel.units.items()
    ]
    return {
        "id": number,
        "title": panel.title,
        "type": panel.kind,
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "min": 0, "custom": custom},
            "overrides": overrides,
        },
        "targets": [
            {
                "refId": "A",
                "datasource": _SOURCE,
                "editorMode": "code",
                "target": panel.metric,
                "payload": f"{{{by}{chosen}}}",
            }
        ],
    }
