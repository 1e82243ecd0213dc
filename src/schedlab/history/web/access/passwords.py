"""Passwords, kept as argon2id makes them."""

from __future__ import annotations

from functools import cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

LEAST_LENGTH, MOST_LENGTH = 10, 1_000
# One verification takes 64 MiB: as many at once as a stranger likes would take all there is.
_TURN = BoundedSemaphore(2)


def hash_password(password: str) -> str:
    """What is kept of a new password."""
    if not LEAST_LENGTH <= len(password) <= MOST_LENGTH:
        raise ParameterError(
            f"the password has {len(password)} characters; must have {LEAST_LENGTH} or more"
        )
    with _TURN:
        return _hasher().hash(password)


def is_password(password: str, kept: str | None) -> bool:
    """Whether it is that password; where none is kept, the answer takes as long."""
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
