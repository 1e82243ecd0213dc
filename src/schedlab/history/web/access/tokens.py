"""API tokens: what programs show in place of a password."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.store.access_tables import tokens
from schedlab.history.web.access.accounts import Account, find_account, require_account
from schedlab.history.web.access.sessions import digest_of, new_secret
from schedlab.history.web.access.viewer import SCOPES, Role, Scope, Viewer

PREFIX = "schedlab_"
"""The prefix by which a token is recognised if it gets into a file or a log."""
DAY_S = 86_400
_NOTED_EVERY_S = 600


@dataclass(frozen=True, kw_only=True)
class Token:
    """The description of a token: everything but its secret.

    Args:
        id: the id by which it can be withdrawn.
        name: what it is for.
        account: its owner; None for a program's own token, which has the role ``api``.
        scopes: what it may be used for.
        created_s: when it was made, in epoch seconds.
        expires_s: when it expires; None for never.
        used_s: when it was last used, give or take ten minutes.
    """

    id: str
    name: str
    account: str | None
    scopes: frozenset[Scope]
    created_s: float
    expires_s: float | None
    used_s: float | None = None

    @property
    def was_used_lately(self) -> bool:
        """Whether its use was noted so recently that it need not be noted again."""
        return self.used_s is not None and self.used_s >= time.time() - _NOTED_EVERY_S


def add_token(
    connection: Connection,
    name: str,
    *,
    account: str | None = None,
    scopes: Collection[Scope] = (Scope.READ,),
    days: float | None = None,
) -> str:
    """Return a new token; only its digest is stored, so it can be shown only this once."""
    role = Role.API if account is None else require_account(connection, account).role
    if not name.strip() or not scopes:
        raise ParameterError("a token must have a name and at least one scope")
    if days is not None and days <= 0:
        raise ParameterError(f"the token is good for {days:g} days; must be > 0")
    for scope in scopes:
        if scope not in SCOPES[role]:
            raise UnknownNameError(f'scope of the role "{role}":', scope, SCOPES[role])
    secret, now_s = PREFIX + new_secret(), time.time()
    token = Token(
        id=secrets.token_hex(4),
        name=name.strip(),
        account=account,
        scopes=frozenset(scopes),
        created_s=now_s,
        expires_s=None if days is None else now_s + days * DAY_S,
    )
    row = {**asdict(token), "scopes": " ".join(sorted(token.scopes)), "digest": digest_of(secret)}
    connection.execute(insert(tokens).values(row))
    return secret


def find_token(connection: Connection, secret: str) -> Token | None:
    """Return the token with this secret, if there is one and it has not expired."""
    for token in _found(connection, tokens.c.digest == digest_of(secret)):
        if token.expires_s is None or token.expires_s > time.time():
            return token
    return None


def token_viewer(connection: Connection, token: Token) -> Viewer | None:
    """Return the viewer who uses this token; None if the account is gone or disabled."""
    if token.account is None:
        return Viewer(Role.API, scopes=token.scopes, by_token=True)
    account = find_account(connection, token.account)
    if account is None or not account.enabled:
        return None
    return Viewer(account.role, account.name, account.groups, token.scopes, by_token=True)


def account_with_token(connection: Connection, name: str, secret: str) -> Account | None:
    """Return the account that may log in with this token: an administrator's without a password.

    The token must have all scopes: one with fewer would become a session, which can make tokens.
    """
    token, account = find_token(connection, secret), find_account(connection, name)
    if token is None or account is None or token.account != name:
        return None
    is_whole = account.role is Role.ADMIN and token.scopes >= SCOPES[Role.ADMIN]
    return account if is_whole and account.enabled and not account.has_password else None


def note_use(connection: Connection, token: Token) -> None:
    """Note that the token was used now."""
    this = tokens.c.id == token.id
    connection.execute(update(tokens).where(this).values(used_s=time.time()))


def list_tokens(connection: Connection, account: str | None = None) -> list[Token]:
    """Return all tokens, or those of an account, in the order in which they were made."""
    return _found(connection, *([] if account is None else [tokens.c.account == account]))


def revoke_token(connection: Connection, token_id: str, account: str | None = None) -> None:
    """Withdraw a token; if an account is given, only a token of that account."""
    known = [each.id for each in list_tokens(connection, account)]
    if token_id not in known:
        raise UnknownNameError("token", token_id, known)
    connection.execute(delete(tokens).where(tokens.c.id == token_id))


def _found(connection: Connection, *conditions: ColumnElement[bool]) -> list[Token]:
    names = ("id", "name", "account", "scopes", "created_s", "expires_s", "used_s")
    statement = select(*(tokens.c[name] for name in names)).where(*conditions)
    rows = connection.execute(statement.order_by(tokens.c.created_s, tokens.c.id)).mappings()
    return [Token(**_with_scopes(dict(row))) for row in rows]


def _with_scopes(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "scopes": frozenset(map(Scope, row["scopes"].split()))}
