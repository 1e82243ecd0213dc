"""A token for slurmrestd: from a file that only its owner can read, and never shown."""

from __future__ import annotations

import base64
import binascii
import json
import os
import stat
import time
from pathlib import Path
from shlex import quote

from schedlab.command_files import input_file
from schedlab.errors import InputError

_OTHERS = 0o077
_LONGEST = 16_384
"""Maximum size in bytes; slurmctld's own tokens have some hundred."""


def read_token(path: Path) -> str:
    """Return the token of a file; InputError if others can reach it, or it has expired."""
    try:
        with input_file(path).open("rb") as file:
            found = os.fstat(file.fileno())
            text = file.read(_LONGEST + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    mode = stat.S_IMODE(found.st_mode)
    if mode & _OTHERS:
        remedy = f"chmod 600 {quote(str(path))}"
        raise InputError(f"{path}: has mode {mode:03o}, others can reach it; run: {remedy}")
    if os.geteuid() and found.st_uid not in (os.geteuid(), 0):
        raise InputError(f"{path}: belongs to another account, which can change it")
    token = text.decode("ascii", errors="replace").strip().removeprefix("SLURM_JWT=")
    if not token or len(text) > _LONGEST or not token.isascii() or not token.isprintable():
        raise InputError(f"{path}: is not a token; make one with: scontrol token")
    until = _expires(token)
    if until is not None and until <= time.time():
        clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(until))
        raise InputError(f"{path}: the token has expired at {clock}; make one with: scontrol token")
    return token


def _expires(token: str) -> float | None:
    """Return when a token expires.

    None if the token does not say. Only Slurm can check whether it is genuine.
    """
    body = token.split(".")[1:2]
    try:
        claims = json.loads(base64.urlsafe_b64decode("".join(body) + "=="))
        return float(claims["exp"])
    except (binascii.Error, ValueError, KeyError, TypeError):
        return None
