"""The parameters of a policy, after the colon of its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from schedlab.errors import ParameterError
from schedlab.units import parse_duration, parse_whole


@dataclass(frozen=True)
class Parameter:
    """One parameter of a policy: how its text is read and what it means."""

    parse: Callable[[str], Any]
    meaning: str


Parameters = Mapping[str, Parameter]


def positive(text: str) -> int:
    """Return an integer of at least 1."""
    return _whole(text, 1)


def whole(text: str) -> int:
    """Return an integer of at least 0."""
    return _whole(text, 0)


def up_to(most: int) -> Callable[[str], int]:
    """Return a function that reads an integer from 1 to ``most``."""

    def parse(text: str) -> int:
        value = _whole(text, 1)
        if value > most:
            raise ParameterError(f'"{text}"; must be an integer >= 1 and <= {most}')
        return value

    return parse


def duration(text: str) -> int:
    """Return seconds in a duration such as ``2h``, at least 1."""
    seconds = parse_duration(text)
    if seconds < 1:
        raise ParameterError(f'"{text}"; must be a duration of at least 1s')
    return seconds


def yes_or_no(text: str) -> bool:
    """Read ``true`` or ``false``."""
    if text not in ("true", "false"):
        raise ParameterError(f'"{text}"; must be true or false')
    return text == "true"


def factor(text: str) -> float:
    """Return a number of at least 1; ``inf`` means no limit."""
    value = _number(text)
    if not value >= 1:
        raise ParameterError(f'"{text}"; must be a number >= 1 or inf')
    return value


def not_negative(text: str) -> float:
    """Return a number of at least 0; ``inf`` means no limit."""
    value = _number(text)
    if not value >= 0:
        raise ParameterError(f'"{text}"; must be a number >= 0 or inf')
    return value


def weight(text: str) -> float:
    """Return a number from 0 to below 1."""
    value = _number(text)
    if not 0 <= value < 1:
        raise ParameterError(f'"{text}"; must be a number >= 0 and < 1')
    return value


def number(text: str) -> float:
    """Return a number."""
    value = _number(text)
    if not math.isfinite(value):
        raise ParameterError(f'"{text}"; must be a number')
    return value


def ageing(text: str) -> float:
    """Return seconds in a duration such as ``7d``; ``inf`` means no end."""
    seconds = math.inf if text == "inf" else parse_duration(text)
    if seconds < 1:
        raise ParameterError(f'"{text}"; must be a duration of at least 1s or inf')
    return seconds


def _whole(text: str, least: int) -> int:
    value = parse_whole(text, least)
    if value is None:
        raise ParameterError(f'"{text}"; must be an integer >= {least} and <= 2^53')
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
