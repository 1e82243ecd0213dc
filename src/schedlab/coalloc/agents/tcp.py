"""Agents as programs that are reached over TCP, on this machine or on others."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Protocol

from schedlab.coalloc.agents.channel import Channel, parse_address
from schedlab.coalloc.agents.encoding import Beat, Hello, Meet, Wired
from schedlab.coalloc.agents.message import COORDINATOR, Answer, Lost, Message
from schedlab.errors import ParameterError, PeerError

BEAT_S = 0.5
SILENCE_S = 10.0
"""The time without a sign of life after which an agent counts as lost."""
PATIENCE_S = 2.0
"""The time after which, if all agents are idle, a message counts as lost."""


class Places(Protocol):
    """Where agents run."""

    def start(self, agents: Iterable[int]) -> dict[int, str]:
        """Make sure that each of these agents listens, and return where."""

    def close(self) -> None:
        """Note that no agent is needed any more."""


class RemoteAgents:
    """Agents that a user has started, perhaps on other machines; surplus ones are spare."""

    def __init__(self, addresses: Sequence[str]) -> None:
        for address in addresses:
            parse_address(address)
        if len(set(addresses)) < len(addresses):
            raise ParameterError(f"addresses {', '.join(addresses)}: one is given twice")
        self._spare, self._taken = list(addresses), dict[int, str]()

    def start(self, agents: Iterable[int]) -> dict[int, str]:
        """Return the next free address for each; a lost agent is replaced if there is another."""
        agents = list(agents)
        if len(agents) > len(self._spare) + len(self._taken):
            raise ParameterError(f"{len(agents)} agents at {len(self._spare)} addresses")
        for agent in agents:
            if agent in self._taken:
                self._spare.append(self._taken.pop(agent))
            self._taken[agent] = self._spare.pop(0)
        return {agent: self._taken[agent] for agent in agents}

    def close(self) -> None:
        """Leave the agents running, for the next coordinator."""


class Tcp:
    """Calls every agent; agents call each other. Beats show which are alive and which are busy."""

    def __init__(
        self,
        places: Places,
        secret: bytes,
        *,
        silence_s: float = SILENCE_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._places, self._secret = places, secret
        self._silence_s, self._patience_s = silence_s, patience_s
        self._session = secrets.token_hex(8)
        self._channels: dict[int, Channel] = {}
        self._addresses: dict[int, str] = {}
        self._heard: dict[int, float] = {}
        self._events: SimpleQueue[tuple[int, Channel | None, Wired | Lost]] = SimpleQueue()

    def start(self, agents: Iterable[int]) -> None:
        """Call these agents (again), and send all agents the addresses of the others."""
        agents = list(agents)
        for agent in agents:
            self._hang_up(agent)
        found = self._places.start(agents)
        self._addresses |= found
        for agent, address in found.items():
            self._call(agent, address)
        for agent in self._channels:
            self.send(agent, Meet(self._addresses))

    def send(self, agent: int, message: Message | Meet) -> None:
        """Send a message; if the agent turns out to be lost, ``receive`` returns the loss."""
        channel = self._channels.get(agent)
        if channel is not None:
            try:
                channel.send(message)
            except OSError as error:
                self._events.put((agent, channel, Lost(agent, _reason(error))))

    def receive(self) -> Answer | Lost | None:
        """Return the next answer or loss; None when all have been idle for a while."""
        idle_since = time.monotonic()
        while time.monotonic() - idle_since < self._patience_s:
            silent = self._silent()
            if silent is not None:
                return silent
            try:
                agent, channel, event = self._events.get(timeout=BEAT_S)
            except Empty:
                continue
            if channel is not self._channels.get(agent):
                continue  # of an agent that has been replaced since
            if isinstance(event, Lost):
                self._hang_up(agent)
                return event
            if isinstance(event, Answer):
                return event
            if isinstance(event, Beat) and event.busy:
                idle_since = time.monotonic()
        return None

    def close(self) -> None:
        """End all connections: the agents' sessions end with them."""
        for agent in list(self._channels):
            self._hang_up(agent)
        self._places.close()

    def _call(self, agent: int, address: str) -> None:
        hello = Hello(self._session, COORDINATOR, agent, BEAT_S)
        try:
            channel = Channel.to(address, self._secret, hello)
        except (OSError, PeerError) as error:
            self._events.put((agent, None, Lost(agent, f"{address}: {_reason(error)}")))
            return
        self._channels[agent], self._heard[agent] = channel, time.monotonic()
        Thread(target=self._listen, args=(agent, channel), daemon=True).start()

    def _listen(self, agent: int, channel: Channel) -> None:
        """Pass on the messages of an agent until its connection breaks."""
        while True:
            try:
                message = channel.receive()
            except (OSError, PeerError) as error:
                self._events.put((agent, channel, Lost(agent, _reason(error))))
                return
            if channel is self._channels.get(agent):
                self._heard[agent] = time.monotonic()
            self._events.put((agent, channel, message))

    def _silent(self) -> Lost | None:
        """Return the loss of an agent that has given no sign of life for too long."""
        for agent in self._channels:
            if time.monotonic() - self._heard[agent] > self._silence_s:
                self._hang_up(agent)
                return Lost(agent, f"silent for {self._silence_s:g} s")
        return None

    def _hang_up(self, agent: int) -> None:
        channel = self._channels.pop(agent, None)
        if channel is not None:
            channel.close()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
