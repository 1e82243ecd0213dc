"""Failures of nodes: a list that is known before the run, to the simulator but to no policy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from schedlab.errors import PlatformError
from schedlab.platform.checks import require_count, require_positive
from schedlab.platform.cluster import MAX_NODES

_MOST = 10_000_000
"""The most failures that are drawn at a time."""
_SHAPES = (0.1, 100)


@dataclass(frozen=True)
class Failure:
    """A node goes down without notice.

    Args:
        node: its number on the platform.
        at_s: when, in seconds on the clock of the workload.
        repair_s: how long it takes until the node is up again.
    """

    node: int
    at_s: int
    repair_s: int

    def __post_init__(self) -> None:
        for key in ("node", "at_s", "repair_s"):
            require_count(key, getattr(self, key))


def check_failures(failures: Iterable[Failure], nodes: int) -> tuple[Failure, ...]:
    """Return the failures in order of time; nodes must exist, and be up when they fail."""
    require_count("nodes", nodes)
    ordered = sorted(failures, key=lambda each: (each.at_s, each.node))
    up_s: dict[int, int] = {}
    for each in ordered:
        if each.node >= nodes:
            raise PlatformError(f"node {each.node} fails; must be 0 to {nodes - 1}")
        if each.at_s < up_s.get(each.node, 0):
            raise PlatformError(
                f"node {each.node} fails at {each.at_s} s; must be up, which it is at "
                f"{up_s[each.node]} s"
            )
        up_s[each.node] = each.at_s + each.repair_s
    return tuple(ordered)


def draw_failures(
    nodes: int,
    until_s: int,
    *,
    mean_up_s: float,
    mean_repair_s: float,
    shape: float = 1.0,
    repair_shape: float | None = None,
    seed: int = 0,
) -> tuple[Failure, ...]:
    """Draw failures of each node, in order of time.

    A node's failures depend on the seed and its number only: with a later end there are more of
    them, and those before stay the same.

    Args:
        nodes: the number of nodes.
        until_s: no node fails from this time on.
        mean_up_s: mean time that a node is up before it fails.
        mean_repair_s: mean time until it is up again.
        shape: shape of the Weibull distribution of the time up. Default: 1, the exponential one;
            below 1 failures come in bursts (Schroeder and Gibson, DSN 2006, found 0.7 to 0.8).
        repair_shape: the same for the repair time. Default: every repair takes the mean.
        seed: seed of the draws.
    """
    require_count("nodes", nodes, 1)
    require_count("until_s", until_s)
    require_count("seed", seed)
    for name, value in (("mean_up_s", mean_up_s), ("mean_repair_s", mean_repair_s)):
        require_positive(name, value)
    for name, given in (("shape", shape), ("repair_shape", repair_shape)):
        if given is not None:
            _require_shape(name, given)
    _require_few(nodes, until_s / (mean_up_s + mean_repair_s))
    drawn: list[Failure] = []
    for node in range(nodes):
        rng = np.random.default_rng((seed, node))
        at_s = _draw_s(rng, mean_up_s, shape)
        while at_s < until_s:
            repair_s = _draw_s(rng, mean_repair_s, repair_shape)
            drawn.append(Failure(node, at_s, repair_s))
            at_s += repair_s + _draw_s(rng, mean_up_s, shape)
    return check_failures(drawn, nodes)


def _require_shape(name: str, shape: float) -> None:
    """Refuse shapes that no machine's failures have, and shapes that would overflow."""
    require_positive(name, shape)
    if not _SHAPES[0] <= shape <= _SHAPES[1]:
        raise PlatformError(f"{name} is {shape:g}; must be {_SHAPES[0]} to {_SHAPES[1]}")


def _require_few(nodes: int, each: float) -> None:
    """Refuse what would take hours: too many nodes, or too many failures of all together."""
    if nodes > MAX_NODES:
        raise PlatformError(f"nodes is {nodes}; must be at most {MAX_NODES:,}")
    if nodes * each > _MOST:
        raise PlatformError(
            f"about {nodes * each:.3g} failures would be drawn; must be at most {_MOST:,}: take "
            "fewer nodes, an earlier end, or a longer time up"
        )


def _draw_s(rng: np.random.Generator, mean_s: float, shape: float | None) -> int:
    """Return a whole number of seconds, at least 1, of a Weibull distribution with this mean."""
    if shape is None:
        return max(1, round(mean_s))
    return max(1, math.ceil(mean_s / math.gamma(1 + 1 / shape) * rng.weibull(shape)))
