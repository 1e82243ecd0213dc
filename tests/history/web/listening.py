"""A service that listens on loopback, for programs that need an address."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI
from tests.services.postgresql import free_port

from schedlab.history.web.connection import Connection


@contextmanager
def listening(app: FastAPI, connection: type[Connection] = Connection) -> Iterator[str]:
    """Serve the app until the block ends, and yield its URL."""
    port = free_port()
    config = uvicorn.Config(
        app, port=port, log_config=None, access_log=False, lifespan="off", http=connection
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive(), "the service has not started"
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
