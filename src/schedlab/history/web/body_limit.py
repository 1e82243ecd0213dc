"""How much one may send: a body is held in memory before it is known who sent it."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 2**20
_LIMIT_THEMSELVES = ("/v1/ingest",)


class BodyLimit:
    """Refuses a larger body as soon as that much of it has come."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is small enough."""
        if scope["type"] != "http" or scope["path"].endswith(_LIMIT_THEMSELVES):
            await self._app(scope, receive, send)
            return
        received = 0

        async def receive_some() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MOST_BYTES:
                raise HTTPException(413, f"the body is larger than {MOST_BYTES // 2**20} MiB")
            return message

        await self._app(scope, receive_some, send)
