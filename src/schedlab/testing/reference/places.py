"""Which nodes a job takes where more have room than it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schedlab.errors import UnknownNameError
from schedlab.platform import NodeGroup, Platform
from schedlab.platform.resources import NodeResources

Vector = tuple[int, ...]
_WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Asked:
    """What is asked for: so many nodes for the job at this place of the workload."""

    job: int
    count: int


Rank = Callable[[Asked, list[int], Sequence[Vector]], list[int]]
"""Puts nodes, given by rising number, in the order in which they are taken, by what is free."""


def lowest(asked: Asked, nodes: list[int], free: Sequence[Vector]) -> list[int]:
    """Return the nodes as they are."""
    return nodes


def place_of(name: str, platform: Platform) -> Rank:
    """Return the place of that name on the platform."""
    name, _, seed = name.partition(":seed=")
    ways: dict[str, Callable[[], Rank]] = {
        "lowest": lambda: lowest,
        "best-fit": lambda: _fit(platform, 1),
        "worst-fit": lambda: _fit(platform, -1),
        "weight": lambda: _weight([group.weight for group in _by_node(platform)]),
        "switches": lambda: _switches([group.switch for group in _by_node(platform)]),
        "random": lambda: _random(int(seed or 0)),
    }
    if name not in ways:
        raise UnknownNameError("place", name, ways)
    return ways[name]()


def _by_node(platform: Platform) -> list[NodeGroup]:
    return [group for group in platform.groups for _ in range(group.nodes)]


def _fit(platform: Platform, sign: int) -> Rank:
    """By the sum of free cores and GPUs, each divided by the most that a node has."""
    resources = NodeResources.of(platform)
    counted = [resources.place[name] for name in ("cores", "gpu") if name in resources.place]
    most = {at: max(1, *resources.capacity[:, at].tolist()) for at in counted}

    def rank(asked: Asked, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        return sorted(nodes, key=lambda node: sign * sum(free[node][at] / most[at] for at in most))

    return rank


def _weight(weights: list[int]) -> Rank:
    def rank(asked: Asked, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        return sorted(nodes, key=lambda node: weights[node])

    return rank


def _switches(switches: list[str]) -> Rank:
    """Switch by switch: the smallest that does, or else the largest."""

    def rank(asked: Asked, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        left: dict[str, list[int]] = {}
        for node in nodes:
            left.setdefault(switches[node], []).append(node)
        ranked: list[int] = []
        while left:
            wanted = asked.count - len(ranked)
            enough = [name for name, there in left.items() if len(there) >= wanted > 0]
            if enough:
                chosen = min(enough, key=lambda name: (len(left[name]), left[name][0]))
            else:
                chosen = min(left, key=lambda name: (-len(left[name]), left[name][0]))
            ranked += left.pop(chosen)
        return ranked

    return rank


def _random(seed: int) -> Rank:
    def rank(asked: Asked, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        of_job = _mix(_mix(seed) ^ asked.job)
        return sorted(nodes, key=lambda node: _mix(of_job ^ node))

    return rank


def _mix(value: int) -> int:
    """The function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    value = (value + 0x9E3779B97F4A7C15) & _WORD
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _WORD
    return value ^ (value >> 31)
