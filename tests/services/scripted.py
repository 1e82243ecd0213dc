"""A web server that gives the answers that a test chooses."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl

import pytest
from tests.services.postgresql import free_port


@dataclass
class Answer:
    """One answer, byte by byte if ``pause_s`` is not 0."""

    body: bytes
    status: int = 200
    pause_s: float = 0.0


@dataclass
class Scripted:
    """A server that gets its answers from a function, and records the requests."""

    url: str
    answer: Callable[[dict[str, Any]], Answer | Any] = lambda _: None
    asked: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    """A server on loopback until the test ends; what is no ``Answer`` is sent as JSON."""
    script = Scripted("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            is_json = "json" in self.headers.get("Content-Type", "")
            asked = json.loads(body) if is_json else dict(parse_qsl(body))
            if "Authorization" in self.headers:
                asked["authorization"] = self.headers["Authorization"]
            script.asked.append(asked)
            given = script.answer(asked)
            answer = given if isinstance(given, Answer) else Answer(json.dumps(given).encode())
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):
                self._send(answer)

        def _send(self, answer: Answer) -> None:
            if not answer.pause_s:
                self.wfile.write(answer.body)
                return
            for byte in answer.body:
                self.wfile.write(bytes([byte]))
                time.sleep(answer.pause_s)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield script
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def nobody() -> str:
    """An address on which no program listens."""
    return f"http://127.0.0.1:{free_port()}"
