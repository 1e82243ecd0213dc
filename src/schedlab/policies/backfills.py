"""The ways to backfill, and what each can be told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.policies.orders import native_order
from schedlab.policies.parameters import (
    Parameter,
    Parameters,
    factor,
    not_negative,
    positive,
    yes_or_no,
)
from schedlab.workload.arguments import one_of


@dataclass(frozen=True)
class BackfillEntry:
    """One line of the table of ways to backfill."""

    sentence: str
    reference: str
    parameters: Parameters
    build: Callable[..., _core.Policy]


def _easy(
    order: _core.Order,
    *,
    depth: int | None = None,
    backfill: _core.Order | None = None,
    reserve: str = "counts",
    reach: float | None = None,
) -> _core.Policy:
    if reserve == "counts":
        return _core.Easy(order, depth, backfill, reach)
    if backfill is not None:
        raise ParameterError("easy: reserve=nodes tries candidates in queue order; omit backfill")
    if reach is not None:
        raise ParameterError("easy: reserve=nodes considers jobs by depth only; omit reach")
    return _core.EasyNodes(order, depth)


def _conservative(
    order: _core.Order,
    *,
    depth: int | None = None,
    rebuild: bool = False,
    reserve: str | None = None,
) -> _core.Policy:
    if rebuild:
        return _core.ConservativeRebuild(order, depth, _hold(reserve))
    if reserve is not None:
        raise ParameterError(f"conservative: reserve={reserve} needs rebuild=true")
    return _core.Conservative(order, depth)


def _all_reserved(
    order: _core.Order,
    *,
    depth: int | None = None,
    reservation: str = "replan",
    reserve: str | None = None,
) -> _core.Policy:
    _require_replans("all-reserved", reservation, reserve)
    if reservation == "frozen":
        return _core.Conservative(order, depth, frozen=True, oldest_first=True)
    if reservation == "pinned":
        return _core.Pinned(order, depth)
    return _core.AllReserved(order, depth, _hold(reserve))


ALPHA = 1.5
"""How much longer than a hole a job may be."""


def _one_reserved(
    order: _core.Order,
    *,
    depth: int | None = None,
    alpha: float = ALPHA,
    reservation: str = "replan",
    push: str | None = None,
    reserve: str | None = None,
) -> _core.Policy:
    _require_replans("one-reserved", reservation, reserve)
    if reservation == "pinned":
        return _core.Pinned(order, depth, _core.Push[push or "cascade"], alpha)
    if push is not None:
        raise ParameterError(f"one-reserved: push={push} is for reservation=pinned; omit it")
    frozen = reservation == "frozen"
    return _core.OneReserved(order, depth, alpha, frozen=frozen, reserve=_hold(reserve))


def _hold(reserve: str | None) -> _core.Hold:
    return _core.Hold[reserve or "shares"]


def _require_replans(backfill: str, reservation: str, reserve: str | None) -> None:
    if reserve is not None and reservation != "replan":
        raise ParameterError(
            f"{backfill}: reserve={reserve} is for reservation=replan, not {reservation}"
        )


DEPTH = Parameter(positive, "a pass considers so many jobs of the queue; all by default")

RESERVATION = Parameter(
    one_of("replan", "frozen", "pinned"),
    "replan: anew at every pass; frozen: kept and started exactly then; pinned: the same on named "
    "nodes for all that are planned",
)
RESERVE = Parameter(
    one_of("shares", "nodes"),
    "what a reservation holds where jobs share nodes: shares: what its job needs of them; nodes: "
    "all of them until the job starts, as Slurm's backfill; shares",
)
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
            "reserve": Parameter(
                one_of("counts", "nodes"),
                "counts: the head reserves a number of nodes; nodes: the lowest-numbered ones, "
                "whole, as Batsim's easy_bf",
            ),
            "reach": Parameter(
                not_negative,
                "jobs whose score exceeds the head's by more are not tried; all are",
            ),
        },
        _easy,
    ),
    "conservative": BackfillEntry(
        "Every considered job is promised a start; promises only move earlier.",
        "Mu'alem & Feitelson, IEEE TPDS 2001",
        {
            "depth": DEPTH,
            "rebuild": Parameter(yes_or_no, "plan everything again at every pass; false"),
            "reserve": RESERVE,
        },
        _conservative,
    ),
    "all-reserved": BackfillEntry(
        "The oldest job first, then the others; each is planned anew and moves nobody.",
        _INCENTIVE,
        {"depth": DEPTH, "reservation": RESERVATION, "reserve": RESERVE},
        _all_reserved,
    ),
    "one-reserved": BackfillEntry(
        "The oldest job is promised a start; others may start in holes, and push back plans.",
        _INCENTIVE,
        {
            "depth": DEPTH,
            "alpha": Parameter(factor, "how much longer than a hole a job may be; 1.5"),
            "reservation": RESERVATION,
            "reserve": RESERVE,
            "push": Parameter(
                one_of("cascade", "hole"),
                "with pinned, where a plan in the way goes, on its own nodes: cascade: behind the "
                "job, pushing others in turn; hole: to the next hole; cascade",
            ),
        },
        _one_reserved,
    ),
}
