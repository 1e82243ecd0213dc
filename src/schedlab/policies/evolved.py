"""Policies of a dozen numbers: weights for the head of the queue and for backfilling."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schedlab import _core
from schedlab.atomic import atomic_write
from schedlab.errors import InputError, SchedlabError
from schedlab.policies.features import FEATURES, Weights, formula
from schedlab.policies.network import Network, NetworkPolicy, network_of
from schedlab.policies.orders import native_order
from schedlab.sections import parse_toml, reject_unknown_keys, require_number
from schedlab.workload.readers import Source

_PARTS = {
    "head": "the order of the queue, whose first job that does not fit is promised a start",
    "backfill": "the order in which jobs are tried that do not delay it",
}


@dataclass(frozen=True)
class Priority:
    """EASY with a linear order of the queue, and another of the candidates for backfilling.

    With a ``max_priority_gap``, jobs whose score in the queue exceeds the head's by more are not
    backfilled, even where they would fit.
    """

    name: str
    head: Weights
    backfill: Weights
    provenance: Mapping[str, Any] = field(default_factory=dict)
    max_priority_gap: float | None = field(default=None, kw_only=True)

    def policy(self) -> EvolvedPolicy:
        """Return a new policy, for one simulation at a time."""
        return EvolvedPolicy(self)

    def formulas(self) -> dict[str, str]:
        """Return the two scores as Python expressions; of each the smallest goes first."""
        return {part: formula(getattr(self, part)) for part in _PARTS}


class EvolvedPolicy(_core.Easy):
    """The policy that a ``Priority`` describes."""

    def __init__(self, priority: Priority, name: str = "evolved") -> None:
        """Order the queue and the candidates by its weights."""
        orders = (native_order("linear", **each) for each in (priority.head, priority.backfill))
        super().__init__(next(orders), None, next(orders), priority.max_priority_gap)
        self.name = name


def evolved_policy(path: str | Path, name: str = "") -> EvolvedPolicy | NetworkPolicy:
    """Return the policy in a file that was written by ``schedlab learn evolve`` or by hand."""
    found, name = read_evolved(path), name or f"evolved:{path}"
    return EvolvedPolicy(found, name) if isinstance(found, Priority) else NetworkPolicy(found, name)


def read_evolved(path: str | Path) -> Priority | Network:
    """Return the priority in a TOML file, or the network if the file has units."""
    document = parse_toml(path, Source.load(path).decoded())
    try:
        return network_of(document) if "unit" in document else _priority(document)
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


def read_priority(path: str | Path) -> Priority:
    """Return the priority in a TOML file."""
    found = read_evolved(path)
    if not isinstance(found, Priority):
        raise InputError.at(path, None, "is a network; a priority has [head] and [backfill]")
    return found


def _priority(document: Mapping[str, Any]) -> Priority:
    reject_unknown_keys(
        document, ("name", "max_priority_gap", *_PARTS, "provenance"), "the priority"
    )
    name, provenance = document.get("name"), document.get("provenance", {})
    if not isinstance(name, str):
        raise InputError(f"name is {name!r}; must be a text")
    if not isinstance(provenance, Mapping):
        raise InputError(f"provenance is {provenance!r}; must be a section")
    head, backfill = (_weights(document.get(part), f"[{part}]") for part in _PARTS)
    gap = _gap(document.get("max_priority_gap"))
    return Priority(name, head, backfill, provenance, max_priority_gap=gap)


def _gap(given: Any) -> float | None:
    if given is None:
        return None
    gap = require_number(given, "max_priority_gap")
    if gap < 0:
        raise InputError(f"max_priority_gap is {gap:g}; must be >= 0")
    return gap


def _weights(given: Any, where: str) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is {given!r}; must be a section of weights")
    reject_unknown_keys(given, FEATURES, where)
    return {key: require_number(value, f"{where}: {key}") for key, value in given.items()}


def write_priority(path: str | Path, priority: Priority) -> None:
    """Write the file, whole or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text("\n".join(_lines(priority)) + "\n", encoding="utf-8")


def _lines(priority: Priority) -> Iterator[str]:
    yield "# A job's score is the sum of weight x feature; the smallest goes first."
    yield f"name = {json.dumps(priority.name, ensure_ascii=False)}"
    if priority.max_priority_gap is not None:
        line = f"max_priority_gap = {priority.max_priority_gap}"
        yield f"{line:<30}# jobs further behind the head are not backfilled"
    for part, what in _PARTS.items():
        yield f"\n[{part}]  # {what}"
        for name, weight in getattr(priority, part).items():
            yield f"{f'{name} = {weight}':<30}# {FEATURES[name].expression}"
    if priority.provenance:
        yield "\n[provenance]"
        yield from (f"{key} = {_toml(value)}" for key, value in priority.provenance.items())


def _toml(value: Any) -> str:
    """Return a text, number or list as TOML, which writes them as JSON does.

    A mapping becomes one line.
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
