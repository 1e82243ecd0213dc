"""The search for weights."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from schedlab.operate.search import START, linear, search_weights
from schedlab.policies import find_policy


def cost(policy: str) -> float:
    """Return how far the weights of a policy are from the best ones."""
    weights = [float(each.partition("=")[2]) for each in policy.partition(":")[2].split(",")]
    return math.dist(weights, [0.5, 1.5, 0.0, -1.0])


def test_weights_come_near_to_the_best(tmp_path: Path) -> None:
    """The search returns the name of a policy."""
    found = search_weights(cost, 25, 3, tmp_path / "search.json", {})
    assert cost(found) < 0.2 < cost(linear(list(START.values())))
    assert find_policy(found).name == found


def test_an_interrupted_search_ends_with_the_same_policy(tmp_path: Path) -> None:
    """Costs that were measured are not measured again."""
    whole = search_weights(cost, 6, 3, tmp_path / "whole.json", {"jobs": 5})
    left = [20]

    def breaks(policy: str) -> float:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return cost(policy)

    with pytest.raises(KeyboardInterrupt):
        search_weights(breaks, 6, 3, tmp_path / "part.json", {"jobs": 5})
    measured: list[str] = []
    again = search_weights(
        lambda policy: measured.append(policy) or cost(policy),  # type: ignore[func-returns-value]
        6,
        3,
        tmp_path / "part.json",
        {"jobs": 5},
    )
    assert again == whole
    assert len(measured) < 6 * 8
