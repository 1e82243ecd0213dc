"""Co-allocation by agents that own the jobs, exchange UTIL and VALUE, and run anywhere."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from schedlab.coalloc.agents.coordinator import Coordinator
from schedlab.coalloc.agents.distributed import IF_LOST, Distributed, require_message_passing
from schedlab.coalloc.agents.in_process import Conditions, InProcess
from schedlab.coalloc.agents.owners import WAYS as OWNERS
from schedlab.coalloc.agents.owners import job_owners
from schedlab.coalloc.agents.process import SECRET_VARIABLE, LocalProcesses
from schedlab.coalloc.agents.tcp import RemoteAgents, Tcp
from schedlab.coalloc.agents.transport import Transport
from schedlab.errors import MissingExtraError, ParameterError, UnknownNameError

__all__ = [
    "IF_LOST",
    "OWNERS",
    "TRANSPORTS",
    "Conditions",
    "Coordinator",
    "Distributed",
    "InProcess",
    "Transport",
    "TransportEntry",
    "find_transport",
    "job_owners",
    "require_message_passing",
    "shared_secret",
]


@dataclass(frozen=True)
class TransportEntry:
    """One line of the table of transports."""

    sentence: str
    make: Callable[[], Transport]


def _local_tcp() -> Transport:
    secret = secrets.token_hex(32).encode()
    return Tcp(LocalProcesses(secret), secret)


def _ray() -> Transport:
    if find_spec("ray") is None:
        raise MissingExtraError("ray", "ray")
    from schedlab.coalloc.agents.ray_actors import RayActors

    return RayActors()


TRANSPORTS: dict[str, TransportEntry] = {
    "inprocess": TransportEntry("Within this process, on a simulated clock.", InProcess),
    "tcp": TransportEntry("Processes of this machine, or programs at given addresses.", _local_tcp),
    "ray": TransportEntry("Actors of Ray.", _ray),
}


def find_transport(name: str, addresses: Sequence[str] = ()) -> Callable[[], Transport]:
    """Return a function that makes this transport, to agents at the addresses if there are any."""
    if name not in TRANSPORTS:
        raise UnknownNameError("transport", name, TRANSPORTS)
    if not addresses:
        return TRANSPORTS[name].make
    if name != "tcp":
        raise ParameterError(f"transport {name} takes no addresses; tcp does")
    RemoteAgents(addresses)
    secret = shared_secret()
    return partial(_standing_tcp, tuple(addresses), secret)


def _standing_tcp(addresses: Sequence[str], secret: bytes) -> Transport:
    return Tcp(RemoteAgents(addresses), secret)


def shared_secret() -> bytes:
    """Return the secret that agents on several machines and their coordinator must all know."""
    secret = os.environ.get(SECRET_VARIABLE, "").strip()
    if len(secret) < 16:
        raise ParameterError(
            f"set {SECRET_VARIABLE} to the same secret of at least 16 characters wherever an "
            "agent or the coordinator runs"
        )
    return secret.encode()
