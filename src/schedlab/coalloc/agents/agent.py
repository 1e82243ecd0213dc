"""An agent: computes the nodes it owns from the messages it gets, and says what to send."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from schedlab.coalloc.agents.message import (
    COORDINATOR,
    Addressed,
    Answer,
    Message,
    Resend,
    Share,
    Util,
    Value,
)
from schedlab.coalloc.node import UtilMessage


class Agent:
    """Owns some jobs, one or a whole cluster's, and knows of others only what messages say.

    It never waits: each message leads to messages that the transport carries away. A repeated
    message changes nothing, so what may have been lost can be sent again.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._share = Share(0, {}, {}, {})
        self._utils: dict[int, UtilMessage] = {}
        self._missing: dict[int, int] = {}  # own node: number of children not heard yet
        self._told: dict[int, Mapping[int, int]] = {}
        self._chosen: dict[int, int] = {}
        self._utilities: dict[int, float] = {}
        self._said: list[Addressed] = []
        self._early: list[Message] = []  # from agents that got their shares before this one

    def receive(self, message: Message) -> list[Addressed]:
        """Take in one message; return what to send now, and where."""
        if isinstance(message, Share):
            return self._begin(message)
        if message.epoch > self._share.epoch:
            self._early.append(message)
        if message.epoch != self._share.epoch:
            return []
        if isinstance(message, Resend):
            return [each for each in self._said if message.agent in (None, each[0])]
        before = len(self._said)
        if isinstance(message, Util):
            self._compute(self._heard(message.job, message.content))
        elif isinstance(message, Value) and message.job in self._share.nodes:
            # A replacement agent may get this before the messages of the node's children.
            self._told[message.job] = message.values
            self._choose(message.job)
        return self._said[before:]

    def _begin(self, share: Share) -> list[Addressed]:
        if share.epoch <= self._share.epoch:
            return []
        self._share = share
        self._missing = {job: len(share.children[job]) for job in share.nodes}
        self._utils, self._told, self._chosen = {}, {}, {}
        self._utilities, self._said = {}, []
        self._compute(job for job, count in self._missing.items() if not count)
        early, self._early = self._early, []
        for message in early:
            self.receive(message)
        return list(self._said)

    def _heard(self, job: int, util: UtilMessage) -> list[int]:
        """Keep a child's message; return its parent, if that has now heard all children."""
        parent = util.separator[-1]
        if job in self._utils or job not in self._share.children.get(parent, ()):
            return []
        self._utils[job] = util
        self._missing[parent] -= 1
        return [] if self._missing[parent] else [parent]

    def _compute(self, ready: Iterable[int]) -> None:
        """Compute UTIL messages of nodes that have heard all children, and then of parents here."""
        waiting = list(ready)
        while waiting:
            job = waiting.pop()
            util = self._share.nodes[job].util(self._below(job), self._share.threads)
            if not util.separator:
                self._decide(job, float(util.table))
            elif self._owner(util.separator[-1]) == self.number:
                waiting += self._heard(job, util)
            else:
                self._say(self._owner(util.separator[-1]), Util(self._share.epoch, job, util))
                self._choose(job)

    def _decide(self, root: int, utility: float) -> None:
        if utility == -math.inf:
            self._say(COORDINATOR, Answer(self._share.epoch, self.number, feasible=False))
            return
        self._utilities[root] = utility
        self._told[root] = {}
        self._choose(root)

    def _choose(self, job: int) -> None:
        """Choose values of a node and of those below it here; send other agents what they need."""
        waiting = [job]
        while waiting:
            here = waiting.pop()
            if here in self._chosen or here not in self._told or self._missing[here]:
                continue
            above = self._told[here]
            self._chosen[here] = self._share.nodes[here].choose(above, self._below(here))
            waiting += self._tell({**above, here: self._chosen[here]}, self._share.children[here])
            if len(self._chosen) == len(self._share.nodes):
                self._say(COORDINATOR, self._answer())

    def _tell(self, known: Mapping[int, int], children: Iterable[int]) -> list[int]:
        """Give children the values in their separators; return those that are here."""
        here = []
        for child in children:
            values = {each: known[each] for each in self._utils[child].separator}
            if self._owner(child) == self.number:
                self._told[child] = values
                here.append(child)
            else:
                self._say(self._owner(child), Value(self._share.epoch, child, values))
        return here

    def _answer(self) -> Answer:
        return Answer(self._share.epoch, self.number, True, self._utilities, dict(self._chosen))

    def _below(self, job: int) -> list[UtilMessage]:
        return [self._utils[child] for child in self._share.children[job]]

    def _owner(self, job: int) -> int:
        return self._share.owners[job]

    def _say(self, to: int, message: Message) -> None:
        self._said.append((to, message))
