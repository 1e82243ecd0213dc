"""Whole numbers, durations and amounts of memory as people write them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from operator import index
from typing import SupportsIndex

from schedlab.errors import ParameterError

_LONGEST_FIRST = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_BYTES = {"b": 1, **{f"{p}b": 1000**n for n, p in enumerate("kmgtp", 1)}}
_BYTES |= {f"{p}ib": 1024**n for n, p in enumerate("kmgtp", 1)}
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


LARGEST = 2**53
"""Larger whole numbers are refused: a double cannot represent every one of them."""


def parse_whole(text: str, least: int = 0) -> int | None:
    """Return the whole number in the text.

    None if there is none, or one below ``least`` or too large.
    """
    digits = text.strip().lstrip("0") or text.strip()
    if not digits.isdecimal() or len(digits) > len(str(LARGEST)):
        return None
    return int(digits) if least <= int(digits) <= LARGEST else None


def require_whole(what: str, value: SupportsIndex, least: int = 0, most: int = LARGEST) -> int:
    """Return the value as an int; NumPy's integers are accepted.

    Refuse other types, and values out of range.
    """
    try:
        found = index(value)
    except TypeError:
        raise ParameterError(f"{what} is {value!r}; must be a whole number") from None
    if not least <= found <= most:
        allowed = f">= {least}" if found < least else f"<= {most:,}"
        both = f"from {least:,} to {most:,}"
        raise ParameterError(f"{what} is {found}; must be {allowed if most == LARGEST else both}")
    return found


def require_between(what: str, value: float, least: float, most: float) -> float:
    """Return the number; refuse one out of range, and what is not a number."""
    try:
        if least <= value <= most:
            return float(value)
    except TypeError:
        pass
    raise ParameterError(f"{what} is {value!r}; must be a number from {least:g} to {most:g}")


def parse_duration(text: str) -> int:
    """Return seconds in ``"90"``, ``"90s"``, ``"10m"``, ``"1.5h"``, ``"2d"`` or ``"1w"``."""
    seconds = _amount(text, _SECONDS, "s")
    if seconds is None:
        raise ParameterError(f'"{text}" is not a duration; write for example 90s, 10m, 1.5h or 2d')
    return seconds


def parse_bytes(text: str) -> int:
    """Return the bytes in ``"4096"``, ``"2GB"`` (10⁹ each) or ``"1.5 GiB"`` (2³⁰ each)."""
    count = _amount(text, _BYTES, "b")
    if count is None:
        raise ParameterError(f'"{text}" is not an amount of memory; write for example 2GB or 1GiB')
    return count


def short_bytes(count: float) -> str:
    """Write ``"12.2 MiB"``: three digits in the unit that suits, for tables and remarks."""
    for exponent, prefix in reversed(list(enumerate("KMGTPE", 1))):
        if count >= 1024**exponent:
            return f"{three_digits(count / 1024**exponent)} {prefix}iB"
    return f"{count:,.0f} B"


def format_duration(seconds: float) -> str:
    """Write ``"2d 03:04:05"``, as schedulers print times."""
    sign = "-" if seconds < 0 else ""
    whole = round(abs(seconds))
    days, rest = divmod(whole, 86400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{sign}{days}d {clock}" if days else f"{sign}{clock}"


def short_duration(seconds: float) -> str:
    """Write ``"5.21 h"``: three digits in the unit that suits, for tables."""
    length, unit = next((each for each in _LONGEST_FIRST if abs(seconds) >= each[0]), (1, "s"))
    return f"{three_digits(seconds / length)} {unit}"


def whole_duration(seconds: int) -> str:
    """Write ``"72 h"``, ``"30 min"`` or ``"100 s"``: exact, in the largest unit that fits."""
    length, unit = next(each for each in _LONGEST_FIRST[1:] if seconds % each[0] == 0)
    return f"{seconds // length:,} {unit}"


def three_digits(value: float) -> str:
    """Write ``"0.0365"``, ``"1.12"``, ``"27.6"``, ``"66,502"``."""
    if value == 0 or not 0.001 <= abs(value) < 1e9:
        return f"{value:.3g}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def _amount(text: str, units: Mapping[str, int], usual: str) -> int | None:
    """Return the amount in the base unit; None if the text is no amount or is too large.

    Without a unit, ``usual`` counts.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    unit = match[2] or usual if match else ""
    amount = float(match[1]) * units[unit] if match and unit in units else math.inf
    return round(amount) if amount <= LARGEST else None
