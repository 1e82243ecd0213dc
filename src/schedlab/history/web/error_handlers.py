"""How the app answers a problem: as JSON, or as a page."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from schedlab.errors import (
    ParameterError,
    PeerError,
    SchedlabError,
    SensorError,
    StoreError,
    UnknownNameError,
)
from schedlab.history.web.current import note_viewer
from schedlab.history.web.pages.error import error_page
from schedlab.history.web.problems import HttpProblem, ProblemResponse, wants_page

_LOG = logging.getLogger("schedlab.service")

# Error texts may name files, hosts and databases: they go to the log, these to the client.
_ANSWERS: Mapping[type[SchedlabError], tuple[int, str]] = {
    StoreError: (503, "the store does not answer; try again in a moment"),
    SensorError: (502, "the source of this timeline does not answer, or not in a usable way"),
    PeerError: (502, "the login provider does not answer, or not in a way that can be trusted"),
    SchedlabError: (500, "something that the service reads cannot be used; its log says what"),
}


def answer_problems(app: FastAPI) -> None:
    """Register the handlers by which the app answers every error as a problem."""
    app.add_exception_handler(HttpProblem, _problem)
    app.add_exception_handler(HTTPException, _http_exception)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(SchedlabError, _schedlab_error)


def respond(
    request: Request,
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
    errors: Sequence[Mapping[str, Any]] = (),
) -> Response:
    """Return the problem in a media type that the client accepts."""
    if wants_page(request):
        return error_page(request, status, detail, headers)
    return ProblemResponse(status, detail, headers, errors)


async def _problem(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HttpProblem)
    return respond(request, problem.status, problem.detail, problem.headers)


async def _http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if wants_page(request) and not hasattr(request.state, "viewer"):
        await note_viewer(request)
    detail = {
        404: "not found, or you have no permission",
        405: f"{request.method} is not possible here",
    }.get(error.status_code, str(error.detail))
    return respond(request, error.status_code, detail, error.headers)


async def _invalid(request: Request, error: Exception) -> Response:
    """Return what FastAPI found wrong with parameters or body.

    The values themselves are not repeated.
    """
    assert isinstance(error, RequestValidationError)
    faults = [
        {
            "where": ".".join(str(part) for part in each["loc"]),
            "what": each["msg"].removeprefix("Value error, "),
        }
        for each in error.errors()
    ]
    detail = "; ".join(f"{each['where']}: {each['what']}" for each in faults)
    return respond(request, 422, detail, errors=faults)


async def _schedlab_error(request: Request, error: Exception) -> Response:
    if isinstance(error, ParameterError | UnknownNameError):
        return respond(request, 400, str(error))
    status, detail = next(answer for kind, answer in _ANSWERS.items() if isinstance(error, kind))
    _LOG.error("%s", error)
    return respond(request, status, detail)
