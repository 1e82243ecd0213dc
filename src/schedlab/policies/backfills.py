"""The ways to backfill, and what each can be told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schedlab import _core
from schedlab.policies.orders import native_order
from schedlab.policies.parameters import Parameter, Parameters, factor, positive, yes_or_no


@dataclass(frozen=True)
class BackfillEntry:
    """One line of the table of ways to backfill."""

    sentence: str
    reference: str
    parameters: Parameters
    build: Callable[..., _core.Policy]


def _easy(
    order: _core.Order, *, depth: int | None = None, backfill: _core.Order | None = None
) -> _core.Policy:
    return _core.Easy(order, depth, backfill)


def _conservative(
    order: _core.Order, *, depth: int | None = None, rebuild: bool = False
) -> _core.Policy:
    kind = _core.ConservativeRebuild if rebuild else _core.Conservative
    return kind(order, depth)


def _one_reserved(
    order: _core.Order, *, depth: int | None = None, alpha: float = 1.5
) -> _core.Policy:
    return _core.OneReserved(order, depth, alpha)


DEPTH = Parameter(positive, "a pass considers so many jobs of the queue; all by default")

_INCENTIVE = "Takizawa & Takano, scheduling that encourages accurate walltimes"

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
    "all-reserved": BackfillEntry(
        "The oldest job first, then the others; each is planned anew and moves nobody.",
        _INCENTIVE,
        {"depth": DEPTH},
        _core.AllReserved,
    ),
    "one-reserved": BackfillEntry(
        "The oldest job is promised a start; others may start in holes, and push back plans.",
        _INCENTIVE,
        {
            "depth": DEPTH,
            "alpha": Parameter(factor, "how much longer than a hole a job may be; 1.5"),
        },
        _one_reserved,
    ),
}
