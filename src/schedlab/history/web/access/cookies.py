"""The cookies of the service: nothing but random secrets, which no script can read."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from schedlab.history.web.access.credentials import form_token, new_secret

SESSION = "schedlab_session"
FORM = "schedlab_form"
"""Ties a form to the browser that loaded it where there is no session to tie it to."""


def set_cookie(
    request: Request, response: Response, name: str, value: str, lifetime_s: float | None = None
) -> None:
    """Set it for the service's paths only, and for https only where the client uses it."""
    response.set_cookie(
        name,
        value,
        max_age=None if lifetime_s is None else int(lifetime_s),
        path=_path(request),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Let the browser forget it."""
    response.delete_cookie(
        name,
        path=_path(request),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def form_secret(request: Request) -> str:
    """What forms of this browser are tied to; empty if it has shown nothing yet."""
    return request.cookies.get(SESSION) or request.cookies.get(FORM) or ""


def new_form_token(request: Request) -> tuple[str, str | None]:
    """A token for the forms of a page, and the cookie that must be set with it, if any."""
    secret = form_secret(request)
    if secret:
        return form_token(secret), None
    secret = new_secret()
    return form_token(secret), secret


def _path(request: Request) -> str:
    return request.scope.get("root_path") or "/"
