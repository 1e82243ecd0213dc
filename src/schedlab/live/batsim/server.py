"""The ZeroMQ socket to which Batsim connects."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from schedlab.errors import MissingExtraError, ParameterError, PeerError
from schedlab.live.batsim.session import Session

if TYPE_CHECKING:
    import zmq

_FAREWELL_MS = 5_000
_SIGNALS_MS = 200
"""The longest delay of a signal that arrives just before the socket waits."""


def serve(
    session: Session,
    endpoint: str,
    *,
    timeout_s: float,
    listening: Callable[[str], None] = lambda endpoint: None,
) -> None:
    """Answer Batsim's messages until its simulation ends.

    Args:
        session: gives the answers.
        endpoint: where to listen, such as ``tcp://127.0.0.1:28000``; the port ``*`` stands for
            any free one.
        timeout_s: how long to wait for a message before PeerError.
        listening: called with the endpoint, its port filled in, once Batsim may connect.
    """
    if find_spec("zmq") is None:
        raise MissingExtraError("pyzmq", "batsim")
    import zmq

    with zmq.Context() as context, context.socket(zmq.REP) as socket:
        socket.linger = 0  # after an error, do not wait for unsent messages
        try:
            socket.bind(endpoint)
        except zmq.ZMQError as error:
            raise ParameterError(f"cannot listen at {endpoint}: {error.strerror.lower()}") from None
        listening(socket.getsockopt_string(zmq.LAST_ENDPOINT))
        while not session.finished:
            if not _message_comes(socket, timeout_s):
                raise PeerError(f"no message came from Batsim for {timeout_s:g} s")
            reply = session.answer(socket.recv())
            socket.linger = _FAREWELL_MS if session.finished else 0
            socket.send(reply)


def _message_comes(socket: zmq.Socket[bytes], timeout_s: float) -> bool:
    """Wait for a message, and return whether one came."""
    give_up_s = time.monotonic() + timeout_s
    while (left_s := give_up_s - time.monotonic()) > 0:
        if socket.poll(min(_SIGNALS_MS, round(1000 * left_s))):
            return True
    return False
