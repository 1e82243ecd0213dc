"""The contract of a transport: it starts agents, and carries messages to and from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from schedlab.coalloc.agents.message import Answer, Lost, Message


class Transport(Protocol):
    """Runs agents somewhere and lets them talk to each other and to the coordinator.

    What an agent has to say to another goes there directly. A message that cannot be delivered is
    dropped: an agent that misses it asks again. A loss is never raised, ``receive`` returns it.
    """

    def start(self, agents: Iterable[int]) -> None:
        """Start these agents without any data; one that has been there before is replaced."""

    def send(self, agent: int, message: Message) -> None:
        """Carry a message of the coordinator's to an agent."""

    def receive(self) -> Answer | Lost | None:
        """Return the next answer, or the lost agents; None if all are idle and nothing comes."""

    def close(self) -> None:
        """Let all agents go."""
