"""The contract of a transport: it starts agents, and carries messages to and from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from schedlab.coalloc.agents.message import Answer, Lost, Message


class Transport(Protocol):
    """Runs agents somewhere and lets them talk to each other and to the coordinator.

    Messages between agents go there directly. A message that cannot be delivered is dropped: the
    coordinator asks for it again. A loss is never raised as an error; ``receive`` returns it.
    """

    def start(self, agents: Iterable[int]) -> None:
        """Start these agents without any data; one that has been there before is replaced."""

    def send(self, agent: int, message: Message) -> None:
        """Carry a message from the coordinator to an agent."""

    def receive(self) -> Answer | Lost | None:
        """Return the next answer or lost agent; None if all are idle and no message comes."""

    def close(self) -> None:
        """Release all agents."""
