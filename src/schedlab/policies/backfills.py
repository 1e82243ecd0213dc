"""The ways to backfill, and the parameters of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.policies.first_promises import FirstPromises
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
    fcfs_only: tuple[str, ...] = ()
    """Parameters that only the order fcfs has."""


def _easy(
    order: _core.Order,
    *,
    depth: int | None = None,
    backfill: _core.Order | None = None,
    reserve: str = "counts",
    max_priority_gap: float | None = None,
) -> _core.Policy:
    if reserve == "counts":
        return _core.Easy(order, depth, backfill, max_priority_gap)
    if backfill is not None:
        raise ParameterError("easy: reserve=nodes tries candidates in queue order; omit backfill")
    if max_priority_gap is not None:
        raise ParameterError(
            "easy: reserve=nodes considers jobs by depth only; omit max_priority_gap"
        )
    return _core.EasyNodes(order, depth)


def _conservative(
    order: _core.Order,
    *,
    depth: int | None = None,
    rebuild: bool = False,
    reserve: str | None = None,
    promises: int | None = None,
) -> _core.Policy:
    if promises is not None:
        if rebuild:
            raise ParameterError(
                f"conservative: promises={promises} keeps its promises; omit rebuild=true"
            )
        if reserve is not None:
            raise ParameterError(
                f"conservative: promises={promises} counts whole nodes; omit reserve={reserve}"
            )
        return FirstPromises(promises, depth)
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


DEPTH = Parameter(positive, "number of waiting jobs that a pass considers. Default: all")

RESERVATION = Parameter(
    one_of("replan", "frozen", "pinned"),
    "replan: plan again at every pass; frozen: keep the time and start exactly then; "
    "pinned: the same, on named nodes, for every planned job. Default: replan",
)
RESERVE = Parameter(
    one_of("shares", "nodes"),
    "what a reservation holds where jobs share nodes. shares: the share that its job "
    "needs; nodes: whole nodes until the job starts, as in Slurm's backfill. Default: "
    "shares",
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
            "backfill": Parameter(
                native_order, "order in which candidates are tried. Default: that of the queue"
            ),
            "reserve": Parameter(
                one_of("counts", "nodes"),
                "counts: the head reserves a number of nodes; nodes: whole, the "
                "lowest-numbered ones, as in Batsim's easy_bf. Default: counts",
            ),
            "max_priority_gap": Parameter(
                not_negative,
                "backfill only jobs whose score is within this distance of the head's. "
                "Default: unlimited",
            ),
        },
        _easy,
    ),
    "conservative": BackfillEntry(
        "Every considered job is promised a start; promises only move earlier.",
        "Mu'alem & Feitelson, IEEE TPDS 2001",
        {
            "depth": DEPTH,
            "rebuild": Parameter(yes_or_no, "replan everything at every pass. Default: false"),
            "reserve": RESERVE,
            "promises": Parameter(
                positive,
                "number of waiting jobs with a promise, in order of arrival (order fcfs only). "
                "Default: all",
            ),
        },
        _conservative,
        ("promises",),
    ),
    "all-reserved": BackfillEntry(
        "Every job is replanned, the oldest first; no job moves the plan of another.",
        _INCENTIVE,
        {"depth": DEPTH, "reservation": RESERVATION, "reserve": RESERVE},
        _all_reserved,
    ),
    "one-reserved": BackfillEntry(
        "The oldest job is promised a start; others may fill gaps and push back later plans.",
        _INCENTIVE,
        {
            "depth": DEPTH,
            "alpha": Parameter(
                factor,
                "a job may fill a gap if its estimate is at most alpha times the gap. Default: 1.5",
            ),
            "reservation": RESERVATION,
            "reserve": RESERVE,
            "push": Parameter(
                one_of("cascade", "hole"),
                "how pinned moves a displaced plan. cascade: behind the job, pushing "
                "others in turn; hole: to the next gap on its nodes. Default: cascade",
            ),
        },
        _one_reserved,
    ),
}
