"""Random secrets that are given out once, and the digests under which they are kept."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256


def new_secret() -> str:
    """256 random bits, as text that may stand in a URL."""
    return secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """Return the key it is kept under; a plain hash is enough for 256 random bits."""
    return sha256(secret.encode()).hexdigest()


def form_token(secret: str) -> str:
    """What a form must send back to show that our page made it, for the holder of the secret.

    It differs each time, so that pages which are compressed give nothing of it away.
    """
    salt = secrets.token_hex(16)
    return f"{salt}.{_signature(secret, salt)}"


def is_form_token(token: str, secret: str) -> bool:
    """Whether the token was made for the holder of the secret."""
    salt, _, signature = token.partition(".")
    expected = _signature(secret, salt)
    return bool(secret) and hmac.compare_digest(signature.encode(), expected.encode())


def _signature(secret: str, salt: str) -> str:
    return hmac.digest(secret.encode(), f"form {salt}".encode(), "sha256").hex()
