"""What the documents say of the JSON that commands print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from schedlab.cli.reference import schema_of

DOCS = Path(__file__).parents[1] / "docs"


def schema(command: str) -> Any:
    """What the documents say of the command's JSON."""
    return json.loads((DOCS / schema_of(command)).read_text())


def closed(part: Any) -> Any:
    """The schema, by which no key may appear that it does not name."""
    if isinstance(part, list):
        return [closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    found = {key: closed(each) for key, each in part.items()}
    named = "properties" in part and isinstance(part.get("required"), list)
    return {"additionalProperties": False, **found} if named else found


def check_json(command: str, printed: Any) -> None:
    """Raise unless the documents say that the command prints this."""
    record = json.loads((DOCS / "formats" / "job-record.schema.json").read_text())
    known = Registry().with_resource(record["$id"], Resource.from_contents(record))
    Draft202012Validator(closed(schema(command)), registry=known).validate(printed)
