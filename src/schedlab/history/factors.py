"""What a kilowatt-hour emits, and what use costs, over time: ``[carbon]``, ``[service.cost]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from schedlab.errors import InputError, ParameterError
from schedlab.sections import build

_CHANGE = "change"


@dataclass(frozen=True, kw_only=True)
class CarbonSection:
    """``[carbon]``: what a kilowatt-hour emits; a ``[[carbon.change]]`` has the same keys.

    Args:
        gram_per_kwh: grams of CO2 equivalent.
        source: the source of the figure.
        since: the day from which a change holds, such as ``2026-07-01``.
    """

    gram_per_kwh: float
    source: str
    since: str | None = None

    def __post_init__(self) -> None:
        _check_day(self.since)
        _check(gram_per_kwh=self.gram_per_kwh)


@dataclass(frozen=True, kw_only=True)
class CostSection:
    """``[service.cost]``: what use costs; a ``[[service.cost.change]]`` has the same keys.

    Args:
        currency: the currency of the prices.
        node_hour: what an hour of a node costs.
        gpu_hour: what an hour of a GPU costs, beside that of its node.
        kwh: what a kilowatt-hour costs.
        since: the day from which a change holds, such as ``2026-07-01``.
    """

    currency: str
    node_hour: float = 0.0
    gpu_hour: float = 0.0
    kwh: float = 0.0
    since: str | None = None

    def __post_init__(self) -> None:
        _check_day(self.since)
        _check(node_hour=self.node_hour, gpu_hour=self.gpu_hour, kwh=self.kwh)


F = TypeVar("F", CarbonSection, CostSection)
Factors = Callable[[float], F]
"""The section that holds at a moment, which is given in epoch seconds."""


def read_factors(section: type[F], given: Any, where: str) -> Factors[F]:
    """Return the section with its changes; a change keeps the values that it does not name."""
    if not isinstance(given, Mapping):
        build(section, given, f"[{where}]")
    own = {key: value for key, value in given.items() if key != _CHANGE}
    found = [build(section, own, f"[{where}]")]
    inside = f"[[{where}.{_CHANGE}]]"
    changes = given.get(_CHANGE, [])
    if not isinstance(changes, list) or not all(isinstance(each, Mapping) for each in changes):
        raise InputError(f"write {inside} with double brackets, once for each")
    for each in changes:
        if "since" not in each:
            raise InputError(f"{inside} lacks the key since")
        own = {**own, **each}
        found.append(build(section, own, inside))
    _check_order(found, inside)
    return _Held(tuple(found))


@dataclass(frozen=True)
class _Held:
    """Factors in the order of the days from which they hold."""

    factors: tuple[Any, ...]

    def __call__(self, epoch_s: float) -> Any:
        return next(e for e in reversed(self.factors) if _since_s(e.since) <= epoch_s)


def _since_s(day: str | None) -> float:
    return -1e18 if day is None else datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def _check_day(day: str | None) -> None:
    try:
        _since_s(day)
    except ValueError:
        raise ParameterError(f'since is "{day}"; must be a day such as 2026-07-01') from None


def _check_order(found: Sequence[Any], where: str) -> None:
    days = [_since_s(each.since) for each in found]
    if days != sorted(days):
        raise InputError(f"{where}: the days of since must follow each other")


def _check(**values: float) -> None:
    for key, value in values.items():
        if value < 0:
            raise ParameterError(f"{key} is {value:g}; must be >= 0")
