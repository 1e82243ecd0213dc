"""Middleware between the server and the routes: body limit, entity tags, headers, prefix."""

from __future__ import annotations

from hashlib import blake2b

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from schedlab.history.service_section import ServiceSection

MOST_BYTES = 2**20
_LIMIT_THEMSELVES = ("/v1/ingest",)


class BodyLimit:
    """Refuses a body larger than ``MOST_BYTES`` as soon as that much of it has arrived."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, unless its body is too large."""
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


_LEFT_OUT = {b"content-length", b"content-type", b"content-encoding"}


class Conditional:
    """Tags answers to GET by their content, except pages and answers that are streamed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say that the content has not changed."""
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


POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    # What one person may see must not be kept for the next; a browser may ask whether it changed.
    "cache-control": "private, no-cache",
}
_YEAR_S = 31_536_000


class SecurityHeaders:
    """Adds security headers to every answer that does not set them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the security headers."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers["strict-transport-security"] = f"max-age={_YEAR_S}"
                headers.add_vary_header("Accept, Authorization, Cookie")
            await send(message)

        await self._app(scope, receive, send_guarded if scope["type"] == "http" else send)


PEER = "schedlab.peer"
"""The key under which the scope holds the peer's address, which may be the proxy's."""


class BehindProxy:
    """Trusts what the configured proxy says about its clients, and handles the prefix of paths.

    The proxy may remove the prefix or leave it in the path.
    """

    def __init__(self, app: ASGIApp, section: ServiceSection) -> None:
        self._prefix = section.prefix
        addresses = list(section.proxy.addresses) if section.proxy else []
        self._app: ASGIApp = ProxyHeadersMiddleware(app, addresses)  # type: ignore[arg-type, assignment]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the prefix in the path and the client that the proxy names."""
        if scope["type"] == "http":
            client = scope.get("client")
            scope[PEER] = client[0] if client else None
            self._settle_path(scope)
        await self._app(scope, receive, send)

    def _settle_path(self, scope: Scope) -> None:
        if self._prefix:
            scope["root_path"] = self._prefix
            if not f"{scope['path']}/".startswith(f"{self._prefix}/"):
                scope["path"] = self._prefix + scope["path"]
