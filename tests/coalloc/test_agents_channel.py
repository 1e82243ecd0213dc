"""The connections between agents: a message arrives unchanged or not at all."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import numpy as np
import pytest

from schedlab._core import Combine
from schedlab.coalloc.agents.channel import PREFIX, Channel
from schedlab.coalloc.agents.encoding import Beat, Hello, Meet, Wired, decode, encode
from schedlab.coalloc.agents.message import Answer, Resend, Share, Util, Value
from schedlab.coalloc.network import Variable
from schedlab.coalloc.node import JobNode, UtilMessage
from schedlab.errors import PeerError

SECRET = b"a secret of the tests"
HELLO = Hello("session", 1, 2, 0.5)


def variable(*starts: int) -> Variable:
    """Return a job of two slots with these starts."""
    return Variable(np.array(starts, dtype=np.int32), 2)


TABLE = np.array([[0.5, -np.inf], [3.0, 2.0]], dtype=np.float32)
NODE = JobNode(
    3,
    variable(0, 1, 2),
    np.array([0.0, 0.1, 7.0]),
    {1: variable(1, 2), 2: variable(0, 4)},
    frozenset({2}),
    Combine.WORST,
)
MESSAGES: list[Wired] = [
    Share(2, {3: NODE}, {3: (4, 5)}, {2: 1, 4: 2, 5: 1}, threads=2),
    Util(2, 3, UtilMessage((1, 2), TABLE)),
    Value(2, 4, {1: 2, 3: 0}),
    Answer(2, 1, True, {3: -7.0}, {3: 2}),
    Answer(2, 1, False),
    Resend(2, 1),
    Resend(2),
    HELLO,
    Meet({1: "127.0.0.1:7001"}),
    Beat(busy=True),
]


def same(one: Any, other: Any) -> bool:
    """Return whether two messages are equal, arrays included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if hasattr(one, "__dataclass_fields__"):
        return type(one) is type(other) and same(vars(one), vars(other))
    return bool(one == other)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda each: type(each).__name__)
def test_messages_survive_their_encoding(message: Wired) -> None:
    """Decoding returns the same message to the last bit of a cell, minus infinity included."""
    assert same(decode(*encode(message)), message)


@pytest.mark.parametrize(
    ("header", "payload"),
    [
        (b"{", b""),
        (b"[]", b""),
        (b'{"kind":"pickle"}', b""),
        (b'{"kind":"beat","busy":true,"more":1}', b""),
        (b'{"kind":"util","epoch":1,"job":1,"separator":[0],"shape":[2],"cells":"<f4"}', b"1234"),
        (b'{"kind":"util","epoch":1,"job":1,"separator":[0],"shape":[1],"cells":"O"}', b"1234"),
    ],
)
def test_what_is_no_message_is_refused(header: bytes, payload: bytes) -> None:
    """Bytes that are not a valid message raise an error."""
    with pytest.raises(PeerError, match="an invalid message"):
        decode(header, payload)


@contextmanager
def ends(
    one: bytes = SECRET, other: bytes = SECRET
) -> Iterator[tuple[Channel, Channel, socket.socket]]:
    """Yield two connected channels with these secrets, and the socket of the first."""
    made: list[Channel] = []
    with loopback() as (here, there):
        calling = Thread(target=lambda: made.append(Channel(here, one, calls=True)))
        calling.start()
        answering = Channel(there, other, calls=False)
        calling.join()
        yield made[0], answering, here


@contextmanager
def loopback() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield both ends of a connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        here = socket.create_connection(listener.getsockname())
        there, _ = listener.accept()
    with here, there:
        yield here, there


def test_who_does_not_know_the_secret_is_not_heard() -> None:
    """A message signed with another secret is refused, whatever it says."""
    with ends(one=b"another secret altogether") as (calling, answering, _):
        calling.send(HELLO)
        with pytest.raises(PeerError, match="secret"):
            answering.receive()


def test_a_truncated_message_is_no_message() -> None:
    """If a connection ends within a frame, no part of the frame is delivered."""
    with ends() as (calling, answering, raw):
        header, _ = encode(HELLO)
        raw.sendall(PREFIX.pack(b"SLC1", len(header), 0) + header[:5])
        calling.close()
        with pytest.raises(PeerError, match="ended within a message"):
            answering.receive()


class Recorder:
    """A socket that also keeps what is sent."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.sent = connection, b""

    def sendall(self, data: bytes) -> None:
        """Send and keep."""
        self.sent += data
        self.connection.sendall(data)


@pytest.mark.parametrize("change", [lambda sent: sent, lambda sent: sent[:-40] + b"?" + sent[-39:]])
def test_a_repeated_or_changed_message_is_refused(change: Callable[[bytes], bytes]) -> None:
    """A tag depends on the number of its frame and on each of the frame's bytes."""
    with ends() as (calling, answering, raw):
        recorder = Recorder(raw)
        calling._socket = recorder  # type: ignore[assignment]
        calling.send(HELLO)
        assert answering.receive() == HELLO
        raw.sendall(change(recorder.sent))
        with pytest.raises(PeerError, match="secret, or was changed"):
            answering.receive()


def test_strangers_cannot_make_an_agent_read_much() -> None:
    """A first frame that is too long is not read, and another protocol is refused."""
    for prefix, words in (
        (PREFIX.pack(b"SLC1", 9, 2**40), "too long"),
        (b"GET / HTTP/1.1\r\n", "pro"),
    ):
        with ends() as (_, answering, raw):
            raw.sendall(prefix)
            with pytest.raises(PeerError, match=words):
                answering.receive()
