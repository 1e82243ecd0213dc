"""The nodes of the reference simulator, and what jobs hold of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import add, ge, sub
from typing import NamedTuple

from schedlab.platform import Consumable
from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.gpus import WHOLE, Gpus

Vector = tuple[int, ...]


@dataclass(frozen=True)
class NodesAsked:
    """What a job needs of one set of nodes: ``count`` of them, with these resources on each.

    An exclusive part needs idle nodes and takes all they have. A site-wide part is an amount of a
    consumable, which counts as a node with one resource.
    """

    allowed: frozenset[int]
    count: int
    resources: Vector = (1,)
    exclusive: bool = False
    site_wide: bool = False
    gpus: Gpus | None = None

    @cached_property
    def in_order(self) -> tuple[int, ...]:
        """The allowed nodes, lowest number first."""
        return tuple(sorted(self.allowed))


@dataclass(frozen=True)
class AskedNodes:
    """A demand: a number of nodes for the job at this place of the workload."""

    job: int
    count: int
    part: NodesAsked
    first_gpu: int = 0


class NodeChoice:
    """The lowest-numbered node first, and of its GPUs the fullest that has enough free."""

    def rank(self, asked: AskedNodes, nodes: list[int], free: Sequence[Vector]) -> list[int]:
        """Put nodes, given by rising number, in the order in which they are taken."""
        return nodes

    def of_gpu(self, asked: AskedNodes, node: int, free: Vector, at: int) -> float:
        """Return the score of one of the node's GPUs for a part; the lowest is taken."""
        return free[at]


class Held(NamedTuple):
    """What a job holds of one node, or of a consumable."""

    node: int
    resources: Vector
    site_wide: bool = False


@dataclass(frozen=True)
class Machine:
    """Nodes with their resources, consumables behind them, and how their events are seen."""

    capacity: tuple[Vector, ...]
    tick: int = 0
    kill_at_request: bool = True
    consumables: tuple[Consumable, ...] = ()
    calendar: tuple[ClosedTime, ...] = ()
    place: NodeChoice = field(default_factory=NodeChoice)
    gpus: range = range(0)  # where in each vector its GPUs stand, if jobs take parts of them

    @classmethod
    def whole_nodes(cls, count: int, tick: int = 0, kill_at_request: bool = True) -> Machine:
        """Return equal nodes, of which a job takes whole ones."""
        return cls(((1,),) * count, tick, kill_at_request)

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.capacity)

    @cached_property
    def steps_s(self) -> tuple[int, ...]:
        """The times at which the capacity of a consumable changes."""
        return tuple(sorted({self.seen(s.at_s) for each in self.consumables for s in each.steps}))

    def capacity_at(self, time_s: float) -> list[Vector]:
        """Return what all nodes and consumables have at this time."""
        return list(self.capacity) + [(amount,) for amount in self.consumables_at(time_s)]

    def consumables_at(self, time_s: float) -> list[int]:
        """Return how much there is of each consumable at this time."""
        there = []
        for each in self.consumables:
            past = [step.capacity for step in each.steps if self.seen(step.at_s) <= time_s]
            there.append((each.capacity, *past)[-1])
        return there

    def some_of(self, name: str, amount: int) -> NodesAsked:
        """Return the part of a job that holds an amount of a consumable."""
        place = [each.name for each in self.consumables].index(name)
        return NodesAsked(frozenset({self.nodes + place}), 1, (amount,), site_wide=True)

    def seen(self, time_s: int) -> int:
        """Return when an event of this time is seen: at the next tick, or at once without ticks."""
        return -(-time_s // self.tick) * self.tick if self.tick else time_s

    def fits(self, node: int, free: Vector, part: NodesAsked) -> bool:
        """Return whether a node with these free resources can hold its share of the part."""
        if part.exclusive:
            return free == self.capacity[node]
        return covers(free, part.resources) and (part.gpus is None or part.gpus.fit(free))

    def taken(self, node: int, part: NodesAsked, free: Vector, job: int) -> Vector:
        """Return what the part takes of a node with these free resources.

        The place chooses the GPUs of which the part takes a share.
        """
        if part.exclusive:
            return self.capacity[node]
        if part.gpus is None:
            return part.resources
        able = part.gpus.able(free)
        if part.gpus.milli < WHOLE:
            asked = AskedNodes(job, part.count, part, self.gpus.start)
            able.sort(key=lambda at: self.place.of_gpu(asked, node, free, at))
        return more(part.resources, part.gpus.taken(able[: part.gpus.count], len(free)))

    def able(self, part: NodesAsked, free: Sequence[Vector]) -> list[int]:
        """Return the nodes that can hold a share of the part, lowest number first.

        Nodes with equal free resources are alike, except to a part that needs idle nodes.
        """
        if part.exclusive:
            return [node for node in part.in_order if free[node] == self.capacity[node]]
        states = {state for state in set(free) if self.fits(-1, state, part)}
        return [node for node in part.in_order if free[node] in states]

    def has_room(self, demand: Sequence[NodesAsked], free: Sequence[Vector]) -> bool:
        """Return whether enough nodes can hold the demand."""
        return all(len(self.able(part, free)) >= part.count for part in demand)

    def choose(
        self,
        demand: Sequence[NodesAsked],
        free: Sequence[Vector],
        avoid: frozenset[int] = frozenset(),
        *,
        job: int = 0,
    ) -> list[Held] | None:
        """Return the nodes for the demand that the place puts first; None if there are too few."""
        chosen: list[Held] = []
        for part in demand:
            room = [node for node in self.able(part, free) if node not in avoid]
            if len(room) < part.count:
                return None
            ranked = self.ranked(part, room, free, job)
            chosen += [
                Held(node, self.taken(node, part, free[node], job), part.site_wide)
                for node in sorted(ranked[: part.count])
            ]
        return chosen

    def ranked(
        self, part: NodesAsked, nodes: list[int], free: Sequence[Vector], job: int
    ) -> list[int]:
        """Return the nodes in the order in which the job takes them for the part."""
        asked = AskedNodes(job, part.count, part)
        return nodes if part.site_wide else self.place.rank(asked, nodes, free)


def without(free: list[Vector], nodes: frozenset[int]) -> list[Vector]:
    """Return the free resources with -1 of each on these nodes, so that no job fits there."""
    if not nodes:
        return free
    return [(-1,) * len(has) if node in nodes else has for node, has in enumerate(free)]


def covers(free: Vector, wanted: Vector) -> bool:
    """Return whether there is enough of every resource."""
    return all(map(ge, free, wanted))


def less(free: Vector, held: Vector) -> Vector:
    """Return what is left of a node's resources."""
    return tuple(map(sub, free, held))


def more(free: Vector, held: Vector) -> Vector:
    """Return what a node has when this is given back."""
    return tuple(map(add, free, held))


def nodes_of(demand: Sequence[NodesAsked]) -> frozenset[int]:
    """Return every node that the demand may use."""
    if len(demand) == 1:
        return demand[0].allowed
    return frozenset[int]().union(*(part.allowed for part in demand))


def pools_of(
    demands: Iterable[Sequence[NodesAsked]], machine: Machine
) -> list[frozenset[int]] | None:
    """Return the pools of whole, interchangeable nodes that all demands name; else None.

    Within such a pool a plan need only count nodes: any free one is as good as any other.
    """
    parts = {part for demand in demands for part in demand}
    pools = sorted({part.allowed for part in parts}, key=min)
    apart = sum(len(pool) for pool in pools) == len(frozenset[int]().union(*pools))
    whole = all(
        part.exclusive or {machine.capacity[node] for node in part.allowed} == {part.resources}
        for part in parts
    )
    return pools if apart and whole else None
