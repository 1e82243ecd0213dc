"""Sessions: who has logged in with a browser, until when."""

from __future__ import annotations

import time

from sqlalchemy import Connection, delete, insert, select

from schedlab.history.store.access_tables import sessions
from schedlab.history.web.access.accounts import Account, find_account
from schedlab.history.web.access.credentials import digest_of, new_secret


def begin_session(connection: Connection, account: str, lifetime_s: float) -> str:
    """The secret of a new session, for a cookie; sessions that are over are forgotten."""
    secret, now_s = new_secret(), time.time()
    connection.execute(delete(sessions).where(sessions.c.expires_s <= now_s))
    row = {"digest": digest_of(secret), "account": account, "expires_s": now_s + lifetime_s}
    connection.execute(insert(sessions).values(row))
    return secret


def session_account(connection: Connection, secret: str) -> Account | None:
    """Whose session it is, if it is one and not over."""
    statement = select(sessions.c.account).where(
        sessions.c.digest == digest_of(secret), sessions.c.expires_s > time.time()
    )
    name = connection.execute(statement).scalar()
    account = None if name is None else find_account(connection, name)
    return account if account is not None and account.enabled else None


def end_session(connection: Connection, secret: str) -> None:
    """Log out."""
    connection.execute(delete(sessions).where(sessions.c.digest == digest_of(secret)))
