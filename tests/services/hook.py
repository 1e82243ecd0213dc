"""A server on loopback that takes the JSON of webhooks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Hook:
    """The documents that came in; ``status`` is that of the next answer."""

    url: str = ""
    documents: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200


@contextmanager
def webhook(address: str = "127.0.0.1") -> Iterator[Hook]:
    """Run the server until the block ends, on loopback or another address of this machine."""
    hook = Hook()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if hook.status < 400:
                hook.documents.append(json.loads(body))
            self.send_response(hook.status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer((address, 0), Answering)
    hook.url = f"http://{address}:{server.server_port}/secret-part"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hook
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
