"""A connection with timeouts, which refuses requests with the same problems as the app."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from socket import SO_LINGER, SOL_SOCKET
from struct import pack

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from schedlab.history.web.problems import ProblemResponse

MOST_HEAD_BYTES = 65_536
"""Maximum size of a request's line and headers together."""


class Connection(H11Protocol):
    """A connection that cuts off slow clients: otherwise a few could keep all others out."""

    head_s = 10.0
    """Maximum time for the whole head of a request, even if it arrives byte by byte."""
    body_s = 20.0
    """Maximum time from one part of a body to the next."""
    sent_s = 60.0
    """Maximum time for a client to take some of the data that is ready for it."""

    _until_read: asyncio.TimerHandle | None = None
    _until_sent: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout for the head of the first request."""
        super().connection_made(transport)
        self._until_read = self.loop.call_later(self.head_s, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timeouts."""
        self._read()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process the data, and set the timeout for what must follow."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Set the timeout for the next request, a part of which may have arrived already."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._watch()

    def pause_writing(self) -> None:
        """Start the timeout for the client to take some of the data."""
        super().pause_writing()
        if self._until_sent is None:
            self._until_sent = self.loop.call_later(self.sent_s, self._cut_off)

    def resume_writing(self) -> None:
        """Cancel the timeout for sending, since the client takes data again."""
        super().resume_writing()
        if self._until_sent is not None:
            self._until_sent.cancel()
            self._until_sent = None

    def send_400_response(self, msg: str) -> None:
        """Answer a request that could not be parsed, and say what is wrong with it."""
        begun = self.conn.trailing_data[0]
        if len(begun) <= MOST_HEAD_BYTES:
            self._refuse(HTTPStatus.BAD_REQUEST, "this is no request of HTTP/1.1")
        elif b"\n" in begun[:MOST_HEAD_BYTES]:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            self._refuse(status, f"the headers are longer than {MOST_HEAD_BYTES // 1024} KiB")
        else:
            limit = f"{MOST_HEAD_BYTES // 1024} KiB"
            self._refuse(HTTPStatus.REQUEST_URI_TOO_LONG, f"the URL is longer than {limit}")

    def _watch(self) -> None:
        """Set the timeout for the rest of a head or a body; uvicorn has one between requests."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._read()
            self._until_read = self.loop.call_later(self.body_s, self._body_too_slow)
        elif state is not h11.IDLE or not self.conn.trailing_data[0]:
            self._read()
        elif self._until_read is None:
            self._until_read = self.loop.call_later(self.head_s, self._too_slow)

    def _read(self) -> None:
        if self._until_read is not None:
            self._until_read.cancel()
            self._until_read = None

    def _too_slow(self) -> None:
        """Refuse a request that arrives too slowly; if nothing came, close without an answer."""
        if self.conn.trailing_data[0]:
            seconds = f"{self.head_s:g} s"
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"the request took longer than {seconds}")
        else:
            self.transport.close()

    def _body_too_slow(self) -> None:
        if self.flow.read_paused:  # the service itself has not read what has arrived
            self._watch()
        else:
            self._cut_off()

    def _cut_off(self) -> None:
        """Abort the connection; the operating system does not keep unsent data either."""
        socket = self.transport.get_extra_info("socket")
        if socket is not None:
            socket.setsockopt(SOL_SOCKET, SO_LINGER, pack("ii", 1, 0))
        self.transport.abort()

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        body = bytes(ProblemResponse(status, detail).body)
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
        ]
        response = h11.Response(status_code=status, headers=headers, reason=status.phrase.encode())
        for event in (response, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
