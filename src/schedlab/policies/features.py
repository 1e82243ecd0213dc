"""Features of a waiting job for linear orders; computed in ``cpp/policies/linear_order.cpp``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """One number that describes a job in the same way on machines of any size.

    ``expression`` is Python, of the job's columns in the ``Queue`` that a Python order gets and of
    the machine's nodes ``N``.
    """

    expression: str
    meaning: str


FEATURES: dict[str, Feature] = {
    "log_request": Feature("log10(request_s)", "the requested run time"),
    "log_estimate": Feature(
        "log10(estimate_s)", "the predicted run time; the request if there is no predictor"
    ),
    "log_nodes": Feature("log10(nodes)", "how wide, by orders of magnitude"),
    "share": Feature("(nodes / N)", "how wide, as a part of the machine"),
    "log_wait": Feature("log10(1 + wait_s)", "how long it has waited"),
    "log_slowdown": Feature(
        "log10(1 + wait_s / estimate_s)", "how long it has waited for its length"
    ),
    "log_start_in": Feature(
        "log10(1 + start_in_s)", "how long until enough nodes will be free for it"
    ),
}

Weights = Mapping[str, float]
"""Weights by feature; a feature that is left out has weight 0."""


def formula(weights: Weights) -> str:
    """Return the score of a job as a Python expression: the smallest goes first."""
    terms = [
        (weights[name], feature.expression)
        for name, feature in FEATURES.items()
        if weights.get(name)
    ]
    text = " ".join(f"{'-' if w < 0 else '+'} {abs(w)} * {term}" for w, term in terms)
    return text.removeprefix("+ ").replace("- ", "-", text.startswith("-")) or "0"
