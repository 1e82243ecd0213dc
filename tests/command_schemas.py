"""Check the JSON that commands print against the schemas in the documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from schedlab.cli.reference import schema_of

DOCS = Path(__file__).parents[1] / "docs"


def schema(command: str) -> Any:
    """Return the schema that the documents have for the command's JSON."""
    return json.loads((DOCS / schema_of(command)).read_text())


def closed(part: Any) -> Any:
    """Return the schema, changed so that it allows only the keys that it names."""
    if isinstance(part, list):
        return [closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    found = {key: closed(each) for key, each in part.items()}
    named = "properties" in part and isinstance(part.get("required"), list)
    return {"additionalProperties": False, **found} if named else found


def check_json(command: str, printed: Any) -> None:
    """Raise unless this output of the command agrees with its schema."""
    record = json.loads((DOCS / "formats" / "job-record.schema.json").read_text())
    known = Registry().with_resource(record["$id"], Resource.from_contents(record))
    Draft202012Validator(closed(schema(command)), registry=known).validate(printed)
