"""A small network that orders the queue: the same weights for every job, on every machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schedlab import _core
from schedlab.atomic import atomic_write
from schedlab.errors import InputError
from schedlab.policies.features import Weights
from schedlab.sections import reject_unknown_keys, require_number

JOB_INPUTS: dict[str, str] = {
    "log_request": "log10(request_s / 3600)",
    "log_run": "log10(run_s / 3600)",
    "log_share": "log10(nodes / N)",
    "log_wait": "log10(1 + wait_s / 60)",
    "log_slowdown": "log10(1 + wait_s / run_s)",
}
"""What the network knows of a job; ``run_s`` is the run time from past jobs, at least 10 s."""

QUEUE_INPUTS: dict[str, str] = {
    "free": "free / N",
    "log_demand": "log10(1 + sum(nodes) / N)",
    "log_work": "log10(1 + sum(nodes * request_s) / N / 3600)",
}
"""What the network knows of the machine and of all waiting jobs."""

INPUTS = (*JOB_INPUTS, *QUEUE_INPUTS)


@dataclass(frozen=True)
class HiddenUnit:
    """A hidden unit: x / (1 + |x|) of a weighted sum of the inputs, times ``out``."""

    bias: float
    out: float
    weights: Weights


@dataclass(frozen=True)
class Network:
    """EASY in the order of a network: the job with the smallest output goes first.

    The output is the weighted sum of the job's inputs and of the hidden units.
    """

    name: str
    linear: Weights
    units: Sequence[HiddenUnit]
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def order(self) -> _core.Order:
        """Return a new order, for one simulation at a time."""
        return _core.make_network_order(
            [self.linear.get(name, 0.0) for name in JOB_INPUTS],
            [[unit.weights.get(name, 0.0) for name in INPUTS] for unit in self.units],
            [unit.bias for unit in self.units],
            [unit.out for unit in self.units],
        )


class NetworkPolicy(_core.Easy):
    """The policy that a ``Network`` describes."""

    def __init__(self, network: Network, name: str = "network") -> None:
        """Order the queue by the network; backfilling has the same order."""
        super().__init__(network.order(), None, None, None)
        self.name = name


def network_of(document: Mapping[str, Any]) -> Network:
    """Return the network in a TOML document."""
    reject_unknown_keys(document, ("name", "linear", "unit", "provenance"), "the network")
    name, provenance = document.get("name"), document.get("provenance", {})
    if not isinstance(name, str):
        raise InputError(f"name is {name!r}; must be a text")
    if not isinstance(provenance, Mapping):
        raise InputError(f"provenance is {provenance!r}; must be a section")
    units = document["unit"]
    if not isinstance(units, list):
        raise InputError(f"unit is {units!r}; must be sections [[unit]]")
    linear = _numbers(document.get("linear", {}), JOB_INPUTS, "[linear]")
    return Network(name, linear, [_unit(unit) for unit in units], provenance)


def _unit(given: Any) -> HiddenUnit:
    numbers = _numbers(given, ("bias", "out", *INPUTS), "[[unit]]")
    return HiddenUnit(numbers.pop("bias", 0.0), numbers.pop("out", 0.0), numbers)


def _numbers(given: Any, known: Mapping[str, str] | Sequence[str], where: str) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is {given!r}; must be a section of weights")
    reject_unknown_keys(given, known, where)
    return {key: require_number(value, f"{where}: {key}") for key, value in given.items()}


def write_network(path: str | Path, network: Network) -> None:
    """Write the file, whole or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text("\n".join(_lines(network)) + "\n", encoding="utf-8")


def _lines(network: Network) -> Iterator[str]:
    yield "# A job's score: the linear part, and out * x / (1 + |x|) of each unit's sum x; the"
    yield "# smallest goes first."
    yield f"name = {json.dumps(network.name, ensure_ascii=False)}"
    yield "\n[linear]"
    for name, weight in network.linear.items():
        yield f"{f'{name} = {weight}':<30}# {JOB_INPUTS[name]}"
    for unit in network.units:
        yield "\n[[unit]]"
        yield f"bias = {unit.bias}"
        yield f"out = {unit.out}"
        yield from (f"{name} = {weight}" for name, weight in unit.weights.items())
    if network.provenance:
        yield "\n[provenance]"
        yield from (f"{key} = {json.dumps(value)}" for key, value in network.provenance.items())
