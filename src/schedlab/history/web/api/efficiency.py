"""What jobs held and did not use, by job and by user."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Annotated, Any, Self

from fastapi import APIRouter, Query
from pydantic import Field, model_validator
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.efficiency.waste import Waste, WastedJob, by_user, summed
from schedlab.history.web.api.answers import EfficiencyAnswer, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.parameters import Asking, CurrentAsking, Moment, Parameters
from schedlab.history.web.queries.calendar import DAY_S
from schedlab.history.web.queries.cluster_use import last_end_s
from schedlab.history.web.queries.largest import MOST_JOBS, largest_jobs

router = APIRouter(prefix="/v1", tags=["stats"])


class EfficiencyParameters(Parameters):
    """The time window, and the number of jobs to return."""

    from_: Moment | None = Field(
        None, alias="from", description="Jobs that ended from then on; 30 days before `to` else."
    )
    to: Moment | None = Field(
        None, description="And before then; the end of the last job if it is not said."
    )
    limit: int = Field(100, ge=1, le=MOST_JOBS, description="At most this many jobs.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_ is not None and self.to is not None and self.from_ >= self.to:
            raise ValueError("from: must lie before to")
        return self


@router.get(
    "/efficiency",
    response_class=Response,
    responses={200: {"model": EfficiencyAnswer, "description": "Sums and jobs."}, **refusals()},
)
def get_efficiency(
    asking: CurrentAsking, parameters: Annotated[EfficiencyParameters, Query()]
) -> Response:
    """Return what jobs held and did not use, of those that you may see and that ended in a window.

    It covers the 1,000 jobs with the most node-hours. A node is as idle as the busier of its CPUs
    and GPUs was. Jobs with the most idle node-hours come first.
    """
    with asking.service.database.reading() as connection:
        to_s = parameters.to
        if to_s is None:
            to_s = (last_end_s(connection, asking.viewer) or int(time.time())) + 1
        from_s = to_s - 30 * DAY_S if parameters.from_ is None else parameters.from_
        site = asking.service.settings.site
        jobs = largest_jobs(connection, asking.viewer, site, from_s, to_s)
    worst = sorted(jobs, key=lambda each: -each.waste.idle_node_h)[: parameters.limit]
    users = by_user(jobs) if asking.shown.name("user", "any") is not None else []
    content = {
        "from_s": from_s,
        "to_s": to_s,
        "total": _sums(summed(jobs)),
        "users": [
            {"user": asking.shown.name("user", user), **_sums(waste)} for user, waste in users
        ],
        "jobs": [_job(asking, each) for each in worst],
    }
    return Response(to_json(content), media_type=MEDIA_TYPES[Format.JSON])


def _sums(waste: Waste) -> dict[str, Any]:
    return {name.replace("_h", "_hours"): value for name, value in asdict(waste).items()}


def _job(asking: Asking, job: WastedJob) -> dict[str, Any]:
    return {
        "jobid": job.record.jobid,
        "cluster": job.record.cluster,
        "user": asking.shown.name("user", job.record.user_identifier),
        **_sums(job.waste),
        "gpus": job.gpus,
        "idle_gpus": job.idle_gpus,
        "uses": {use.kind: {"share": use.share, "level": use.level} for use in job.efficiency.uses},
        "advice": job.efficiency.advice,
    }
