"""Logging in and out."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Form, Request
from sqlalchemy import Connection
from starlette.responses import RedirectResponse, Response

from schedlab.history.web.access.accounts import Account, account_with_password, find_account
from schedlab.history.web.access.passwords import note_failure, seconds_to_wait
from schedlab.history.web.access.sessions import (
    FORM,
    SESSION,
    begin_session,
    drop_cookie,
    end_session,
    set_cookie,
)
from schedlab.history.web.access.tokens import PREFIX, account_with_token
from schedlab.history.web.current import Identified, require_own_form
from schedlab.history.web.problems import HttpProblem
from schedlab.history.web.render import path_of, render
from schedlab.history.web.service import CurrentService, Service

_LOG = logging.getLogger("schedlab.service")
router = APIRouter(include_in_schema=False)


@router.get("/login", name="login")
def login_page(request: Request, service: CurrentService, next: str = "") -> Response:
    """Show the login form, and the way to the provider if there is one."""
    return _form(request, service, next)


@router.post("/login", dependencies=[Depends(require_own_form)])
def log_in(
    request: Request,
    service: CurrentService,
    name: Annotated[str, Form(max_length=200)],
    password: Annotated[str, Form(max_length=2_000)],
    next: Annotated[str, Form()] = "",
) -> Response:
    """Begin a session for a user who knows the password."""
    require_patience(request, service, name)
    with service.database.reading() as connection:
        account = _recognised(connection, name, password)
        is_known = account is not None or find_account(connection, name) is not None
    if account is None:
        # Not the name itself if it is unknown: it may be a password in the wrong field.
        note_wrong_password(request, service, name, name if is_known else "an unknown name")
        return _form(request, service, next, failed=name)
    _LOG.info("login: %s from %s", account.name, _address(request))
    return logged_in(request, service, account, next)


@router.post("/logout", name="logout")
def log_out(request: Request, service: CurrentService, viewer: Identified) -> Response:
    """End the session."""
    with service.database.writing() as connection:
        end_session(connection, request.cookies.get(SESSION, ""))
    response = RedirectResponse(path_of(request, "login"), HTTPStatus.SEE_OTHER)
    drop_cookie(request, response, SESSION)
    return response


def require_patience(request: Request, service: Service, name: str) -> None:
    """Refuse to check a password after too many wrong ones."""
    section = service.settings.service
    with service.database.reading() as connection:
        wait_s = seconds_to_wait(
            connection,
            name,
            _address(request),
            failures=section.login_failures,
            window_s=section.login_window_s,
        )
    if wait_s > 0:
        wait = max(1, round(wait_s))
        detail = f"too many wrong passwords; wait {wait} s before you try again"
        raise HttpProblem(429, detail, {"retry-after": str(wait)})


def note_wrong_password(request: Request, service: Service, name: str, shown: str) -> None:
    """Count a wrong password, and log it with as much of the name as may be shown."""
    window_s = service.settings.service.login_window_s
    with service.database.writing() as connection:
        note_failure(connection, name, _address(request), window_s=window_s)
    _LOG.warning("login refused: %s from %s", shown, _address(request))


def logged_in(request: Request, service: Service, account: Account, next: str) -> Response:
    """Go on to the page that the user wanted, with a new session and never an old one's secret."""
    lifetime_s = 3_600 * service.settings.service.session_hours
    with service.database.writing() as connection:
        end_session(connection, request.cookies.get(SESSION, ""))
        secret = begin_session(connection, account.name, lifetime_s)
    response = RedirectResponse(_own_path(request, next), HTTPStatus.SEE_OTHER)
    set_cookie(request, response, SESSION, secret, lifetime_s)
    drop_cookie(request, response, FORM)
    return response


def _form(request: Request, service: Service, next: str, *, failed: str = "") -> Response:
    return render(
        request,
        None,
        "login.html",
        status=HTTPStatus.UNAUTHORIZED if failed else HTTPStatus.OK,
        next=next,
        failed=bool(failed),
        name=failed,
        is_public=service.is_public,
        oidc=service.settings.service.oidc,
    )


def _recognised(connection: Connection, name: str, password: str) -> Account | None:
    """Return the account with this password; an administrator's first password is a token."""
    if password.startswith(PREFIX):
        return account_with_token(connection, name, password)
    return account_with_password(connection, name, password)


def _own_path(request: Request, next: str) -> str:
    """Return the path to go on to: never another site, however its address is written."""
    split = urlsplit(next)
    prefix = request.scope.get("root_path", "")
    is_own = not split.scheme and not split.netloc and next.startswith(f"{prefix}/")
    is_plain = not next.startswith("//") and "\\" not in next and next.isprintable()
    return next if is_own and is_plain else path_of(request, "home")


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
