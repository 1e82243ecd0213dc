"""Problems as RFC 9457 defines them, ``application/problem+json``; browsers get a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import Request
from starlette.responses import JSONResponse


class HttpProblem(Exception):  # noqa: N818 (the word of RFC 9457)
    """An answer that is a refusal.

    Args:
        status: the HTTP status.
        detail: one sentence for the user: what was wrong, and what is allowed.
        headers: further headers of the answer.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers


def not_found() -> HttpProblem:
    """Return the problem for what does not exist and for what the viewer may not see."""
    return HttpProblem(404, "not found, or you have no permission")


class ProblemResponse(JSONResponse):
    """A problem as JSON."""

    media_type = "application/problem+json"

    def __init__(
        self,
        status: int,
        detail: str,
        headers: Mapping[str, str] | None = None,
        errors: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        content: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(status).phrase,
            "status": status,
            "detail": detail,
        }
        if errors:
            content["errors"] = list(errors)
        super().__init__(content, status, dict(headers or {}))


def wants_page(request: Request) -> bool:
    """Return whether a person looks at a page, and not a program at the API."""
    return "text/html" in request.headers.get("accept", "") and not is_api(request)


def is_api(request: Request) -> bool:
    """Return whether the path is the API's."""
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    return bool(path.startswith("/v1/"))
