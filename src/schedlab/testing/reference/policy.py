"""A policy as the reference simulator takes it: an order, a way to backfill, a predictor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from schedlab.errors import UnknownNameError
from schedlab.testing.reference.conservative import Conservative, RebuiltConservative
from schedlab.testing.reference.easy import Easy
from schedlab.testing.reference.easy_nodes import EasyNodes
from schedlab.testing.reference.first_promises import ReferenceFirstPromises
from schedlab.testing.reference.linear import linear
from schedlab.testing.reference.no_backfill import NoBackfill
from schedlab.testing.reference.orders import ORDERS, Order, aged_wrsa
from schedlab.testing.reference.pinned import Pinned, Push
from schedlab.testing.reference.plan import Hold
from schedlab.testing.reference.predictors import PREDICTORS, ReferencePredictor
from schedlab.testing.reference.reserving import AllReserved, OneReserved
from schedlab.testing.reference.simulation import Backfill, ReferenceSimulation


@dataclass(frozen=True)
class ReferencePolicy:
    """A policy, spelled out.

    Attributes:
        order: the order of the queue, a key of ``ORDERS`` or ``linear``.
        backfill: which jobs may overtake.
        rebuild: with conservative backfilling, plan from scratch at every pass.
        promises: with conservative backfilling, how many of the first waiting jobs are promised a
            start; the others may start if they delay none of these. Default: all.
        candidates: with EASY, the order in which jobs behind the head are tried.
        reserve: what a reservation holds: with EASY a number of nodes or named ones; in plans that
            are made at every pass the shares of its nodes that its job needs, or whole nodes.
        alpha: with one-reserved, how much longer than a hole a job may be.
        frozen: with all-reserved and one-reserved, reservations are kept and started exactly then.
        pinned: with all-reserved and one-reserved, plans name nodes and are kept.
        push: with pinned one-reserved plans, how a plan in the way of a job moves.
        beta: the weight of the past in the users' accuracy.
        ageing_s: with the order wrsa, the wait that weighs as much as full accuracy.
        weights: with the order linear, the weights of the features.
        candidate_weights: the same where the candidates' order is linear.
        max_priority_gap: with EASY, jobs further behind the head, by score, are not tried.
        predict: the predictor of run times, a key of ``PREDICTORS``.
    """

    order: str = "fcfs"
    backfill: Literal["none", "easy", "conservative", "all-reserved", "one-reserved"] = "none"
    rebuild: bool = False
    promises: int | None = None
    candidates: str | None = None
    reserve: Literal["counts", "shares", "nodes"] | None = None
    alpha: float = 1.5
    frozen: bool = False
    pinned: bool = False
    push: Push = "cascade"
    beta: float = 0.3
    ageing_s: float | None = None
    weights: Mapping[str, float] | None = None
    candidate_weights: Mapping[str, float] | None = None
    max_priority_gap: float | None = None
    predict: str = "request"

    def make_predictor(self) -> ReferencePredictor:
        """Return a predictor that has learned nothing yet."""
        if self.predict not in PREDICTORS:
            raise UnknownNameError("predictor", self.predict, PREDICTORS)
        return PREDICTORS[self.predict]()

    def order_in(self, simulation: ReferenceSimulation) -> Order:
        """Return the order of the queue."""
        if self.ageing_s is not None:
            return aged_wrsa(self.ageing_s)
        return _order(self.order, self.weights, simulation)

    def backfill_in(self, simulation: ReferenceSimulation) -> Backfill:
        """Return the way to choose the jobs that start."""
        tries = None
        if self.candidates is not None:
            tries = _order(self.candidates, self.candidate_weights, simulation)
        if self.max_priority_gap is not None:
            return Easy(tries, self.order_in(simulation), self.max_priority_gap)
        if self.pinned:
            one = self.backfill == "one-reserved"
            return Pinned(self.push, self.alpha) if one else Pinned()
        holds: Hold = "nodes" if self.reserve == "nodes" else "shares"
        ways: dict[str, Backfill] = {
            "none": NoBackfill(),
            "easy": EasyNodes() if self.reserve == "nodes" else Easy(tries),
            "conservative": self._conservative(holds),
            "all-reserved": (
                Conservative(frozen=True, oldest_first=True)
                if self.frozen
                else AllReserved(reserve=holds)
            ),
            "one-reserved": OneReserved(self.alpha, frozen=self.frozen, reserve=holds),
        }
        if self.backfill not in ways:
            raise UnknownNameError("backfill", self.backfill, ways)
        return ways[self.backfill]

    def _conservative(self, holds: Hold) -> Backfill:
        if self.promises is not None:
            return ReferenceFirstPromises(self.promises)
        return RebuiltConservative(holds) if self.rebuild else Conservative()


FCFS = ReferencePolicy()


def _order(
    name: str, weights: Mapping[str, float] | None, simulation: ReferenceSimulation
) -> Order:
    if name == "linear":
        return linear(weights or {}, simulation)
    if name not in ORDERS:
        raise UnknownNameError("order", name, [*ORDERS, "linear"])
    return ORDERS[name]
