"""Rendering of pages from their templates."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.responses import HTMLResponse

from schedlab.history.web.access.sessions import FORM, new_form_token, set_cookie
from schedlab.history.web.access.viewer import Viewer
from schedlab.history.web.navigation import entries
from schedlab.history.web.quantities import FILTERS

TEMPLATES = Path(__file__).with_name("pages") / "templates"
STATIC = Path(__file__).with_name("pages") / "static"


def render(
    request: Request, viewer: Viewer | None, template: str, *, status: int = 200, **context: Any
) -> HTMLResponse:
    """Return the page; every template extends ``base.html`` and knows the viewer.

    Args:
        request: the request that is answered.
        viewer: the viewer; None for somebody who has not logged in.
        template: the name of the template.
        status: the HTTP status of the answer.
        context: the values that the template shows.
    """
    token, secret = new_form_token(request)
    text = (
        _templates()
        .get_template(template)
        .render(
            request=request,
            viewer=viewer,
            navigation=list(entries(request, viewer)),
            path=lambda name, **parts: path_of(request, name, **parts),
            static=lambda name: f"{path_of(request, 'static', path=name)}?v={_version(name)}",
            prefix=request.scope.get("root_path", ""),
            form_token=token,
            **context,
        )
    )
    # A page shows what its reader may see: going back after logging out must not show it again.
    response = HTMLResponse(text, status, {"cache-control": "no-store"})
    if secret is not None:
        set_cookie(request, response, FORM, secret)
    return response


def written(template: str, **context: Any) -> str:
    """Return the rendered template by itself: a file or a message, not a page of the service."""
    return _templates().get_template(template).render(**context)


def path_of(request: Request, route: str, **parts: Any) -> str:
    """Return the path of a route, with the prefix under which a proxy shows it."""
    return f"{request.scope.get('root_path', '')}{request.app.url_path_for(route, **parts)}"


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(("html",)),  # a message in plain text has no entities
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Bokeh's JSON must keep its order: it refers to what was written before.
    templates.policies["json.dumps_kwargs"] = {"sort_keys": False}
    templates.filters["day"] = _day
    templates.filters.update(FILTERS)
    return templates


def _day(epoch_s: float | None) -> str:
    return "–" if epoch_s is None else f"{datetime.fromtimestamp(epoch_s, UTC):%Y-%m-%d}"


@cache
def _version(name: str) -> str:
    """Return a version that changes with the file's content, so that browsers may keep the file."""
    return blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()
