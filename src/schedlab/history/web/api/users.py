"""Users: how accurate their requests are."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.web.api.answers import UserAccuracy, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.parameters import CurrentAsking, Name, Parameters
from schedlab.history.web.problems import not_found
from schedlab.history.web.queries.accuracy import accuracy

router = APIRouter(prefix="/v1", tags=["users"])


class AccuracyParameters(Parameters):
    """The periods into which the time is divided."""

    period: Literal["day", "week", "month"] = Field("month", description="Of each row.")


@router.get(
    "/users/{user}/accuracy",
    response_class=Response,
    responses={200: {"model": UserAccuracy, "description": "WRA and WRSA."}, **refusals(404)},
)
def get_accuracy(
    asking: CurrentAsking,
    user: Annotated[Name, Path(description="As jobs name the user.")],
    parameters: Annotated[AccuracyParameters, Query()],
) -> Response:
    """Return how accurate the requests of a user have been, over time and altogether.

    WRA is run time over requested time; WRSA (Takizawa and Takano) begins at 1 and becomes
    0.3 WRSA + 0.7 WRA with every job that ends.
    """
    if asking.shown.hides("user"):
        raise not_found()
    with asking.service.database.reading() as connection:
        found = accuracy(
            connection, asking.viewer, user, period=parameters.period, zone=asking.zone
        )
    if found is None:
        raise not_found()
    return Response(to_json({"user": user, **asdict(found)}), media_type=MEDIA_TYPES[Format.JSON])
