"""Agents as actors of Ray, on the machines of a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.queue import Empty, Queue

from schedlab.coalloc.agents.agent import Agent
from schedlab.coalloc.agents.message import COORDINATOR, Answer, Lost, Message
from schedlab.errors import ParameterError, PeerError

BEAT_S = 0.5
SILENCE_S = 30.0
"""The time without a sign after which an actor counts as lost; it may be just starting."""
IDLE_BEATS = 4
"""The number of beats after which, if all agents are idle, a message counts as lost."""


class _Actor:
    """An agent that calls the others itself."""

    def __init__(self, number: int, answers: Queue) -> None:
        self._agent, self._answers = Agent(number), answers
        self._peers: dict[int, Any] = {}
        self._busy = False

    def meet(self, peers: dict[int, Any]) -> None:
        """Keep the other agents' actors."""
        self._peers = peers

    def receive(self, message: Message) -> None:
        """Compute, and send the messages that follow."""
        self._busy = True
        try:
            for to, said in self._agent.receive(message):
                if to == COORDINATOR:
                    self._answers.put(said)
                elif to in self._peers:
                    self._peers[to].receive.remote(said)
        finally:
            self._busy = False

    @ray.method(concurrency_group="beat")  # type: ignore[untyped-decorator, unused-ignore]
    def beat(self) -> bool:
        """Return whether it computes; the answer comes at once."""
        return self._busy


class RayActors:
    """One actor for each agent; Ray carries the messages and says which actors have died."""

    def __init__(self) -> None:
        if not ray.is_initialized():
            raise ParameterError("not connected to Ray; call ray.init() first")
        remote: Any = ray.remote  # its types lack concurrency groups
        self._actor = remote(concurrency_groups={"beat": 1}, num_cpus=0)(_Actor)
        self._answers = Queue(actor_options={"num_cpus": 0})
        self._actors: dict[int, Any] = {}

    def start(self, agents: Iterable[int]) -> None:
        """Start new actors for these agents, in place of former ones if there are any."""
        for agent in agents:
            self._kill(agent)
            self._actors[agent] = self._actor.remote(agent, self._answers)
        for actor in self._actors.values():
            actor.meet.remote(self._actors)

    def send(self, agent: int, message: Message) -> None:
        """Send a message to the agent's actor, if there is one."""
        if agent in self._actors:
            self._actors[agent].receive.remote(message)

    def receive(self) -> Answer | Lost | None:
        """Return the next answer or loss; None when all actors have been idle for a while."""
        idle = 0
        while idle < IDLE_BEATS:
            try:
                answer: Answer = self._answers.get(timeout=BEAT_S)
            except Empty:
                beat = self._beat()
                if isinstance(beat, Lost):
                    return beat
                idle = 0 if beat else idle + 1
            except RayError as error:
                raise PeerError(f"Ray lost the agents' answers: {type(error).__name__}") from None
            else:
                return answer
        return None

    def close(self) -> None:
        """End all actors."""
        for agent in list(self._actors):
            self._kill(agent)
        self._answers.shutdown(force=True)

    def _beat(self) -> Lost | bool:
        """Return whether any agent is busy, or the first one that is lost."""
        beats = {agent: actor.beat.remote() for agent, actor in self._actors.items()}
        busy = False
        for agent, beat in beats.items():
            try:
                busy |= ray.get(beat, timeout=SILENCE_S)
            except RayError as error:
                self._kill(agent)
                return Lost(agent, f"Ray says {type(error).__name__}")
        return busy

    def _kill(self, agent: int) -> None:
        actor = self._actors.pop(agent, None)
        if actor is not None:
            ray.kill(actor)
