"""Trackable resources, as Slurm writes them: ``cpu=4,mem=200M,node=1,gres/gpu:a100=2``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_PREFIXES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
_MIB = 1 << 20


class Tres(NamedTuple):
    """Amounts of the resources that a record has items for; ``None`` where none is named."""

    nodes: int | None = None
    cpus: int | None = None
    mem_bytes: int | None = None
    gpus: int | None = None
    gpu_type: str | None = None
    energy_j: int | None = None
    licences: str | None = None


NOTHING = Tres()


@lru_cache(maxsize=65536)
def parse_tres(text: str) -> Tres:
    """Return the resources of ``type[/name]=amount,...``."""
    pairs = [word.partition("=") for word in text.split(",") if word]
    return tres_of((name, parse_amount(amount)) for name, _, amount in pairs)


def tres_of(amounts: Iterable[tuple[str, int | None]]) -> Tres:
    """Return the resources of names such as ``gres/gpu:a100`` with amounts; memory in bytes."""
    found = {name: amount for name, amount in amounts if amount is not None}
    kinds = {name: n for name, n in found.items() if name.startswith("gres/gpu:")}
    gpus = found.get("gres/gpu", sum(kinds.values()) if kinds else None)
    return Tres(
        nodes=found.get("node"),
        cpus=found.get("cpu"),
        mem_bytes=found.get("mem"),
        gpus=gpus,
        gpu_type=",".join(name.removeprefix("gres/gpu:") for name in sorted(kinds)) or None,
        energy_j=found.get("energy"),
        licences=_licences(found) or None,
    )


def _licences(found: dict[str, int]) -> str:
    named = ((name.partition("/")[2], n) for name, n in found.items() if name.startswith("lic"))
    return "+".join(f"{name}:{count}" for name, count in named if name and count)


def parse_amount(text: str) -> int | None:
    """Return a whole amount, with a binary prefix where there is one.

    ``None`` if it is not a number.
    """
    factor = _PREFIXES.get(text[-1:].upper(), 0)
    digits = text[:-1] if factor else text
    try:
        return round(float(digits) * (factor or 1))
    except (ValueError, OverflowError):
        return None


def mebibytes(count: int | None) -> int | None:
    """Convert MiB, the unit of memory in Slurm's database and JSON, to bytes."""
    return None if count is None else count * _MIB
