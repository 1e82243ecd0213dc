"""ETag and If-None-Match: an answer that the client has already is not sent again."""

from __future__ import annotations

from hashlib import blake2b

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LEFT_OUT = {b"content-length", b"content-type", b"content-encoding"}


class Conditional:
    """Tags answers to GET by their content; those that are streamed, and pages, go untagged."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say that nothing changed."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        known = Headers(scope=scope).get("if-none-match", "")
        start: Message | None = None

        async def send_tagged(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_taggable(message):
                start = message
                return
            if start is not None:
                held, start = start, None
                if not message.get("more_body", False):
                    held, message = _tagged(held, message, known)
                await send(held)
            await send(message)

        await self._app(scope, receive, send_tagged)


def _is_taggable(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    is_page = headers.get("content-type", "").startswith("text/html")
    return start["status"] == 200 and "etag" not in headers and not is_page


def _tagged(start: Message, body: Message, known: str) -> tuple[Message, Message]:
    # Weak, since the same content may be sent compressed or not.
    tag = f'W/"{blake2b(body.get("body", b""), digest_size=16).hexdigest()}"'
    MutableHeaders(scope=start)["etag"] = tag
    if tag not in (each.strip() for each in known.split(",")) and known.strip() != "*":
        return start, body
    headers = [(name, value) for name, value in start["headers"] if name not in _LEFT_OUT]
    return {**start, "status": 304, "headers": headers}, {**body, "body": b""}
