"""The page that documents the API, made from the OpenAPI document; it loads nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from schedlab.history.web.current import Identified
from schedlab.history.web.render import render

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class DocumentedParameter:
    """A parameter as the page shows it."""

    name: str
    place: str
    kind: str
    default: str
    description: str


@dataclass(frozen=True)
class Operation:
    """A request that the API answers: a method on a path."""

    method: str
    path: str
    tag: str
    summary: str
    description: str
    parameters: list[DocumentedParameter]
    answers: list[tuple[str, str, str]]


@router.get("/docs", name="documentation")
def documentation(request: Request, viewer: Identified) -> Response:
    """Show every route of the API with its parameters and answers."""
    document = request.app.openapi()
    operations = list(_operations(document))
    tags = list(dict.fromkeys(each.tag for each in operations))
    groups = [(tag, [each for each in operations if each.tag == tag]) for tag in tags]
    return render(request, viewer, "api.html", groups=groups, about=document["info"])


def _operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    known = document["components"]["schemas"]
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            summary, _, rest = about.get("description", "").partition("\n\n")
            parameters = [_parameter(each, known) for each in about.get("parameters", ())]
            answers = [
                (status, " or ".join(each.get("content", ())), each["description"])
                for status, each in about["responses"].items()
            ]
            yield Operation(
                method.upper(), path, about["tags"][0], summary, rest, parameters, answers
            )


def _parameter(about: Mapping[str, Any], known: Mapping[str, Any]) -> DocumentedParameter:
    default = about["schema"].get("default")
    return DocumentedParameter(
        about["name"],
        about["in"],
        _kind(about["schema"], known),
        "" if default in (None, []) else str(default).lower(),
        about.get("description", ""),
    )


def _kind(schema: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return the type of a value in a few words; references are looked up among known schemas."""
    if "$ref" in schema:
        return _kind(known[str(schema["$ref"]).rpartition("/")[2]], known)
    if "anyOf" in schema:
        kinds = [_kind(each, known) for each in schema["anyOf"] if each.get("type") != "null"]
        return " or ".join(kinds)
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"{_kind(schema['items'], known)}; repeatable"
    return str(schema.get("format") or schema.get("type") or "any")
