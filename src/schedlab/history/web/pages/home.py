"""The first page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from schedlab.history.web.access.current import CurrentViewer
from schedlab.history.web.pages.render import render

router = APIRouter(include_in_schema=False)


@router.get("/", name="home")
def home(request: Request, viewer: CurrentViewer) -> Response:
    """Where one comes to without a path."""
    return render(request, viewer, "home.html")
