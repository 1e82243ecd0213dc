"""Parts that the commands on accounts and tokens share."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from typer import Option

from schedlab.cli.store_place import StoreLocation, require_service

FromStdin = Annotated[
    bool,
    Option("--password-stdin", help="Read the password from standard input."),
]


def access(place: StoreLocation) -> AbstractContextManager[Any]:
    """Return a transaction on the accounts of the store."""
    require_service()
    from schedlab.history.web.database import changing

    return changing(place.url())


def read_password(from_stdin: bool) -> str:
    """Prompt for a new password twice, without echo, or read the first line of standard input."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return password


def day(epoch_s: float) -> str:
    """Return a date, for tables."""
    return f"{datetime.fromtimestamp(epoch_s, UTC):%Y-%m-%d}"
