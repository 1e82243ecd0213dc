"""The page that says what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from schedlab.history.web.render import path_of, render


def error_page(
    request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a page that says what went wrong; visitors are sent to the login page."""
    if status == HTTPStatus.UNAUTHORIZED:
        query = f"?{request.url.query}" if request.url.query else ""
        back = urlencode({"next": request.scope["path"] + query})
        return RedirectResponse(f"{path_of(request, 'login')}?{back}", HTTPStatus.SEE_OTHER)
    title = HTTPStatus(status).phrase
    viewer = getattr(request.state, "viewer", None)
    page = render(request, viewer, "error.html", status=status, title=title, detail=detail)
    for name, value in (headers or {}).items():
        page.headers.setdefault(name, value)
    return page
