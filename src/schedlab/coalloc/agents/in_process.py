"""Agents within this process, on a simulated clock: every message counted, faults on demand."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count

from schedlab.coalloc.agents.agent import Agent
from schedlab.coalloc.agents.message import COORDINATOR, Answer, Lost, Message, Util, Value


@dataclass(frozen=True)
class Conditions:
    """How well agents and the lines between them work."""

    hop_s: float = 1.0
    """The time that a message takes from one agent to another; computing takes no time."""
    slow_s: Mapping[int, float] = field(default_factory=dict)
    """Agents whose messages take longer, by this much."""
    leaves_s: Mapping[int, float] = field(default_factory=dict)
    """Agents that are gone for good from that time on."""
    lost: frozenset[int] = frozenset()
    """Which messages between agents do not arrive, numbered from 1 as they are sent."""


class InProcess:
    """Delivers messages in the order of a simulated clock.

    Without conditions, every message takes as long as any other, so that the clock counts cycles.
    """

    def __init__(self, conditions: Conditions | None = None) -> None:
        self._conditions = conditions or Conditions()
        self.clock = "cycles between agents" if conditions is None else "simulated seconds"
        self.clock_s = 0.0
        self.messages = self.bytes = 0  # between agents
        self._agents: dict[int, Agent] = {}
        self._order = count()
        self._queue: list[tuple[float, int, int, Message | None]] = []
        self._reports: deque[Answer | Lost] = deque()
        for agent, time_s in self._conditions.leaves_s.items():
            heapq.heappush(self._queue, (time_s, next(self._order), agent, None))

    def start(self, agents: Iterable[int]) -> None:
        """Start these agents; one that has left does not come back."""
        for agent in agents:
            if self._conditions.leaves_s.get(agent, self.clock_s + 1) > self.clock_s:
                self._agents[agent] = Agent(agent)
            else:
                self._leave(agent)

    def send(self, agent: int, message: Message) -> None:
        """Deliver at once: a coordinator's message is not a message between agents."""
        self._deliver(agent, message, self.clock_s)

    def receive(self) -> Answer | Lost | None:
        """Let agents talk until one answers or leaves; None when all are silent."""
        while self._queue and not self._reports:
            time_s, _, agent, message = heapq.heappop(self._queue)
            self.clock_s = max(self.clock_s, time_s)
            if message is None:
                self._leave(agent)
            elif agent in self._agents:
                for to, said in self._agents[agent].receive(message):
                    self._post(agent, to, said)
        return self._reports.popleft() if self._reports else None

    def close(self) -> None:
        """Forget the agents."""
        self._agents.clear()
        self._queue.clear()

    def _post(self, sender: int, to: int, message: Message) -> None:
        if to == COORDINATOR and isinstance(message, Answer):
            self._reports.append(message)
        elif isinstance(message, Util | Value):
            self.messages += 1
            self.bytes += message.payload_bytes
            took_s = self._conditions.hop_s + self._conditions.slow_s.get(sender, 0.0)
            if self.messages not in self._conditions.lost:
                self._deliver(to, message, self.clock_s + took_s)

    def _deliver(self, agent: int, message: Message, time_s: float) -> None:
        heapq.heappush(self._queue, (time_s, next(self._order), agent, message))

    def _leave(self, agent: int) -> None:
        self._agents.pop(agent, None)
        self._reports.append(Lost(agent, "it has left"))
