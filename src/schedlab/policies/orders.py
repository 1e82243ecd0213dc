"""The orders of the queue; their formulas are in ``cpp/policies/orders.cpp``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from schedlab import _core
from schedlab.errors import UnknownNameError
from schedlab.policies.features import FEATURES
from schedlab.policies.parameters import Parameter, Parameters, ageing, number, weight


@dataclass(frozen=True)
class OrderEntry:
    """One line of the table of orders."""

    sentence: str
    reference: str
    parameters: Parameters = field(default_factory=dict)


_CARASTAN = "Carastan-Santos & de Camargo, SC 2017"
_TANG = "Tang, Lan, Desai & Buettner, Cluster 2009"
_CLASSIC = "textbook"

ORDERS: dict[str, OrderEntry] = {
    "fcfs": OrderEntry("First come, first served.", _CLASSIC),
    "lcfs": OrderEntry("Last come, first served.", _CLASSIC),
    "sjf": OrderEntry("Shortest request first.", _CLASSIC),
    "ljf": OrderEntry("Longest request first.", _CLASSIC),
    "saf": OrderEntry("Smallest area (request x nodes) first.", _CARASTAN),
    "laf": OrderEntry("Largest area (request x nodes) first.", _CARASTAN),
    "snf": OrderEntry("Smallest number of nodes first.", "Majumdar, Eager & Bunt, SIGMETRICS 1988"),
    "lnf": OrderEntry("Largest number of nodes first.", "Li & Cheng, SIAM J. Computing 1991"),
    "wfp3": OrderEntry("Largest (wait / request)^3 x nodes first.", _TANG),
    "unicef": OrderEntry(
        "Largest wait / (log2(nodes) x request) first; one node before all.", _TANG
    ),
    "f1": OrderEntry("Smallest log10(request) x nodes + 870 log10(submit) first.", _CARASTAN),
    "f2": OrderEntry("Smallest sqrt(request) x nodes + 25600 log10(submit) first.", _CARASTAN),
    "f3": OrderEntry("Smallest request x nodes + 6860000 log10(submit) first.", _CARASTAN),
    "f4": OrderEntry("Smallest request x sqrt(nodes) + 530000 log10(submit) first.", _CARASTAN),
    "wrsa": OrderEntry(
        "Most accurate user first, by the WRSA of past requests.",
        "Takizawa & Takano, scheduling that encourages accurate walltimes",
        {
            "beta": Parameter(weight, "weight of a user's past in the WRSA. Default: 0.3"),
            "ageing": Parameter(
                ageing, "the wait that weighs as much as full accuracy. Default: inf"
            ),
        },
    ),
    "linear": OrderEntry(
        "Smallest weighted sum of features first, such as log_nodes=1,log_wait=-0.5.",
        _CLASSIC,
        {
            name: Parameter(number, f"weight of {feature.expression}. Default: 0")
            for name, feature in FEATURES.items()
        },
    ),
}


def native_order(name: str, **parameters: Any) -> _core.Order:
    """Return the order of that name."""
    if name == "wrsa":
        return _core.WrsaOrder(**parameters)
    if name == "linear":
        return _core.make_linear_order([parameters.get(feature, 0.0) for feature in FEATURES])
    order = _core.make_order(name)
    if order is None:
        raise UnknownNameError("order", name, ORDERS)
    return order
