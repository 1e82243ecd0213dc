"""The first accounts of a store."""

from __future__ import annotations

from sqlalchemy import Connection

from schedlab.history.web.access.accounts import Account, list_accounts, put_account
from schedlab.history.web.access.tokens import add_token
from schedlab.history.web.access.viewer import SCOPES, Role

ADMIN = "admin"
FIRST_TOKEN_DAYS = 7
DEMO_PASSWORD = "schedlab-demo"
_DEMO_ACCOUNTS = (
    Account(ADMIN, Role.ADMIN),
    Account("helpdesk", Role.SUPPORT),
    Account("leader", Role.MANAGER, frozenset({"group1"})),
    Account("ada", Role.USER),
    Account("boole", Role.USER),
)


def first_admin_token(connection: Connection) -> str | None:
    """Add an administrator if there is no account yet, and return the token to log in with."""
    if list_accounts(connection):
        return None
    put_account(connection, Account(ADMIN, Role.ADMIN))
    return add_token(
        connection, "first run", account=ADMIN, scopes=SCOPES[Role.ADMIN], days=FIRST_TOKEN_DAYS
    )


def put_demo_accounts(connection: Connection) -> list[Account]:
    """Add and return accounts of each role, all with ``DEMO_PASSWORD``, which everyone knows."""
    for account in _DEMO_ACCOUNTS:
        put_account(connection, account, DEMO_PASSWORD)
    return list(_DEMO_ACCOUNTS)
