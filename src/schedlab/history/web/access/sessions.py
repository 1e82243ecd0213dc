"""Sessions: who has logged in with a browser, until when."""

from __future__ import annotations

import hmac
import secrets
import time
from hashlib import sha256

from fastapi import Request
from sqlalchemy import Connection, delete, insert, select
from starlette.responses import Response

from schedlab.history.store.access_tables import sessions
from schedlab.history.web.access.accounts import Account, find_account


def begin_session(connection: Connection, account: str, lifetime_s: float) -> str:
    """Return the secret of a new session, for a cookie, and delete expired sessions."""
    secret, now_s = new_secret(), time.time()
    connection.execute(delete(sessions).where(sessions.c.expires_s <= now_s))
    row = {"digest": digest_of(secret), "account": account, "expires_s": now_s + lifetime_s}
    connection.execute(insert(sessions).values(row))
    return secret


def session_account(connection: Connection, secret: str) -> Account | None:
    """Return the account of the session, if there is such a session and it has not expired."""
    statement = select(sessions.c.account).where(
        sessions.c.digest == digest_of(secret), sessions.c.expires_s > time.time()
    )
    name = connection.execute(statement).scalar()
    account = None if name is None else find_account(connection, name)
    return account if account is not None and account.enabled else None


def end_session(connection: Connection, secret: str) -> None:
    """End the session with this secret."""
    connection.execute(delete(sessions).where(sessions.c.digest == digest_of(secret)))


def new_secret() -> str:
    """Return 256 random bits, as text that may stand in a URL."""
    return secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """Return the key that a secret is stored under; a plain hash is enough for 256 random bits."""
    return sha256(secret.encode()).hexdigest()


def form_token(secret: str) -> str:
    """Return the token by which a form shows that our page made it for this secret's holder.

    The token differs each time, so that compressed pages reveal nothing of it.
    """
    salt = secrets.token_hex(16)
    return f"{salt}.{_signature(secret, salt)}"


def is_form_token(token: str, secret: str) -> bool:
    """Return whether the token was made for the holder of the secret."""
    salt, _, signature = token.partition(".")
    expected = _signature(secret, salt)
    return bool(secret) and hmac.compare_digest(signature.encode(), expected.encode())


def _signature(secret: str, salt: str) -> str:
    return hmac.digest(secret.encode(), f"form {salt}".encode(), "sha256").hex()


SESSION = "schedlab_session"
FORM = "schedlab_form"
"""The cookie that ties a form to the browser that loaded it, if there is no session."""


def set_cookie(
    request: Request, response: Response, name: str, value: str, lifetime_s: float | None = None
) -> None:
    """Set a cookie for the service's paths only, and for https only if the client uses https."""
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
    """Delete the cookie from the browser."""
    response.delete_cookie(
        name,
        path=_path(request),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def form_secret(request: Request) -> str:
    """Return the secret to which forms of this browser are tied; empty if it sent no cookie."""
    return request.cookies.get(SESSION) or request.cookies.get(FORM) or ""


def new_form_token(request: Request) -> tuple[str, str | None]:
    """Return a token for the forms of a page, and the cookie that must be set with it, if any."""
    secret = form_secret(request)
    if secret:
        return form_token(secret), None
    secret = new_secret()
    return form_token(secret), secret


def _path(request: Request) -> str:
    return request.scope.get("root_path") or "/"
