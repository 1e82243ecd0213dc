"""Fixtures that serve a Batsim session on a real socket and connect to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from queue import SimpleQueue
from threading import Thread

import pytest
import zmq

from schedlab.live.batsim import Session
from schedlab.live.batsim.server import serve
from schedlab.testing.batsim.peer import Ask

PATIENCE_MS = 300_000

Connect = Callable[[Session], AbstractContextManager[Ask]]


@contextmanager
def asking(endpoint: str) -> Iterator[Ask]:
    """Connect to the socket as Batsim does, and yield a function that asks one message."""
    with zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.linger, socket.rcvtimeo = 0, PATIENCE_MS
        socket.connect(endpoint)

        def ask(message: bytes) -> bytes:
            socket.send(message)
            return socket.recv()

        yield ask


@pytest.fixture
def connect() -> Connect:
    """A function that serves a session in a thread of its own and connects to it."""

    @contextmanager
    def connected(session: Session) -> Iterator[Ask]:
        endpoints: SimpleQueue[str] = SimpleQueue()
        server = Thread(
            target=serve,
            args=(session, "tcp://127.0.0.1:*"),
            kwargs={"timeout_s": PATIENCE_MS / 1000, "listening": endpoints.put},
        )
        server.start()
        with asking(endpoints.get(timeout=PATIENCE_MS / 1000)) as ask:
            yield ask
        server.join(timeout=PATIENCE_MS / 1000)
        assert not server.is_alive()

    return connected
