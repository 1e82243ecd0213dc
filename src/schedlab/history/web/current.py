"""The viewer as a dependency of routes: known by token, session or proxy, or the public."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Annotated

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from schedlab.errors import SchedlabError
from schedlab.history.web.access.accounts import find_account
from schedlab.history.web.access.sessions import (
    SESSION,
    form_secret,
    is_form_token,
    session_account,
)
from schedlab.history.web.access.tokens import find_token, note_use, token_viewer
from schedlab.history.web.access.viewer import OPERATORS, Role, Scope, Viewer
from schedlab.history.web.middleware import PEER
from schedlab.history.web.problems import HttpProblem
from schedlab.history.web.service import CurrentService, Service

FORM_FIELD, FORM_HEADER = "form_token", "x-form-token"
_HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
_CHALLENGE = {"www-authenticate": 'Bearer realm="schedlab"'}


async def identified(request: Request, service: CurrentService) -> Viewer | None:
    """Return the viewer; None if no token, session or proxy identifies one."""
    viewer = await _recognised(request, service)
    request.state.viewer = viewer
    return viewer


async def note_viewer(request: Request) -> None:
    """Identify the viewer of a request that no route answers, so that its error page knows them."""
    with suppress(SchedlabError, HttpProblem):
        await identified(request, request.app.state.service)


async def _recognised(request: Request, service: Service) -> Viewer | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return await run_in_threadpool(_by_token, service, secret.strip())
    viewer = await run_in_threadpool(_by_browser, service, request)
    if viewer is not None:
        # A browser sends its cookies with any request that another site makes it send.
        await require_own_form(request)
    return viewer


Identified = Annotated[Viewer | None, Depends(identified)]


async def require_own_form(request: Request) -> None:
    """Refuse a request that changes something but does not come from one of our pages."""
    if request.method in _HARMLESS:
        return
    given = request.headers.get(FORM_HEADER)
    if given is None and "form" in request.headers.get("content-type", ""):
        given = str((await request.form()).get(FORM_FIELD, ""))
    if not is_form_token(given or "", form_secret(request)):
        raise HttpProblem(403, "this form has expired; load the page again and send it once more")


def _log_in_first() -> HttpProblem:
    return HttpProblem(401, "log in, or send a token: Authorization: Bearer TOKEN", _CHALLENGE)


def viewer_who_may(scope: Scope) -> Callable[..., Awaitable[Viewer]]:
    """Return a dependency that admits only viewers with this scope."""

    async def allowed(service: CurrentService, viewer: Identified) -> Viewer:
        if viewer is None and service.is_public:
            viewer = Viewer(Role.PUBLIC)
        if viewer is None or (viewer.role is Role.PUBLIC and not viewer.may(scope)):
            raise _log_in_first()
        if not viewer.may(scope):
            raise HttpProblem(403, f'this needs the scope "{scope}", which you do not have')
        return viewer

    return allowed


current_viewer = viewer_who_may(Scope.READ)
CurrentViewer = Annotated[Viewer, Depends(current_viewer)]
Ingester = Annotated[Viewer, Depends(viewer_who_may(Scope.INGEST))]
MetricsReader = Annotated[Viewer, Depends(viewer_who_may(Scope.METRICS))]


def _named(viewer: CurrentViewer) -> Viewer:
    """Refuse the public, which sees no names."""
    if viewer.role is Role.PUBLIC:
        raise _log_in_first()
    return viewer


NamedViewer = Annotated[Viewer, Depends(_named)]


def _in_person(viewer: NamedViewer) -> Viewer:
    """Refuse tokens as well: a token that expires tomorrow must not create another."""
    if not viewer.is_person:
        raise HttpProblem(403, "a token cannot do this; log in with a browser")
    return viewer


InPerson = Annotated[Viewer, Depends(_in_person)]


def _operator(viewer: InPerson) -> Viewer:
    if viewer.role not in OPERATORS:
        raise HttpProblem(403, "this is for support and administrators")
    return viewer


OperatorInPerson = Annotated[Viewer, Depends(_operator)]


def _by_token(service: Service, secret: str) -> Viewer:
    with service.database.reading() as connection:
        token = find_token(connection, secret)
        viewer = None if token is None else token_viewer(connection, token)
    if token is None or viewer is None:
        refused = {"www-authenticate": f'{_CHALLENGE["www-authenticate"]}, error="invalid_token"'}
        raise HttpProblem(401, "this token is unknown, withdrawn or expired", refused)
    if not token.was_used_lately:
        with service.database.writing() as connection:
            note_use(connection, token)
    return viewer


def _by_browser(service: Service, request: Request) -> Viewer | None:
    return _by_session(service, request) or _by_proxy(service, request)


def _by_session(service: Service, request: Request) -> Viewer | None:
    secret = request.cookies.get(SESSION)
    if not secret:
        return None
    with service.database.reading() as connection:
        account = session_account(connection, secret)
    return None if account is None else account.viewer


def _by_proxy(service: Service, request: Request) -> Viewer | None:
    """Return the viewer whom the configured proxy logged in; ignore the header of other peers."""
    proxy = service.settings.service.proxy
    peer = request.scope.get(PEER)
    if proxy is None or proxy.user_header is None or peer is None:
        return None
    name = request.headers.get(proxy.user_header)
    if not name or not any(_address(peer) in ip_network(each) for each in proxy.addresses):
        return None
    with service.database.reading() as connection:
        account = find_account(connection, name)
    if account is None:
        return Viewer(Role.USER, name)
    return account.viewer if account.enabled else None


def _address(peer: str) -> IPv4Address | IPv6Address:
    try:
        return ip_address(peer)
    except ValueError:  # no address, but a socket in the file system
        return IPv6Address(0)
