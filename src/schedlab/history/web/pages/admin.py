"""Administration: where the history comes from, and who may look at it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from sqlalchemy import Connection
from starlette.responses import RedirectResponse, Response

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.web.access import Scope, Viewer
from schedlab.history.web.access.accounts import (
    ACCOUNT_ROLES,
    Account,
    find_account,
    list_accounts,
    put_account,
    remove_account,
    require_account,
)
from schedlab.history.web.access.tokens import add_token, list_tokens, revoke_token
from schedlab.history.web.access.viewer import SCOPES, Role
from schedlab.history.web.current import InPerson
from schedlab.history.web.problems import HttpProblem
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.render import path_of, render
from schedlab.history.web.service import CurrentService, Service
from schedlab.history.web.simulations import STATUS
from schedlab.history.web.tasks import QueuedTask, State, TaskRequest
from schedlab.history.web.tasks.queue import recent_tasks, submit

router = APIRouter(prefix="/admin", include_in_schema=False)

_RECENT_S = 600.0
_LOOKED_THROUGH = 5


def _administrator(viewer: InPerson) -> Viewer:
    if not viewer.may(Scope.ADMIN):
        raise HttpProblem(403, f'this needs the scope "{Scope.ADMIN}", which you do not have')
    return viewer


AdministratorInPerson = Annotated[Viewer, Depends(_administrator)]


@router.get("", name="admin")
def admin_page(
    request: Request, service: CurrentService, viewer: AdministratorInPerson
) -> Response:
    """Show sources, coverage, accounts and tokens; count the store again if the count is old."""
    last = _counts(service, viewer)
    if not last or (last[0].is_finished and last[0].created_s < time.time() - _RECENT_S):
        with suppress(ParameterError):  # they have asked for too many other tasks
            _count(service, viewer)
    return _page(request, service, viewer)


@router.post("/status", name="admin_status")
def count_again(
    request: Request, service: CurrentService, viewer: AdministratorInPerson
) -> Response:
    """Count the content of the store now."""
    _count(service, viewer)
    return _back(request, "sources")


@router.post("/accounts", name="admin_account")
def put(
    request: Request,
    service: CurrentService,
    viewer: AdministratorInPerson,
    name: Annotated[str, Form(max_length=128)],
    role: Annotated[str, Form(max_length=40)],
    groups: Annotated[str, Form(max_length=10_000)] = "",
    password: Annotated[str, Form(max_length=2_000)] = "",
) -> Response:
    """Add an account, or give the one of that name another role, groups or password."""

    def change(connection: Connection) -> None:
        old = find_account(connection, name)
        _require_another(viewer, name, is_harmless=role == viewer.role)
        account = Account(name, _role(role), frozenset(groups.replace(",", " ").split()))
        if old is not None:
            account = replace(account, origin=old.origin, enabled=old.enabled)
        put_account(connection, account, password or None)

    return _changed(request, service, viewer, change, "accounts")


@router.post("/accounts/{account}/enable", name="admin_enable")
def enable(
    request: Request,
    service: CurrentService,
    viewer: AdministratorInPerson,
    account: str,
    enabled: Annotated[bool, Form()],
) -> Response:
    """Enable an account again, or disable it with its sessions and tokens."""

    def change(connection: Connection) -> None:
        old = require_account(connection, account)
        _require_another(viewer, account, is_harmless=enabled)
        put_account(connection, replace(old, enabled=enabled))

    return _changed(request, service, viewer, change, "accounts")


@router.post("/accounts/{account}/remove", name="admin_remove")
def remove(
    request: Request, service: CurrentService, viewer: AdministratorInPerson, account: str
) -> Response:
    """Remove an account with its sessions and tokens."""

    def change(connection: Connection) -> None:
        _require_another(viewer, account)
        remove_account(connection, account)

    return _changed(request, service, viewer, change, "accounts")


@router.post("/tokens", name="admin_token")
def make_token(
    request: Request,
    service: CurrentService,
    viewer: AdministratorInPerson,
    name: Annotated[str, Form(max_length=100)],
    scopes: Annotated[list[Scope], Form()],
    days: Annotated[int, Form(ge=1, le=3_650)] = 365,
) -> Response:
    """Make a token for a program, which then sees every job, and show it only this once."""
    try:
        with service.database.writing() as connection:
            made = add_token(connection, name, scopes=scopes, days=days)
    except (ParameterError, UnknownNameError) as error:
        return _page(request, service, viewer, fault=str(error))
    return _page(request, service, viewer, made=made)


@router.post("/tokens/{token}/revoke", name="admin_token_revoke")
def withdraw_token(
    request: Request, service: CurrentService, viewer: AdministratorInPerson, token: str
) -> Response:
    """Withdraw any token."""

    def change(connection: Connection) -> None:
        revoke_token(connection, token)

    return _changed(request, service, viewer, change, "tokens")


def _changed(
    request: Request,
    service: Service,
    viewer: Viewer,
    change: Callable[[Connection], None],
    part: str,
) -> Response:
    """Make a change and go back to that part of the page; if it fails, the page says why."""
    try:
        with service.database.writing() as connection:
            change(connection)
    except (ParameterError, UnknownNameError) as error:
        return _page(request, service, viewer, fault=str(error))
    return _back(request, part)


def _counts(service: Service, viewer: Viewer) -> list[QueuedTask]:
    with service.database.reading() as connection:
        return recent_tasks(connection, viewer.user, STATUS, _LOOKED_THROUGH)


def _count(service: Service, viewer: Viewer) -> None:
    with service.database.writing() as connection:
        submit(connection, TaskRequest(STATUS, {}, viewer, version=str(time.time())))
    service.runner.wake()


def _role(name: str) -> Role:
    if name not in ACCOUNT_ROLES:
        raise UnknownNameError("role of an account", name, ACCOUNT_ROLES)
    return Role(name)


def _require_another(viewer: Viewer, name: str, *, is_harmless: bool = False) -> None:
    """Refuse a change that may lock the viewer out: other accounts might have no way in."""
    if name == viewer.user and not is_harmless:
        raise ParameterError("this is your own account; let another administrator do it")


def _back(request: Request, part: str) -> Response:
    return RedirectResponse(f"{path_of(request, 'admin')}#{part}", HTTPStatus.SEE_OTHER)


def _page(
    request: Request, service: Service, viewer: Viewer, *, made: str = "", fault: str = ""
) -> Response:
    with service.database.reading() as connection:
        accounts, tokens = list_accounts(connection), list_tokens(connection)
    counts = _counts(service, viewer)
    return render(
        request,
        viewer,
        "admin.html",
        status=HTTPStatus.BAD_REQUEST if fault else HTTPStatus.OK,
        store=service.database.shown,
        counting=counts[0] if counts else None,
        counted=next((each for each in counts if each.state is State.DONE), None),
        accounts=accounts,
        tokens=tokens,
        roles=ACCOUNT_ROLES,
        scopes=sorted(SCOPES[Role.API]),
        now_s=time.time(),
        zone=zone_of(service),
        made=made,
        fault=fault,
    )
