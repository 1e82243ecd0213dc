"""The models of answers, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from schedlab.history.schema.timeline import Provenance
from schedlab.history.web.api.formats import MEDIA_TYPES, Format

_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was wrong, and what is allowed."},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
}
_REFUSALS = {
    400: "A parameter has a wrong value.",
    401: "Not logged in, and no valid token was sent.",
    403: "The role, or the token, does not allow it.",
    404: "Not found, or you have no permission.",
    406: "None of the accepted media types is possible.",
    409: "The id is that of several jobs, or the simulation is not done.",
    413: "The body is too large.",
    422: "A parameter is unknown, or the body does not match its schema.",
    502: "The source of a timeline does not answer.",
    503: "The store does not answer, is busy, or would be kept busy for too long.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the refusals of a route: those with these statuses, and those that all routes have."""
    return {
        status: {
            "description": _REFUSALS[status],
            "content": {"application/problem+json": {"schema": _PROBLEM}},
        }
        for status in sorted({400, 401, 403, 422, 503, *statuses})
    }


def as_json(schema: dict[str, Any], says: str) -> dict[str, Any]:
    """Return the description of a JSON answer with this schema."""
    return {"description": says, "content": {MEDIA_TYPES[Format.JSON]: {"schema": schema}}}


def in_formats(model: type[BaseModel], formats: Sequence[Format], says: str) -> dict[str, Any]:
    """Return the description of an answer in JSON of that model, or in another of the formats."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    others = [MEDIA_TYPES[each] for each in formats if each is not Format.JSON]
    return {"description": says, "model": model, "content": dict.fromkeys(others, binary)}


RECORD = {"anyOf": [{"$ref": "#/components/schemas/JobRecord"}, {"type": "object"}]}
"""A standard record, or those fields of it that were asked for."""
Record = Annotated[Any, WithJsonSchema(RECORD)]


class Total(BaseModel):
    """How many jobs there are on all pages."""

    jobs: int
    is_exact: bool = Field(description="Whether this is the exact number; else there are more.")


class JobsPage(BaseModel):
    """Some jobs; each is a standard record, or those fields of it that were asked for."""

    jobs: list[Record]
    next: str | None = Field(description="The cursor of the next page.")
    total: Total | None = Field(None, description="Only if it was asked for.")


class JobsByIds(BaseModel):
    """Jobs by their ids; one id may have several."""

    jobs: list[Record]
    missing: list[Any] = Field(description="The ids of which no job can be seen.")


class TimelineAnswer(BaseModel):
    """A timeline by columns; times are seconds since 1970 began."""

    cluster: str
    jobid: str
    host: str
    item: str
    device: str | None
    from_s: float = Field(description="Where the window begins, within the job's time there.")
    to_s: float
    freq_s: float | None = Field(description="Length of the steps; null if as it was measured.")
    agg: str | None
    start_s: list[float]
    end_s: list[float] | None = Field(description="Null where `max_points` chose among many.")
    value: list[float]
    min: list[float] | None
    max: list[float] | None
    provenance: Provenance


class UserAccuracy(BaseModel):
    """How accurate a user's requests have been; WRA is run time over requested time."""

    user: str
    jobs: int
    mean_wra: float
    wrsa: float = Field(description="After the last job; a weight of 0.3 for the past.")
    asked_ratio: float | None = Field(description="All time asked for over all time used.")
    periods: list[dict[str, Any]]


class EfficiencyAnswer(BaseModel):
    """What jobs held and did not use."""

    from_s: int
    to_s: int
    total: dict[str, Any] = Field(description="Hours of nodes and GPUs, and those that were idle.")
    users: list[dict[str, Any]] = Field(description="The same of each user.")
    jobs: list[dict[str, Any]] = Field(
        description="The same of each job, with its uses, how good they are, and what to ask for."
    )


class AlertsAnswer(BaseModel):
    """The alerts that hold, and the last of those that are over."""

    current: list[dict[str, Any]] = Field(description="Alerts that hold, the newest first.")
    past: list[dict[str, Any]] = Field(description="The last of those that are over.")


class ReportAnswer(BaseModel):
    """A report on the jobs that ended in a week or a month."""

    subject: dict[str, str] = Field(description="A user, a group or the site.")
    period: dict[str, str]
    from_s: int
    to_s: int
    currency: str | None = Field(description="Of costs; null where the site tells none.")
    use: dict[str, Any] = Field(description="Jobs, waits, node-hours, energy, carbon and cost.")
    before: dict[str, Any] = Field(
        description="The same of the period before; until this one is over, of the same part."
    )
    efficiency: dict[str, Any] = Field(description="Hours held, and those that were idle.")
    days: list[dict[str, Any]] = Field(description="Node-hours of jobs that ended on each day.")
    users: list[dict[str, Any]] = Field(description="Use by user, the greatest ten.")
    groups: list[dict[str, Any]] = Field(description="Use by group, the greatest ten.")
    what_would_help: list[dict[str, Any]]


class PoliciesAnswer(BaseModel):
    """Policies that can be simulated."""

    policies: list[dict[str, Any]] = Field(
        description="The name, one sentence, and the meaning of each parameter."
    )


class WhatIfAnswer(BaseModel):
    """A simulation of a window of history, and its progress."""

    id: str
    state: str = Field(
        description="`waiting`, `running`, `done`, `failed`, `cancelled` or `interrupted`."
    )
    progress: float = Field(description="From 0 to 1.")
    failure: str | None = Field(description="Why it failed.")
    settings: dict[str, Any] = Field(description="The window, the policies and `whole_nodes`.")
    result: dict[str, Any] | None = Field(
        description="Once it is done: counts of jobs and nodes, what machine was simulated "
        "(`notes`), and `outcomes`: as it was, then under each policy."
    )


class TwinParametersAnswer(BaseModel):
    """The parameters of a Slurm that a what-if can change."""

    parameters: list[dict[str, Any]] = Field(
        description="The group, the name, the present value, how it is written (`unit`), and the "
        "values that it may have (`choices`; empty for any)."
    )


class TwinAnswer(BaseModel):
    """A replay of a site's history under another configuration of Slurm, and its progress."""

    id: str
    state: str = Field(
        description="`waiting`, `running`, `done`, `failed`, `cancelled` or `interrupted`."
    )
    progress: float = Field(description="From 0 to 1.")
    failure: str | None = Field(description="Why it failed.")
    settings: dict[str, Any] = Field(description="As asked, with full names of parameters.")
    result: dict[str, Any] | None = Field(
        description="Once it is done: `rows` of mean waits of all jobs and of groups of them, as "
        "it was, as the twin replays it and changed, with the difference and its 95 % interval; "
        "`waits_s` that 0 to 100 % of the jobs did not exceed; and what is `not_replayed`."
    )


class JobForecast(BaseModel):
    """When a job will start."""

    jobid: str
    user: str | None
    low: str = Field(description="The beginning of the 80 % interval, in ISO 8601.")
    start: str = Field(description="What is most likely.")
    high: str = Field(description="The end of the interval.")
    words: str = Field(description="The same, as one would say it.")


class ClusterForecast(BaseModel):
    """The starts on a cluster."""

    cluster: str
    state: str = Field(
        description="Of the last computation: `none`, `waiting`, `running`, `done`, `failed` or "
        "`interrupted`."
    )
    failure: str | None = Field(description="Why it failed.")
    now: str | None = Field(description="What was known then was used.")
    age_s: float | None = Field(description="How long ago it was computed.")
    how: str
    jobs: list[JobForecast]


class ForecastAnswer(BaseModel):
    """Forecasts of starts by cluster."""

    clusters: list[ClusterForecast]


class ScheduleAnswer(BaseModel):
    """When jobs ran, in reality and under each policy."""

    jobs: list[dict[str, Any]]


class Stats(BaseModel):
    """Grouped sums."""

    by: list[str]
    rows: list[dict[str, Any]]
    groups: int = Field(description="How many groups there are; rows may be fewer.")


class Ingested(BaseModel):
    """The numbers of records that were added, changed or the same; all of them are stored now."""

    added: int
    changed: int
    same: int
