"""The OpenAPI document, in which job records and system documents have the schemas of our files."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from schedlab.history.schema.json_schema import job_record_schema, system_document_schema

_SCHEMAS = {"JobRecord": job_record_schema, "SystemDocument": system_document_schema}
_PLACE = "#/components/schemas/"
_SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token of the service."}
}


def describe(app: FastAPI) -> None:
    """Make the app serve this OpenAPI document."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SECURITY
    document["security"] = [{name: []} for name in _SECURITY]
    for name, make in _SCHEMAS.items():
        schema = json.loads(json.dumps(make()).replace('"#/$defs/', f'"{_PLACE}'))
        parts = schema.pop("$defs", {})
        about = {key: value for key, value in schema.items() if key not in ("$schema", "$id")}
        components.setdefault("schemas", {}).update(parts | {name: about})
    return document
