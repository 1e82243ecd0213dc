"""Faults of an input, each reported once and with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError


@dataclass(frozen=True)
class Fault:
    """Something in the input that could not be used, with its place; reading goes on after it."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def faults_of(error: ValidationError, where: str, root: str = "$") -> Iterator[Fault]:
    """Yield one fault for each thing the models refused, named by its path in the JSON document."""
    for each in error.errors(include_url=False):
        place = (*each["loc"], *_item(each))
        yield Fault(f"{where}: {root}{json_path(place)}", _sentence(each))


def json_path(place: tuple[str | int, ...]) -> str:
    """Return the place of a value below the root, such as ``.per_host[2].power_watt_avg``."""
    steps = list(place)
    if "timelines" in steps:
        at = steps.index("timelines")
        steps[at : at + 3] = [_flat(steps[at + 1 : at + 3])]
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def _flat(timeline: list[str | int]) -> str:
    item, *field = (str(step) for step in timeline)
    return item if field in ([], ["uri"]) else f"{item}_{field[0]}"


def _item(error: Any) -> tuple[str, ...]:
    return (error["ctx"]["item"],) if error["type"] == "inconsistent" else ()


def _sentence(error: Any) -> str:
    if error["type"] == "missing":
        return "is missing; it is required"
    if error["type"] == "inconsistent":
        return str(error["msg"])
    reason = str(error["msg"]).removeprefix("Value error, ")
    return f"is {_short(error['input'])}: {reason[:1].lower()}{reason[1:]}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
