"""The ways to backfill, and what each can be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from schedlab import _core
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.policies.orders import ORDERS


@dataclass(frozen=True)
class Parameter:
    """One parameter of a policy: how its text is read and what it means."""

    parse: Callable[[str], Any]
    meaning: str


@dataclass(frozen=True)
class BackfillEntry:
    """One line of the table of ways to backfill."""

    sentence: str
    reference: str
    parameters: Mapping[str, Parameter]
    build: Callable[..., _core.Policy]


def native_order(name: str) -> _core.Order:
    """The order of that name."""
    order = _core.make_order(name)
    if order is None:
        raise UnknownNameError("order", name, ORDERS)
    return order


def positive(text: str) -> int:
    """An integer of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(f'"{text}"; must be an integer >= 1')
    return int(text)


def yes_or_no(text: str) -> bool:
    """``true`` or ``false``."""
    if text not in ("true", "false"):
        raise ParameterError(f'"{text}"; must be true or false')
    return text == "true"


def _easy(
    order: _core.Order, *, depth: int | None = None, backfill: _core.Order | None = None
) -> _core.Policy:
    return _core.Easy(order, depth, backfill)


def _conservative(
    order: _core.Order, *, depth: int | None = None, rebuild: bool = False
) -> _core.Policy:
    kind = _core.ConservativeRebuild if rebuild else _core.Conservative
    return kind(order, depth)


DEPTH = Parameter(positive, "a pass considers so many jobs of the queue; all by default")

BACKFILLS: dict[str, BackfillEntry] = {
    "none": BackfillEntry(
        "The first job that does not fit blocks.",
        "textbook",
        {"depth": DEPTH},
        _core.NoBackfill,
    ),
    "easy": BackfillEntry(
        "The head is promised a start; others may start if they do not delay it.",
        "Lifka, JSSPP 1995; Mu'alem & Feitelson, IEEE TPDS 2001; backfill=sjf: Tsafrir, Etsion & "
        "Feitelson, IEEE TPDS 2007",
        {
            "depth": DEPTH,
            "backfill": Parameter(native_order, "order in which candidates are tried; the queue's"),
        },
        _easy,
    ),
    "conservative": BackfillEntry(
        "Every considered job is promised a start; promises only move earlier.",
        "Mu'alem & Feitelson, IEEE TPDS 2001",
        {
            "depth": DEPTH,
            "rebuild": Parameter(yes_or_no, "plan everything anew at every pass; false"),
        },
        _conservative,
    ),
}
