"""Durations as people write them."""

from __future__ import annotations

import re

from schedlab.errors import ParameterError

_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


def parse_duration(text: str) -> int:
    """Seconds in ``"90"``, ``"90s"``, ``"10m"``, ``"1.5h"``, ``"2d"`` or ``"1w"``."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    unit = match[2] or "s" if match else ""
    if not match or unit not in _SECONDS:
        raise ParameterError(f'"{text}" is not a duration; write for example 90s, 10m, 1.5h or 2d')
    return round(float(match[1]) * _SECONDS[unit])


def format_duration(seconds: float) -> str:
    """``"2d 03:04:05"``, as schedulers print times."""
    sign = "-" if seconds < 0 else ""
    whole = round(abs(seconds))
    days, rest = divmod(whole, 86400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{sign}{days}d {clock}" if days else f"{sign}{clock}"
