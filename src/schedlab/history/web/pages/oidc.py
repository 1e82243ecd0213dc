"""Logging in at the provider."""

from __future__ import annotations

import hmac
import logging
from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from schedlab.history.web.access.oidc import Pending, Provider
from schedlab.history.web.access.sessions import drop_cookie, set_cookie
from schedlab.history.web.access.signed_on import sign_on
from schedlab.history.web.pages.login import logged_in
from schedlab.history.web.problems import HttpProblem, not_found
from schedlab.history.web.service import CurrentService, Service

_LOG = logging.getLogger("schedlab.service")
_COOKIE = "schedlab_oidc"
_PATIENCE_S = 600
_LONGEST_PATH = 1_000  # a browser keeps no cookie beyond 4 KiB
router = APIRouter(include_in_schema=False)


@router.get("/login/oidc", name="oidc")
def to_provider(request: Request, service: CurrentService, next: str = "") -> Response:
    """Send the browser to the provider."""
    pending = Pending(next if len(next) <= _LONGEST_PATH else "")
    url = _provider(service).login_url(pending, str(request.url_for("oidc_callback")))
    response = RedirectResponse(url, HTTPStatus.SEE_OTHER)
    set_cookie(request, response, _COOKIE, pending.to_cookie(), _PATIENCE_S)
    return response


@router.get("/login/oidc/callback", name="oidc_callback")
def from_provider(
    request: Request, service: CurrentService, code: str = "", state: str = "", error: str = ""
) -> Response:
    """Begin a session for the user whom the provider sends back."""
    provider = _provider(service)
    pending = Pending.from_cookie(request.cookies.get(_COOKIE, ""))
    if pending is None or not hmac.compare_digest(state.encode(), pending.state.encode()):
        raise HttpProblem(400, "this login was not begun here, or too long ago; begin it again")
    if error or not code:
        raise HttpProblem(403, "the provider did not let you in")
    claims = provider.claims(pending, code, str(request.url_for("oidc_callback")))
    with service.database.writing() as connection:
        account = sign_on(connection, provider.section, claims)
    _LOG.info("login at the provider: %s", account.name)
    response = logged_in(request, service, account, pending.next)
    drop_cookie(request, response, _COOKIE)
    return response


def _provider(service: Service) -> Provider:
    if service.provider is None:
        raise not_found()
    return service.provider
