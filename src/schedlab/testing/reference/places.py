"""The rules that choose a job's nodes where more have room than it needs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import add, sub

from schedlab.errors import UnknownNameError
from schedlab.platform import NodeGroup, Platform
from schedlab.platform.resources import NodeResources
from schedlab.testing.reference.machine import AskedNodes, Machine, NodeChoice, NodesAsked, Vector

_WORD = (1 << 64) - 1


def place_of(
    name: str, platform: Platform, machine: Machine, parts: Iterable[NodesAsked]
) -> NodeChoice:
    """Return the place with this name for these nodes and all parts that jobs ask for."""
    name, _, seed = name.partition(":seed=")
    ways: dict[str, Callable[[], NodeChoice]] = {
        "lowest": NodeChoice,
        "best-fit": lambda: Fit(_cores_and_gpus(platform, machine), 1),
        "worst-fit": lambda: Fit(_cores_and_gpus(platform, machine), -1),
        "weight": lambda: Weight([group.weight for group in _by_node(platform)]),
        "switches": lambda: Switches([group.switch for group in _by_node(platform)]),
        "fgd": lambda: LeastFragments(machine, parts),
        "random": lambda: Random(int(seed or 0)),
    }
    if name not in ways:
        raise UnknownNameError("place", name, ways)
    return ways[name]()


def _by_node(platform: Platform) -> list[NodeGroup]:
    return [group for group in platform.groups for _ in range(group.nodes)]


def _cores_and_gpus(platform: Platform, machine: Machine) -> list[tuple[list[int], int]]:
    """Return where cores and GPUs stand in a node's vector, each with the most a node has."""
    resources = NodeResources.of(platform)
    names = [name for name in ("cores", "gpu") if name in resources.place]
    where = {name: [resources.place[name]] for name in names}
    if machine.gpus:
        where["gpu"] = list(machine.gpus)
    return [(where[name], _most(where[name], machine)) for name in names]


def _most(places: list[int], machine: Machine) -> int:
    return max(1, *(sum(has[at] for at in places) for has in machine.capacity))


class Fit(NodeChoice):
    """Ranks nodes by the sum of free cores and GPUs, each divided by the most that a node has."""

    def __init__(self, counted: list[tuple[list[int], int]], sign: int) -> None:
        self.counted, self.sign = counted, sign

    def rank(self, asked: AskedNodes, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        """Return the fullest first, or the emptiest."""

        def room(node: int) -> float:
            shares = (sum(free[node][at] for at in each) / most for each, most in self.counted)
            return self.sign * sum(shares)

        return sorted(nodes, key=room)

    def of_gpu(self, asked: AskedNodes, node: int, free: Vector, at: int) -> float:
        """Rank the GPUs of a node in the same way."""
        return self.sign * free[at]


class Weight(NodeChoice):
    """The node of the lowest weight first."""

    def __init__(self, weights: list[int]) -> None:
        self.weights = weights

    def rank(self, asked: AskedNodes, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        """Rank by weight."""
        return sorted(nodes, key=lambda node: self.weights[node])


class Switches(NodeChoice):
    """Takes nodes switch by switch: the smallest that has enough, or else the largest."""

    def __init__(self, switches: list[str]) -> None:
        self.switches = switches

    def rank(self, asked: AskedNodes, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        """Rank for as few switches as possible."""
        left: dict[str, list[int]] = {}
        for node in nodes:
            left.setdefault(self.switches[node], []).append(node)
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


class Random(NodeChoice):
    """Ranks nodes and GPUs by a hash."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def rank(self, asked: AskedNodes, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        """Rank by the hash of seed, job and node."""
        of_job = _mix(_mix(self.seed) ^ asked.job)
        return sorted(nodes, key=lambda node: _mix(of_job ^ node))

    def of_gpu(self, asked: AskedNodes, node: int, free: Vector, at: int) -> float:
        """Rank by the hash of seed, job, node and number of the GPU."""
        number = at - asked.first_gpu
        return _mix(_mix(_mix(_mix(self.seed) ^ asked.job) ^ node) ^ number)


class LeastFragments(NodeChoice):
    """The node on which a job leaves the fewest GPUs that others cannot use.

    FGD: Weng et al., "Beware of Fragmentation", USENIX ATC 2023.
    """

    def __init__(self, machine: Machine, parts: Iterable[NodesAsked]) -> None:
        """Count how many nodes are asked for with each kind of part."""
        self.machine = replace(machine, place=self)
        self.popular: Counter[NodesAsked] = Counter()
        for part in parts:
            if not (part.exclusive or part.site_wide):
                self.popular[replace(part, count=1)] += part.count

    def rank(self, asked: AskedNodes, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        """Return the highest score first."""
        if not self.popular:
            return nodes

        def score(node: int) -> int:
            taken = self.machine.taken(node, asked.part, free[node], asked.job)
            return self.score(node, free[node], taken)

        return sorted(nodes, key=lambda node: -score(node))

    def of_gpu(self, asked: AskedNodes, node: int, free: Vector, at: int) -> float:
        """Return the negative score for this GPU."""
        assert asked.part.gpus is not None
        of_gpu = asked.part.gpus.taken([at], len(free))
        taken = tuple(map(add, asked.part.resources, of_gpu))
        return -self.score(node, free, taken)

    def score(self, node: int, free: Vector, taken: Vector) -> int:
        """Return how much the fragments shrink, in steps of a sigmoid from 0 to 100."""
        left = tuple(map(sub, free, taken))
        saved = self.fragments(node, free) - self.fragments(node, left)
        of_gpus = saved / (1000 * self.popular.total())
        return int(100 / (1 + math.exp(-of_gpus)))

    def fragments(self, node: int, free: Vector) -> int:
        """Return how much of the free GPUs a part cannot use, summed over all parts asked for."""
        total, lost = sum(free[at] for at in self.machine.gpus), 0
        for part, count in self.popular.items():
            gpus, used = part.gpus, 0
            if gpus is not None and node in part.allowed and self.machine.fits(node, free, part):
                used = sum(free[at] for at in gpus.able(free))
            lost += count * (total - used)
        return lost


def _mix(value: int) -> int:
    """Return the function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    value = (value + 0x9E3779B97F4A7C15) & _WORD
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _WORD
    return value ^ (value >> 31)
