"""Grafana's documented model of a dashboard (the classic JSON model), as a JSON Schema."""

from __future__ import annotations

from typing import Any

TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
SOURCE: dict[str, Any] = {
    "type": "object",
    "required": ["type", "uid"],
    "properties": {"type": TEXT, "uid": TEXT},
    "additionalProperties": False,
}


def _whole(least: int, most: int | None = None) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, **({} if most is None else {"maximum": most})}


PLACE = {
    "type": "object",
    "required": ["x", "y", "w", "h"],
    "properties": {"x": _whole(0, 23), "y": _whole(0), "w": _whole(1, 24), "h": _whole(1)},
    "additionalProperties": False,
}
FIELDS = {
    "type": "object",
    "required": ["defaults", "overrides"],
    "properties": {
        "defaults": {
            "type": "object",
            "properties": {"unit": TEXT, "min": {"type": "number"}, "custom": {"type": "object"}},
            "additionalProperties": False,
        },
        "overrides": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["matcher", "properties"],
                "properties": {
                    "matcher": {"type": "object", "required": ["id"], "properties": {"id": TEXT}},
                    "properties": {"type": "array", "items": {"required": ["id", "value"]}},
                },
            },
        },
    },
}
PANEL = {
    "type": "object",
    "required": ["id", "type", "title", "gridPos", "datasource", "targets", "fieldConfig"],
    "properties": {
        "id": _whole(1),
        "type": {"enum": ["timeseries", "table"]},
        "title": TEXT,
        "gridPos": PLACE,
        "datasource": SOURCE,
        "fieldConfig": FIELDS,
        "targets": {
            "type": "array",
            "minItems": 1,
            "items": {"required": ["refId"], "properties": {"refId": TEXT, "datasource": SOURCE}},
        },
    },
    "additionalProperties": False,
}
VARIABLE = {
    "type": "object",
    "required": ["name", "type", "query", "datasource"],
    "properties": {
        "name": {"type": "string", "pattern": r"^\w+$"},
        "label": TEXT,
        "type": {"enum": ["query", "adhoc", "constant", "datasource", "interval", "custom"]},
        "query": {"type": ["string", "object"]},
        "datasource": SOURCE,
        "refresh": {"enum": [0, 1, 2]},
        "multi": {"type": "boolean"},
        "includeAll": {"type": "boolean"},
        "allValue": {"type": ["string", "null"]},
        "current": {"type": "object"},
    },
    "additionalProperties": False,
}
DASHBOARD = {
    "type": "object",
    "required": ["uid", "title", "schemaVersion", "panels", "time", "templating"],
    "properties": {
        "__inputs": {
            "type": "array",
            "items": {
                "required": ["name", "label", "type", "pluginId", "pluginName"],
                "properties": {"type": {"enum": ["datasource", "constant"]}},
            },
        },
        "uid": {"type": "string", "pattern": r"^[A-Za-z0-9_-]{8,40}$"},
        "title": TEXT,
        "tags": {"type": "array", "items": TEXT},
        "schemaVersion": _whole(36),
        "editable": {"type": "boolean"},
        "timezone": TEXT,
        "time": {
            "type": "object",
            "required": ["from", "to"],
            "properties": {"from": {"pattern": r"^now-\d+[smhdwMy]$"}, "to": {"const": "now"}},
        },
        "refresh": {"type": "string", "pattern": r"^\d+[smhd]$"},
        "templating": {"properties": {"list": {"type": "array", "items": VARIABLE}}},
        "panels": {"type": "array", "minItems": 1, "items": PANEL},
    },
    "additionalProperties": False,
}
