"""What agents learn of each other's jobs from the messages of DPOP, as upper bounds in bits."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from schedlab._core import Combine
from schedlab.coalloc.integral import integral_values
from schedlab.coalloc.messages import Learnt
from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.propagation import BYTES_PER_VALUE
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.utility import Utilities

TIMES = 3
"""How many numbers a job's domain reveals: its length, release and deadline."""


@dataclass(frozen=True)
class Pass:
    """The input of one pass of UTIL and VALUE."""

    network: ConstraintNetwork
    tree: PseudoTree
    utilities: Utilities

    @property
    def jobs(self) -> Sequence[int]:
        """Which jobs of the problem the variables are."""
        return self.network.jobs or range(len(self.network.variables))

    @property
    def bits_per_cell(self) -> float:
        """The bits of a cell, which is a whole number of a known range, or minus infinity."""
        ranges = [float(table.max() - table.min()) for table in self.utilities.tables]
        if self.utilities.combine is Combine.SUM:
            return math.log2(math.fsum(ranges) + 2)
        tables = self.utilities.tables
        return math.log2(max(map(max, tables)) - min(map(min, tables)) + 2)


@dataclass
class _Ledger:
    """What one agent has heard so far, and what of its own jobs went to others."""

    known: set[int] = field(default_factory=set)
    behind: set[int] = field(default_factory=set)
    told: set[int] = field(default_factory=set)
    cells: int = 0
    bits: float = 0.0
    shown: set[int] = field(default_factory=set)
    """Its own jobs that are known to others."""
    said: float = 0.0
    """Bits of messages to others that depend on its own jobs."""


def learnt(problem: Problem, owners: Sequence[int], passes: Sequence[Pass]) -> tuple[Learnt, ...]:
    """Return for each agent what it learnt in these passes."""
    data = _data_bits(problem)
    ledgers = {agent: _Ledger() for agent in sorted(set(owners))}
    earlier: set[int] = set()
    for each in passes:
        _enter_messages(each, owners, data, ledgers)
        for job, other in _deleted(each, problem, earlier):
            if owners[job] != owners[other]:
                ledgers[owners[other]].told.add(job)
        earlier.update(each.jobs)
    domain_bits = TIMES * math.log2(problem.slots + 1)
    return tuple(
        _learnt(agent, ledger, owners, data, domain_bits) for agent, ledger in ledgers.items()
    )


def _learnt(
    agent: int,
    ledger: _Ledger,
    owners: Sequence[int],
    data: Sequence[float],
    domain_bits: float,
) -> Learnt:
    own = {job for job, owner in enumerate(owners) if owner == agent}
    others = set(range(len(owners))) - own

    def of(jobs: set[int]) -> float:
        return math.fsum(data[job] for job in jobs)

    heard = ledger.known | ledger.behind
    return Learnt(
        agent,
        own_jobs=len(own),
        known=len(ledger.known),
        summed=len(ledger.behind - ledger.known),
        unheard=len(others - heard),
        cells=ledger.cells,
        values=len(ledger.told),
        bits=min(ledger.bits + len(ledger.known) * domain_bits, of(heard)),
        all_bits=of(others),
        revealed=min(ledger.said + len(ledger.shown) * domain_bits, of(own)),
        own_bits=of(own),
    )


def crossing(passes: Sequence[Pass], owners: Sequence[int]) -> tuple[int, int]:
    """Return how many messages went from one agent to another, and their bytes together."""
    messages = sent = 0
    for each in passes:
        cells = each.tree.cells(each.network.sizes)
        for child, _ in _between(each, owners):
            told = len(each.tree.separators[child]) * BYTES_PER_VALUE
            messages += 2
            sent += cells[child] * each.utilities.bytes_per_cell + told
    return messages, sent


def _enter_messages(
    each: Pass, owners: Sequence[int], data: Sequence[float], ledgers: dict[int, _Ledger]
) -> None:
    """Add what separators, UTIL and VALUE reveal."""
    jobs, tree, cells = each.jobs, each.tree, each.tree.cells(each.network.sizes)
    bits_per_cell = each.bits_per_cell
    of: defaultdict[int, set[int]] = defaultdict(set)
    for node, separator in enumerate(tree.separators):
        of[owners[jobs[node]]].update(jobs[other] for other in separator)
    for agent, seen in of.items():
        ledgers[agent].known |= {job for job in seen if owners[job] != agent}
        for job in seen:
            if owners[job] != agent:
                ledgers[owners[job]].shown.add(job)
    for child, parent in _between(each, owners):
        agent = owners[jobs[parent]]
        below = {jobs[job] for job in tree.subtree(child) if owners[jobs[job]] != agent}
        ledger = ledgers[agent]
        ledger.behind |= below
        ledger.cells += cells[child]
        content: defaultdict[int, float] = defaultdict(float)
        for job in below:
            content[owners[job]] += data[job]
        bits = cells[child] * bits_per_cell
        ledger.bits += min(bits, math.fsum(content.values()))
        for other, held in content.items():
            ledgers[other].said += min(bits, held)
        whose = owners[jobs[child]]
        told = {jobs[other] for other in tree.separators[child]}
        ledgers[whose].told |= {job for job in told if owners[job] != whose}


def _between(each: Pass, owners: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the edges of the tree, (child, parent), whose ends are different agents'."""
    for child, parent in enumerate(each.tree.parents):
        if parent is not None and owners[each.jobs[child]] != owners[each.jobs[parent]]:
            yield child, parent


def _deleted(each: Pass, problem: Problem, earlier: set[int]) -> Iterator[tuple[int, int]]:
    """Yield conflicts that only domains keep, (job, other): the other learnt the job's slots.

    The job was placed in an earlier part, or is confined to one slot. Where neither end is, both
    keep out of the slots of a third job, and those are what they learnt.
    """
    place, conflicts = {job: at for at, job in enumerate(each.jobs)}, problem.conflicts()
    neighbours = each.network.neighbours
    confined = [np.count_nonzero(own.starts != LEFT_OUT) <= 1 for own in each.network.variables]
    for other, at in place.items():
        for job in conflicts[other]:
            if job not in place:
                if job in earlier:
                    yield job, other
            elif place[job] not in neighbours[at] and confined[place[job]]:
                yield job, other


def _data_bits(problem: Problem) -> list[float]:
    """Return each job's bits: which resources, its three times, its value among whole numbers."""
    whole, _ = integral_values([job.value for job in problem.jobs])
    times = TIMES * math.log2(problem.slots + 1)
    return [len(problem.resources) + times + math.log2(max(whole) + 1)] * len(problem.jobs)
