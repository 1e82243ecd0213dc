"""The viewer's own account: password, reports and tokens."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.web.access.accounts import (
    Account,
    account_with_password,
    find_account,
    put_account,
)
from schedlab.history.web.access.tokens import add_token, list_tokens, revoke_token
from schedlab.history.web.access.viewer import SCOPES, Scope, Viewer
from schedlab.history.web.current import InPerson
from schedlab.history.web.pages.login import logged_in, note_wrong_password, require_patience
from schedlab.history.web.problems import HttpProblem, not_found
from schedlab.history.web.render import path_of, render
from schedlab.history.web.reports.subscriptions import (
    Subscription,
    list_subscriptions,
    subscribe,
    unsubscribe,
)
from schedlab.history.web.service import CurrentService, Service

router = APIRouter(include_in_schema=False)


@router.get("/account", name="account")
def account_page(request: Request, service: CurrentService, viewer: InPerson) -> Response:
    """Show the viewer's account and tokens."""
    return _page(request, service, viewer)


@router.post("/account/password", name="account_password")
def change_password(
    request: Request,
    service: CurrentService,
    viewer: InPerson,
    old: Annotated[str, Form(max_length=2_000)],
    new: Annotated[str, Form(max_length=2_000)],
) -> Response:
    """Take a new password from a user who knows the old one, and end the other sessions.

    Wrong passwords count as at a login: no one may guess them in a browser that was left open.
    """
    name = _account(service, viewer).name
    require_patience(request, service, name)
    with service.database.reading() as connection:
        account = account_with_password(connection, name, old)
    if account is None:
        note_wrong_password(request, service, name, name)
        return _page(request, service, viewer, fault="That is not your present password.")
    try:
        with service.database.writing() as connection:
            put_account(connection, account, new)
    except ParameterError as error:
        return _page(request, service, viewer, fault=f"{error}.".capitalize())
    return logged_in(request, service, account, path_of(request, "account"))


@router.post("/account/reports", name="account_reports")
def want_reports(
    request: Request,
    service: CurrentService,
    viewer: InPerson,
    address: Annotated[str, Form(max_length=320)] = "",
    period: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Send reports to the address every week or month from now on; without a period, stop them."""
    account = _account(service, viewer)
    if not _has_reports(service):
        raise HttpProblem(403, "this site sends no reports to users")
    try:
        with service.database.writing() as connection:
            if period:
                subscribe(connection, Subscription(account.name, address.strip(), period))
            else:
                unsubscribe(connection, account.name)
    except (ParameterError, UnknownNameError) as error:
        return _page(request, service, viewer, fault=f"{error}.".capitalize())
    return RedirectResponse(f"{path_of(request, 'account')}#reports", HTTPStatus.SEE_OTHER)


@router.post("/account/tokens", name="account_tokens")
def make_token(
    request: Request,
    service: CurrentService,
    viewer: InPerson,
    name: Annotated[str, Form(max_length=100)],
    scopes: Annotated[list[Scope], Form()],
    days: Annotated[int, Form(ge=1, le=3_650)] = 90,
) -> Response:
    """Make a token and show it, only this once."""
    account = _account(service, viewer)
    with service.database.writing() as connection:
        made = add_token(connection, name, account=account.name, scopes=scopes, days=days)
    return _page(request, service, viewer, made=made)


@router.post("/account/tokens/{token}/revoke", name="account_token_revoke")
def withdraw_token(
    request: Request, service: CurrentService, viewer: InPerson, token: str
) -> Response:
    """Withdraw one of the viewer's own tokens; tokens of others are not found."""
    account = _account(service, viewer)
    with service.database.writing() as connection:
        if token not in {each.id for each in list_tokens(connection, account.name)}:
            raise not_found()
        revoke_token(connection, token)
    return RedirectResponse(path_of(request, "account"), HTTPStatus.SEE_OTHER)


def _page(
    request: Request, service: Service, viewer: Viewer, *, made: str = "", fault: str = ""
) -> Response:
    account = _account(service, viewer)
    with service.database.reading() as connection:
        tokens = list_tokens(connection, account.name)
        wanted = list_subscriptions(connection, account.name)
    reports = service.settings.service.reports
    return render(
        request,
        viewer,
        "account.html",
        status=HTTPStatus.BAD_REQUEST if fault else HTTPStatus.OK,
        account=account,
        tokens=tokens,
        scopes=sorted(SCOPES[account.role]),
        made=made,
        fault=fault,
        has_reports=_has_reports(service),
        periods=() if reports is None else reports.periods,
        subscription=wanted[0] if wanted else None,
    )


def _has_reports(service: Service) -> bool:
    reports = service.settings.service.reports
    return reports is not None and reports.users


def _account(service: Service, viewer: Viewer) -> Account:
    with service.database.reading() as connection:
        account = find_account(connection, viewer.user or "")
    if account is None:
        raise HttpProblem(403, "the proxy has logged you in, and you have no account here")
    return account
