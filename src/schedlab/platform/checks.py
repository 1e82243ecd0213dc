"""Checks of the descriptions of machines."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

from schedlab.errors import PlatformError
from schedlab.units import LARGEST


def require_count(what: str, value: Any, least: int = 0) -> None:
    """Refuse anything but a whole number of at least ``least``."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not least <= value <= LARGEST:
        raise PlatformError(f"{what} is {value!r}; must be a whole number >= {least}")


def require_positive(what: str, value: Any) -> None:
    """Refuse anything but a number above 0."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0 < value < inf):
        shown = f"{value:g}" if number else repr(value)
        raise PlatformError(f"{what} is {shown}; must be > 0")


def require_name(what: str, value: Any) -> None:
    """Refuse anything but a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise PlatformError(f"{what} is {value!r}; must be a text")


def require_word(what: str, value: Any) -> None:
    """Refuse anything but a text without the signs that separate what jobs ask for."""
    require_name(what, value)
    if any(sign in value for sign in ":+,"):
        raise PlatformError(f"{what} is {value!r}; must have none of : + ,")


def require_unlike(what: str, names: Iterable[str]) -> None:
    """Refuse a name that comes twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PlatformError(f'two {what} "{name}"')
        seen.add(name)
