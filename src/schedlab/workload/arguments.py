"""Values as people write them on a command line."""

from __future__ import annotations

import math
from collections.abc import Callable

from schedlab.errors import ParameterError
from schedlab.units import parse_whole


def whole_number(text: str) -> int:
    """Read ``"1000"``."""
    value = parse_whole(text)
    if value is None:
        raise ParameterError(f'"{text}" is not a whole number >= 0 and <= 2^53')
    return value


def number(text: str) -> float:
    """Read ``"0.5"``."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError(f'"{text}" is not a number')
    return value


def integers(text: str) -> list[int]:
    """Read ``"1"`` or ``"1,0"``; negative numbers too, as -1 is the archives' "unknown"."""
    values = []
    for word in text.split(","):
        value = parse_whole(word.strip().removeprefix("-"))
        if value is None:
            raise ParameterError(f'"{text}" is not a list of integers')
        values.append(-value if word.strip().startswith("-") else value)
    return values


def words(text: str) -> list[str]:
    """Read ``"3,7"``."""
    listed = [word.strip() for word in text.split(",")]
    if not all(listed):
        raise ParameterError(f'"{text}" is not a list of names')
    return listed


def switch(text: str) -> bool:
    """Read ``"true"`` or ``"false"``."""
    if text.lower() not in ("true", "false"):
        raise ParameterError(f'"{text}" is neither true nor false')
    return text.lower() == "true"


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a function that accepts only these words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ParameterError(f'"{text}"; must be {" or ".join(choices)}')
        return text

    return parse
