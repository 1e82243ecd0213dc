"""Where results go, asked and checked before the work begins."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

from typer import Option

from schedlab.errors import MissingExtraError

AsJson = Annotated[bool, Option("--json", help="Print JSON and nothing else.")]


def require_package(name: str, extra: str) -> None:
    """Refuse at once what needs a package that is not installed."""
    if find_spec(name) is None:
        raise MissingExtraError(name, extra)
