"""The JSON Schemas of the records, generated from the models: ``python -m`` this module."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from schedlab.history.schema.job import SCHEMA_VERSION, SURELY_STARTED, UNFINISHED, JobRecord
from schedlab.history.schema.system import SystemDocument

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def job_record_schema() -> dict[str, Any]:
    """Return the JSON Schema 2020-12 of one job record."""
    schema = _schema(JobRecord, "job-record")
    return schema | {"allOf": _what_a_started_job_has()}


def system_document_schema() -> dict[str, Any]:
    """Return the JSON Schema 2020-12 of a system document."""
    return _schema(SystemDocument, "system-document")


SCHEMAS = {
    "job-record.schema.json": job_record_schema,
    "system-document.schema.json": system_document_schema,
}
"""The committed files, in ``docs/formats``, and what generates each."""


def as_text(schema: dict[str, Any]) -> str:
    """Return the schema as it is committed."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _schema(model: type[BaseModel], name: str) -> dict[str, Any]:
    head = {"$schema": DIALECT, "$id": f"urn:schedlab:{name}:{SCHEMA_VERSION}"}
    body: dict[str, Any] = _without_titles(model.model_json_schema())
    return head | body


def _without_titles(schema: Any) -> Any:
    """Return the schema without titles, which only repeat the names of fields in capitals."""
    if isinstance(schema, dict):
        return {
            key: _without_titles(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [_without_titles(each) for each in schema] if isinstance(schema, list) else schema


def _what_a_started_job_has() -> list[dict[str, Any]]:
    """Return the rules of ``JobRecord`` on the times that a job must have, by its state."""
    known = _has("state", {"type": "string"})
    started = _has("start_time", {"type": "string"})
    surely = {"anyOf": [{"not": known}, _has("state", {"enum": sorted(SURELY_STARTED)})]}
    finished = {"not": _has("state", {"enum": sorted(UNFINISHED)})}
    return [
        {"if": surely, "then": started},
        {"if": started, "then": _has("per_host", {"type": "array"})},
        {"if": {"allOf": [started, finished]}, "then": _has("end_time", {"type": "string"})},
    ]


def _has(item: str, rule: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {item: rule}, "required": [item]}


if __name__ == "__main__":
    for file, generate in SCHEMAS.items():
        (Path(sys.argv[1]) / file).write_text(as_text(generate()), encoding="utf-8")
