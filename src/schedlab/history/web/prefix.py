"""Where a request comes from and what it asks for, behind a reverse proxy."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from schedlab.history.service_section import ServiceSection

PEER = "schedlab.peer"
"""Under this name the scope has the address of the peer, be it the proxy's."""


class BehindProxy:
    """Believes the configured proxy about its clients, and knows the prefix it shows us under.

    The prefix may have been taken off by the proxy, or left on.
    """

    def __init__(self, app: ASGIApp, section: ServiceSection) -> None:
        self._prefix = section.prefix
        addresses = list(section.proxy.addresses) if section.proxy else []
        self._app: ASGIApp = ProxyHeadersMiddleware(app, addresses)  # type: ignore[arg-type, assignment]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the path and the client as they are meant."""
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
