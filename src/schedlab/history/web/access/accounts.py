"""Accounts: who may log in, and in which role."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select, update

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.store.access_tables import account_groups, accounts, sessions
from schedlab.history.web.access.passwords import hash_password, is_password
from schedlab.history.web.access.viewer import Role, Viewer

_NAME = re.compile(r"[\w.@+-]{1,128}")
ACCOUNT_ROLES = (Role.USER, Role.MANAGER, Role.SUPPORT, Role.ADMIN)


class Origin(StrEnum):
    """What vouches for the owner of an account."""

    LOCAL = "local"
    OIDC = "oidc"


@dataclass(frozen=True)
class Account:
    """A person who may log in.

    Args:
        name: their name, as in the ``user_identifier`` of jobs.
        role: their role at the site.
        groups: the accounting groups that a manager sees.
        origin: what vouches for them.
        enabled: whether they may log in at present.
        has_password: whether they may log in with a password.
    """

    name: str
    role: Role
    groups: frozenset[str] = frozenset()
    origin: Origin = Origin.LOCAL
    enabled: bool = True
    has_password: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ParameterError(
                f'account "{self.name}": must be of letters, digits and any of . _ @ + -'
            )
        if self.role not in ACCOUNT_ROLES:
            raise UnknownNameError("role of an account", self.role, ACCOUNT_ROLES)
        if self.groups and self.role is not Role.MANAGER:
            raise ParameterError(f'account "{self.name}": only a manager has groups')

    @property
    def viewer(self) -> Viewer:
        """The account's owner as a viewer."""
        return Viewer(self.role, self.name, self.groups)


def put_account(connection: Connection, account: Account, password: str | None = None) -> None:
    """Add the account, or change the one of that name; without a password, keep the old one."""
    row: dict[str, Any] = {
        "role": account.role,
        "origin": account.origin,
        "enabled": account.enabled,
    }
    if password is not None:
        row["password"] = hash_password(password)
    this = accounts.c.name == account.name
    if connection.execute(update(accounts).where(this).values(row)).rowcount == 0:
        new = {"name": account.name, "created_s": time.time(), **row}
        connection.execute(insert(accounts).values(new))
    connection.execute(delete(account_groups).where(account_groups.c.account == account.name))
    for group in sorted(account.groups):
        connection.execute(
            insert(account_groups).values(account=account.name, accounting_group=group)
        )
    if password is not None or not account.enabled:
        connection.execute(delete(sessions).where(sessions.c.account == account.name))


def remove_account(connection: Connection, name: str) -> None:
    """Remove the account with its sessions and tokens."""
    if connection.execute(delete(accounts).where(accounts.c.name == name)).rowcount == 0:
        raise _unknown(connection, name)


def find_account(connection: Connection, name: str) -> Account | None:
    """Return the account of that name, if there is one."""
    return next(_found(connection, _chosen().where(accounts.c.name == name)), None)


def require_account(connection: Connection, name: str) -> Account:
    """Return the account of that name; for administrators, who may know which names exist."""
    account = find_account(connection, name)
    if account is None:
        raise _unknown(connection, name)
    return account


def list_accounts(connection: Connection) -> list[Account]:
    """Return all accounts, by name."""
    return list(_found(connection, _chosen().order_by(accounts.c.name)))


def account_with_password(connection: Connection, name: str, password: str) -> Account | None:
    """Return the account that may log in with this password; if there is none, take as long."""
    statement = select(accounts.c.password).where(accounts.c.name == name)
    kept = connection.execute(statement).scalar()
    account = find_account(connection, name)
    is_right = is_password(password, kept)
    return account if is_right and account is not None and account.enabled else None


def _unknown(connection: Connection, name: str) -> UnknownNameError:
    return UnknownNameError("account", name, (each.name for each in list_accounts(connection)))


def _chosen() -> Select[Any]:
    return select(
        accounts.c.name,
        accounts.c.role,
        accounts.c.origin,
        accounts.c.enabled,
        accounts.c.password.is_not(None),
    )


def _found(connection: Connection, statement: Select[Any]) -> Iterator[Account]:
    rows = connection.execute(statement).all()
    of_each: dict[str, set[str]] = {row[0]: set() for row in rows}
    groups = select(account_groups).where(account_groups.c.account.in_(list(of_each)))
    for name, group in connection.execute(groups):
        of_each[name].add(group)
    return (
        Account(name, Role(role), frozenset(of_each[name]), Origin(origin), enabled, has_password)
        for name, role, origin, enabled, has_password in rows
    )
