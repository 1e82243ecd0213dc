"""A connection on which two programs that know the same secret exchange messages."""

from __future__ import annotations

import hashlib
import hmac
import os
import socket
import struct
from contextlib import suppress
from threading import Lock

from schedlab.coalloc.agents.encoding import Hello, Wired, decode, encode
from schedlab.errors import ParameterError, PeerError

MAGIC = b"SLC1"
PREFIX = struct.Struct(">4sIQ")
"""The magic, the bytes of the header and those of the payload."""
NONCE_BYTES = 16
TAG_BYTES = 32
STRANGERS_BYTES = 1 << 16
"""The longest message read from a peer that has not yet shown that it knows the secret."""
SEND_TIMEOUT_S = 10
STRANGERS_S = 30.0
"""How long a peer may take to show that it knows the secret; it may be just starting."""


class Channel:
    """Frames of header, payload and a tag that needs the secret.

    Each side sends random bytes first. The key of the tags is made of both and of the secret, so
    the secret itself is never sent, and frames recorded elsewhere are useless. Tags also count
    the frames: a frame that is truncated, changed, left out or repeated is refused. Nothing
    is encrypted.
    """

    def __init__(self, connection: socket.socket, secret: bytes, *, calls: bool) -> None:
        self._socket, self._lock = connection, Lock()
        timeout = struct.pack("ll", SEND_TIMEOUT_S, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(STRANGERS_S)
        own = os.urandom(NONCE_BYTES)
        self._socket.sendall(own)
        other = self._read(NONCE_BYTES)
        both = own + other if calls else other + own
        self._key = hmac.digest(secret, both, hashlib.sha256)
        self._out, self._in = (b"a", b"b") if calls else (b"b", b"a")
        self._sent = self._received = 0

    @classmethod
    def to(cls, address: str, secret: bytes, hello: Hello) -> Channel:
        """Call the listener, identify, and wait for a sign that it is an agent.

        Its first frame shows that it knows the secret: nothing else is sent before.
        """
        connection = socket.create_connection(parse_address(address), SEND_TIMEOUT_S)
        try:
            channel = cls(connection, secret, calls=True)
            channel.send(hello)
            channel.receive()
        except PeerError:
            connection.close()
            reason = "hangs up; has it another secret, or another coordinator?"
            raise PeerError(reason) from None
        except OSError:
            connection.close()
            raise
        return channel

    def send(self, message: Wired) -> None:
        """Send a message; OSError if the connection is broken."""
        header, payload = encode(message)
        body = PREFIX.pack(MAGIC, len(header), len(payload)) + header
        with self._lock:
            tag = self._tag(self._out, self._sent, body, payload)
            self._sent += 1
            for part in (body, payload, tag):
                self._socket.sendall(part)

    def receive(self) -> Wired:
        """Wait for a message; OSError or PeerError if none can come any more."""
        prefix = self._read(PREFIX.size)
        magic, header_bytes, payload_bytes = PREFIX.unpack(prefix)
        if magic != MAGIC:
            raise PeerError("a connection speaks another protocol")
        if not self._received and header_bytes + payload_bytes > STRANGERS_BYTES:
            raise PeerError("the first message on a connection is too long")
        header = self._read(header_bytes)
        payload = self._read(payload_bytes)
        tag = self._tag(self._in, self._received, prefix + header, payload)
        if not hmac.compare_digest(tag, self._read(TAG_BYTES)):
            raise PeerError("a message was not signed with the secret, or was changed")
        if not self._received:
            self._socket.settimeout(None)  # from now on, silence is noticed by missing beats
        self._received += 1
        return decode(header, payload)

    def close(self) -> None:
        """End the connection; readers at both ends are notified."""
        with suppress(OSError):  # it may be broken already
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _tag(self, direction: bytes, number: int, body: bytes, payload: bytes) -> bytes:
        tag = hmac.new(self._key, direction + number.to_bytes(8, "big"), hashlib.sha256)
        tag.update(body)
        tag.update(payload)
        return tag.digest()

    def _read(self, count: int) -> bytes:
        whole = bytearray(count)
        view, got = memoryview(whole), 0
        while got < count:
            read = self._socket.recv_into(view[got:])
            if not read:
                raise PeerError("a connection ended" + (" within a message" if got else ""))
            got += read
        return bytes(whole)


def parse_address(text: str) -> tuple[str, int]:
    """Return the host and the port in ``host:port``."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) >= 2**16:
        raise ParameterError(f'address "{text}"; must be host:port')
    return host.strip("[]"), int(port)
