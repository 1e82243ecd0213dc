"""Passwords, stored as argon2id hashes."""

from __future__ import annotations

from functools import cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from argon2 import PasswordHasher
import time
from collections.abc import Iterator

from sqlalchemy import Connection, delete, insert, select

from schedlab.history.store.access_tables import login_failures

LEAST_LENGTH, MOST_LENGTH = 10, 1_000
# One verification takes 64 MiB: without a limit, a stranger could use up all the memory.
_TURN = BoundedSemaphore(2)


def hash_password(password: str) -> str:
    """Return the hash of a new password, which is stored in its place."""
    if not LEAST_LENGTH <= len(password) <= MOST_LENGTH:
        raise ParameterError(
            f"the password has {len(password)} characters; must have {LEAST_LENGTH} or more"
        )
    with _TURN:
        return _hasher().hash(password)


def is_password(password: str, kept: str | None) -> bool:
    """Return whether the password matches the stored hash; the check takes as long without one."""
    from argon2.exceptions import VerificationError

    with _TURN:
        try:
            _hasher().verify(kept or _nobodys(), password[:MOST_LENGTH])
        except VerificationError:
            return False
    return kept is not None


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobodys() -> str:
    return _hasher().hash("the password of no account")


# Someone who knows a name must not be able to lock its owner out elsewhere, or to try many names.
_FROM_ONE_ADDRESS, _FOR_ONE_ACCOUNT = 4, 10


def _limits(account: str, address: str, failures: int) -> Iterator[tuple[str, int]]:
    yield f"{account} from {address}", failures
    yield f"from {address}", failures * _FROM_ONE_ADDRESS
    yield f"{account}", failures * _FOR_ONE_ACCOUNT


def seconds_to_wait(
    connection: Connection, account: str, address: str, *, failures: int, window_s: float
) -> float:
    """Return how long this address must wait before it may try that account again; 0 if it may."""
    now_s, wait_s = time.time(), 0.0
    for who, most in _limits(account, address, failures):
        since = (login_failures.c.who == who) & (login_failures.c.at_s > now_s - window_s)
        earliest = select(login_failures.c.at_s).where(since).order_by(login_failures.c.at_s.desc())
        # The failure with which the limit was reached: once it is out of the window, there is room.
        at_s = connection.execute(earliest.offset(most - 1).limit(1)).scalar()
        if at_s is not None:
            wait_s = max(wait_s, at_s + window_s - now_s)
    return wait_s


def note_failure(connection: Connection, account: str, address: str, *, window_s: float) -> None:
    """Count a wrong password, and forget those that are out of every window."""
    now_s = time.time()
    connection.execute(delete(login_failures).where(login_failures.c.at_s <= now_s - window_s))
    rows = [{"who": who, "at_s": now_s} for who, _ in _limits(account, address, 1)]
    connection.execute(insert(login_failures), rows)
