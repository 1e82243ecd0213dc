"""The ways to backfill that run on every machine, by name."""

from __future__ import annotations

from collections.abc import Callable

from schedlab.testing.reference.conservative import Conservative, RebuiltConservative
from schedlab.testing.reference.easy import Easy
from schedlab.testing.reference.easy_nodes import EasyNodes
from schedlab.testing.reference.no_backfill import NoBackfill
from schedlab.testing.reference.reserving import AllReserved, OneReserved
from schedlab.testing.reference.simulation import Backfill

WAYS: dict[str, Callable[[], Backfill]] = {
    "none": NoBackfill,
    "easy": Easy,
    "easy, on nodes": EasyNodes,
    "conservative": Conservative,
    "rebuilt": RebuiltConservative,
    "rebuilt, on nodes": lambda: RebuiltConservative("nodes"),
    "all-reserved": AllReserved,
    "all-reserved, on nodes": lambda: AllReserved(reserve="nodes"),
    "all-reserved, frozen": lambda: Conservative(frozen=True, oldest_first=True),
    "one-reserved": lambda: OneReserved(1.5),
    "one-reserved, on nodes": lambda: OneReserved(1.5, reserve="nodes"),
    "one-reserved, frozen": lambda: OneReserved(1.5, frozen=True),
}
