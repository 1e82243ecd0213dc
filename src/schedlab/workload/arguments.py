"""Values as people write them on a command line."""

from __future__ import annotations

from collections.abc import Callable

from schedlab.errors import ParameterError


def whole_number(text: str) -> int:
    """``"1000"``."""
    if not text.strip().isdecimal():
        raise ParameterError(f'"{text}" is not a whole number >= 0')
    return int(text)


def number(text: str) -> float:
    """``"0.5"``."""
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f'"{text}" is not a number') from None


def integers(text: str) -> list[int]:
    """``"1"`` or ``"1,0"``; negative numbers too, as -1 is the archives' "unknown"."""
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise ParameterError(f'"{text}" is not a list of integers') from None


def words(text: str) -> list[str]:
    """``"3,7"``."""
    listed = [word.strip() for word in text.split(",")]
    if not all(listed):
        raise ParameterError(f'"{text}" is not a list of names')
    return listed


def switch(text: str) -> bool:
    """``"true"`` or ``"false"``."""
    if text.lower() not in ("true", "false"):
        raise ParameterError(f'"{text}" is neither true nor false')
    return text.lower() == "true"


def one_of(*choices: str) -> Callable[[str], str]:
    """One of these words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ParameterError(f'"{text}"; must be {" or ".join(choices)}')
        return text

    return parse
