"""Policies: an order of the queue and a way to backfill, or a class of your own."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.policies.backfills import BACKFILLS
from schedlab.policies.find import ALIASES, PolicyLike, find_policy, known_names
from schedlab.policies.orders import ORDERS
from schedlab.policies.parameters import Parameters
from schedlab.policies.policy import (
    ChosenPolicy,
    Order,
    Policy,
    Queue,
    Running,
    View,
    require_plans_nodes,
)
from schedlab.policies.standalone import STANDALONE

__all__ = [
    "ALIASES",
    "BACKFILLS",
    "ORDERS",
    "POLICIES",
    "STANDALONE",
    "ChosenPolicy",
    "Order",
    "Policy",
    "PolicyEntry",
    "PolicyLike",
    "Queue",
    "Running",
    "View",
    "find_policy",
    "require_plans_nodes",
]


@dataclass(frozen=True)
class PolicyEntry:
    """One line of the table of policies."""

    sentence: str
    reference: str
    parameters: Parameters


def _entry(name: str) -> PolicyEntry:
    if name in STANDALONE:
        alone = STANDALONE[name]
        return PolicyEntry(alone.sentence, alone.reference, alone.parameters)
    order, _, backfill = ALIASES.get(name, name).partition("+")
    how = BACKFILLS[backfill or "none"]
    references = dict.fromkeys((ORDERS[order].reference, how.reference))
    if len(references) > 1:
        references.pop("textbook", None)
    return PolicyEntry(
        f"{ORDERS[order].sentence} {how.sentence}",
        "; ".join(references),
        {**ORDERS[order].parameters, **how.parameters},
    )


POLICIES: dict[str, PolicyEntry] = {name: _entry(name) for name in known_names()}
