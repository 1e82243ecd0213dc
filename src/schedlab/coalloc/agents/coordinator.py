"""The coordinator: deals the nodes of a pass to agents, waits, and replaces those that fail."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from schedlab._core import Combine
from schedlab.coalloc.agents.message import Answer, Lost, Resend, Share
from schedlab.coalloc.agents.privacy import Pass
from schedlab.coalloc.agents.transport import Transport
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.propagation import Optimum, joined, tree_nodes
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.utility import Utilities
from schedlab.errors import AgentLostError, PeerError

TRIES = 3
"""How often, within one pass, an agent is replaced or missing messages are asked for again."""


@dataclass
class Coordinator:
    """Lets agents run the passes of a solver: a ``Propagate`` whose nodes are elsewhere.

    An agent that is lost is replaced: the new one gets the same share, and the others send it again
    what they had sent to its predecessor. Where no message comes any more, all agents are asked to
    repeat their messages. The result is checked before it counts.
    """

    transport: Transport
    owners: Sequence[int]
    """The agent of each job of the problem."""
    passes: list[Pass] = field(default_factory=list)
    replaced: int = 0
    """How often an agent was replaced."""
    asked_again: int = 0
    """How often all agents were asked to repeat their messages."""
    _epoch: int = 0
    _absent: set[int] = field(default_factory=set)
    """Agents that are lost, but not needed so far."""

    def __call__(
        self, network: ConstraintNetwork, tree: PseudoTree, utilities: Utilities, threads: int
    ) -> Optimum:
        """Run one pass of UTIL and VALUE over the whole forest."""
        if min(network.sizes, default=1) == 0:
            return Optimum(-math.inf, ())
        self._epoch += 1
        self.passes.append(Pass(network, tree, utilities))
        shares = self._shares(network, tree, utilities, threads)
        self._recall(shares)
        for agent, share in shares.items():
            self.transport.send(agent, share)
        answers = self._answers(shares)
        if answers is None:
            return Optimum(-math.inf, ())
        return _checked(answers, network, utilities)

    def _shares(
        self, network: ConstraintNetwork, tree: PseudoTree, utilities: Utilities, threads: int
    ) -> dict[int, Share]:
        """Give each agent its own nodes and no others."""
        jobs = network.jobs or range(len(network.variables))
        owner = [self.owners[job] for job in jobs]
        nodes = tree_nodes(network, tree, utilities)
        shares = {}
        for agent in sorted(set(owner)):
            own = {job: nodes[job] for job, whose in enumerate(owner) if whose == agent}
            children = {job: tree.children[job] for job in own}
            parents = (tree.parents[job] for job in own)
            near = {job for job in parents if job is not None}.union(*children.values())
            whose = {job: owner[job] for job in sorted(near)}
            shares[agent] = Share(self._epoch, own, children, whose, threads)
        return shares

    def _recall(self, shares: dict[int, Share]) -> None:
        """Restart the agents that were lost before and are needed now."""
        again = sorted(self._absent & shares.keys())
        if again:
            self._absent.difference_update(again)
            self.transport.start(again)

    def _answers(self, shares: dict[int, Share]) -> dict[int, Answer] | None:
        """Return the answers of all agents; None as soon as one says that nothing is feasible."""
        answers: dict[int, Answer] = {}
        tries: Counter[int | None] = Counter()
        while len(answers) < len(shares):
            event = self.transport.receive()
            if isinstance(event, Lost) and event.agent not in shares:
                self._absent.add(event.agent)
            elif isinstance(event, Lost):
                self._replace(event, shares, tries)
            elif event is None:
                self._ask_again(shares, answers, tries)
            elif event.epoch == self._epoch:
                if not event.feasible:
                    return None
                answers[event.agent] = event
        return answers

    def _replace(self, lost: Lost, shares: dict[int, Share], tries: Counter[int | None]) -> None:
        if tries[lost.agent] == TRIES:
            self._absent.add(lost.agent)
            raise AgentLostError(lost.agent, f"{lost.reason}, also after {TRIES} replacements")
        tries[lost.agent] += 1
        self.replaced += 1
        self.transport.start([lost.agent])
        self.transport.send(lost.agent, shares[lost.agent])
        for agent in shares:
            if agent != lost.agent:
                self.transport.send(agent, Resend(self._epoch, lost.agent))

    def _ask_again(
        self,
        shares: dict[int, Share],
        answers: dict[int, Answer],
        tries: Counter[int | None],
    ) -> None:
        missing = ", ".join(str(agent) for agent in shares if agent not in answers)
        if tries[None] == TRIES:
            raise PeerError(
                f"no answer from agents {missing}, though all were asked {TRIES} times to "
                "repeat their messages: messages get lost"
            )
        tries[None] += 1
        self.asked_again += 1
        for agent, share in shares.items():
            if agent not in answers:
                self.transport.send(agent, share)  # the share itself may have been lost
            self.transport.send(agent, Resend(self._epoch))


def _checked(
    answers: dict[int, Answer], network: ConstraintNetwork, utilities: Utilities
) -> Optimum:
    """Return the values that the agents chose, if they have the utility that the agents sent."""
    values = {job: value for each in answers.values() for job, value in each.values.items()}
    roots = [best for each in answers.values() for best in each.utilities.values()]
    utility = joined(roots, utilities.combine)
    found = Optimum(utility, tuple(values.get(job, -1) for job in range(len(network.variables))))
    if _worth(found.values, network, utilities) != utility:
        raise PeerError("the agents' values do not match their messages")
    return found


def _worth(values: Sequence[int], network: ConstraintNetwork, utilities: Utilities) -> float | None:
    """Return the utility of the values; None if one is outside its domain, or two overlap."""
    worth = []
    for job, (value, own) in enumerate(zip(values, network.variables, strict=True)):
        place = (own.starts == value).nonzero()[0]
        if not len(place):
            return None
        worth.append(float(utilities.tables[job][place[0]]))
        for other in network.neighbours[job]:
            if not own.beside(network.variables[other], values[other])[place[0]]:
                return None
    return math.fsum(worth) if utilities.combine is Combine.SUM else min(worth)
