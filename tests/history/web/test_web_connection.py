"""Clients that are slow or silent, or that do not speak HTTP, at a service that listens."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.history.web.listening import listening
from tests.history.web.served import Served
from tests.services.waiting import until

from schedlab.history.web.connection import MOST_HEAD_BYTES, Connection

PATIENCE_S = 30
"""The time within which a slow client must be cut off, however busy the machine is."""


class Impatient(Connection):
    """A connection that waits only as long as a test can."""

    head_s = body_s = sent_s = 0.2


@pytest.fixture(scope="module")
def impatient(common: Served) -> Iterator[str]:
    """The URL of a service that soon cuts off slow clients."""
    with listening(common.app, Impatient) as url:
        yield url


@pytest.fixture(scope="module")
def patient(common: Served) -> Iterator[str]:
    """The URL of a service that waits as long as usual."""
    with listening(common.app) as url:
        yield url


def connected(url: str, sends: bytes = b"") -> socket.socket:
    """Open a connection and send these bytes."""
    made = socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), PATIENCE_S)
    made.sendall(sends)
    return made


def answer_on(connection: socket.socket) -> bytes:
    """Return all that comes until the service closes the connection."""
    parts = []
    while part := connection.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def problem_in(answer: bytes) -> dict[str, Any]:
    """Return the problem in an answer, which must declare itself as one."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    problem: dict[str, Any] = json.loads(body)
    assert head.startswith(b"HTTP/1.1 %d " % problem["status"])
    return problem


def test_a_head_that_does_not_come_to_its_end_is_cut_off(impatient: str) -> None:
    """Three hundred such clients are cut off; meanwhile, another client is answered."""
    with ExitStack() as opened:
        half = [
            opened.enter_context(connected(impatient, b"GET /healthz HTTP/1.1\r\nHost: x\r\n"))
            for _ in range(300)
        ]
        until(lambda: _is_well(impatient), "somebody else is answered")
        for each in half:
            problem = problem_in(answer_on(each))
            assert (problem["status"], problem["title"]) == (408, "Request Timeout")


def _is_well(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").status_code == 200
    except httpx.TransportError:
        return False  # on a busy machine, even this may have been too slow


def test_a_head_that_comes_byte_by_byte_is_cut_off(impatient: str) -> None:
    """The limit holds for the whole head, not from one byte to the next."""
    with connected(impatient) as slow:
        slow.settimeout(0.05)
        for _ in range(20 * PATIENCE_S):
            slow.sendall(b"G")
            try:
                told = slow.recv(65_536)
                break
            except TimeoutError:
                continue
    assert told.startswith(b"HTTP/1.1 408 ")


def test_who_says_nothing_is_told_nothing(impatient: str) -> None:
    """Browsers open spare connections, which the service closes without an answer."""
    with connected(impatient) as silent:
        assert answer_on(silent) == b""


def test_a_body_that_stops_is_cut_off(impatient: str) -> None:
    """The service does not wait for the rest."""
    head = b"POST /v1/jobs:batchGet HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
    with connected(impatient, head + b'{"ids"') as stopped:
        assert is_ended(stopped)


def test_who_does_not_take_the_answer_is_cut_off(impatient: str) -> None:
    """Otherwise the answer would be kept in memory for ever."""
    asks = b"GET /static/bokeh/bokeh.min.js HTTP/1.1\r\nHost: x\r\n\r\n"
    with connected(impatient) as deaf:
        deaf.sendall(asks * 50)  # more than the operating system buffers for the service
        assert is_ended(deaf)


def is_ended(connection: socket.socket) -> bool:
    """Return whether the service ends the connection, although nothing is read from it."""
    ended = select.POLLRDHUP | select.POLLHUP | select.POLLERR
    waiting = select.poll()
    waiting.register(connection, ended)
    return any(event & ended for _, event in waiting.poll(1_000 * PATIENCE_S))


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /" + b"x" * (MOST_HEAD_BYTES + 1), 414),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * (MOST_HEAD_BYTES + 1), 431),
        (b"what is this\r\n\r\n", 400),
    ],
)
def test_what_cannot_be_read_is_a_problem_too(patient: str, sent: bytes, status: int) -> None:
    """A program that expects problems gets no plain text."""
    with connected(patient, sent) as asking:
        assert problem_in(answer_on(asking))["status"] == status


def test_who_asks_at_leisure_is_answered(patient: str) -> None:
    """One connection takes request after request; only uvicorn limits the pauses between them."""
    with httpx.Client(base_url=patient) as client:
        for _ in range(3):
            assert client.get("/healthz").status_code == 200
            assert client.post("/login", content=b"x" * 100_000).status_code == 403
