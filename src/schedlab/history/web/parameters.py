"""The URL parameters that choose jobs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, timezone
from typing import Annotated, Any, Literal, Self

from fastapi import Depends, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.export.zone import standard_offset
from schedlab.history.schema.job import JobState
from schedlab.history.schema.times import parse_moment
from schedlab.history.store.queries import JobQuery
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.current import CurrentViewer
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.service import CurrentService, Service


def _epoch_s(text: Any) -> int:
    try:
        return int(parse_moment(str(text)).timestamp())
    except ParameterError as error:
        raise ValueError(str(error)) from None


Moment = Annotated[
    int,
    BeforeValidator(_epoch_s),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-01-05T12:00Z"]}),
]
"""A time in ISO 8601 (UTC if it names no zone), as epoch seconds."""

Name = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00]*$")]
Names = Annotated[list[Name], Field(max_length=1_000)]
Count = Annotated[int, Field(ge=0, lt=2**31)]
Seconds = Annotated[int, Field(ge=0, lt=2**53)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]

RANGES = ("num_host", "wait_s", "run_s", "energy_joule", "wra")
_SPANS = {"overlap": "ran", "queued": "queued", "started": "started", "ended": "ended"}


class Parameters(BaseModel):
    """Parameters of a route; an unknown one is refused, not ignored."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _all_known(cls, given: Any) -> Any:
        known = [each.alias or name for name, each in cls.model_fields.items()]
        for name in given:
            if name not in known:
                raise ValueError(str(UnknownNameError("parameter", name, known)))
        return given


class JobFilter(Parameters):
    """A filter of jobs: each given parameter must match, with any one of its values."""

    time: Literal["overlap", "queued", "started", "ended"] = Field(
        "overlap", description="What happened between `from` and `to`: the job ran, or this."
    )
    from_: Moment | None = Field(None, alias="from", description="From then on, in ISO 8601.")
    to: Moment | None = Field(None, description="Before then, in ISO 8601.")
    jobid: Names = Field([], description="With this id; several are possible, as with all names.")
    cluster: Names = Field([], description="Of this cluster.")
    user: Names = Field([], description="Of this user.")
    group: Names = Field([], description="Of this accounting group.")
    partition: Names = Field([], description="In this partition.")
    state: list[JobState] = Field([], description="In this state.")
    node: Names = Field([], description="That used this node.")
    tag: Names = Field([], description="With this tag.")
    min_num_host: Count | None = Field(None, description="That asked for this many hosts or more.")
    max_num_host: Count | None = Field(None, description="That asked for no more hosts.")
    min_wait_s: Seconds | None = Field(None, description="That waited this long or longer.")
    max_wait_s: Seconds | None = Field(None, description="That waited no longer.")
    min_run_s: Seconds | None = Field(None, description="That ran this long or longer.")
    max_run_s: Seconds | None = Field(None, description="That ran no longer.")
    min_energy_joule: Amount | None = Field(None, description="That used this much energy or more.")
    max_energy_joule: Amount | None = Field(None, description="That used no more energy.")
    min_wra: Amount | None = Field(
        None, description="Whose run time / requested time is this or more."
    )
    max_wra: Amount | None = Field(
        None, description="Whose run time / requested time is this or less."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_ is not None and self.to is not None and self.from_ >= self.to:
            raise ValueError("from: must lie before to")
        return self

    def query(self) -> JobQuery:
        """Return the query for the store."""
        span: dict[str, Any] = {
            f"{_SPANS[self.time]}_from_s": self.from_,
            f"{_SPANS[self.time]}_to_s": self.to,
        }
        limits = {n: (getattr(self, f"min_{n}"), getattr(self, f"max_{n}")) for n in RANGES}
        query = JobQuery(
            jobids=tuple(self.jobid),
            clusters=tuple(self.cluster),
            users=tuple(self.user),
            groups=tuple(self.group),
            partitions=tuple(self.partition),
            states=tuple(self.state),
            nodes=tuple(self.node),
            tags=tuple(self.tag),
            ranges={name: each for name, each in limits.items() if each != (None, None)},
        )
        return replace(query, **span)


def one_of(names: Iterable[str]) -> WithJsonSchema:
    """Return how the OpenAPI document describes a text that is one of these names."""
    return WithJsonSchema({"type": "string", "enum": list(names)})


def list_of(names: Iterable[str], most: int | None = None) -> WithJsonSchema:
    """Return how the OpenAPI document describes a comma-separated list of these names."""
    name = f"(?:{'|'.join(names)})"
    more = "*" if most is None else f"{{0,{most - 1}}}"
    return WithJsonSchema({"type": "string", "pattern": f"^,*{name}(?:,+{name}){more},*$"})


def words(text: str | None) -> list[str]:
    """Return the words of a comma-separated list, each once."""
    return [word for word in dict.fromkeys((text or "").split(",")) if word]


async def _shown(service: CurrentService, viewer: CurrentViewer) -> Shown:
    return Shown(service.release() if viewer.role is Role.PUBLIC else None)


CurrentShown = Annotated[Shown, Depends(_shown)]


@dataclass(frozen=True)
class Asking:
    """A request's service and viewer, and what of the jobs this viewer is shown."""

    service: Service
    viewer: Viewer
    shown: Shown

    @property
    def zone(self) -> timezone:
        """The time zone in which days begin: the site's standard time."""
        site = self.service.settings.site
        return UTC if site is None else standard_offset(site.about.time_zone)


async def _asking(service: CurrentService, viewer: CurrentViewer, shown: CurrentShown) -> Asking:
    return Asking(service, viewer, shown)


CurrentAsking = Annotated[Asking, Depends(_asking)]


def link(request: Request, **changed: str) -> str:
    """Return the path and query of the request with some parameters changed."""
    url = request.url.include_query_params(**changed)
    return f"{url.path}?{url.query}"
