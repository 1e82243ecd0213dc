"""The requests that Grafana's data source "JSON" sends."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field
from pydantic_core import from_json

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.schema.job import JobState
from schedlab.history.store.queries import JobQuery

FILTERS = ("cluster", "partition", "user", "group", "state")
"""The keys that choose jobs, in the payload of a query and as ad hoc filters."""
_ALL = frozenset({"", "All", "$__all"})
_STEPS_S = (60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800)
_MOST_POINTS = 2_000
_LONGEST_S = 20 * 366 * 86_400

Text = Annotated[str, Field(max_length=500)]


class TimeRange(BaseModel):
    """The time that a dashboard shows."""

    from_: datetime = Field(alias="from")
    to: datetime

    @property
    def seconds(self) -> tuple[int, int]:
        """Its beginning and end, in epoch seconds."""
        begin, end = int(self.from_.timestamp()), math.ceil(self.to.timestamp())
        if not 0 <= begin < end <= begin + _LONGEST_S:
            raise ParameterError("range: from must lie before to, and 20 years at most")
        return begin, end


class Target(BaseModel):
    """One query of a panel."""

    target: Text | None = None
    metric: Text | None = None  # what older panels of the plugin call it
    payload: dict[str, Any] | str | None = None
    hide: bool = False

    @property
    def name(self) -> str:
        """The metric that is asked for; empty while none is chosen."""
        return self.target or self.metric or ""

    @property
    def options(self) -> dict[str, Any]:
        """Its payload, which some versions of the plugin send as a text that holds JSON."""
        if isinstance(self.payload, dict):
            return self.payload
        try:
            found = from_json(self.payload or "{}")
        except ValueError:
            raise ParameterError("payload: must be JSON, such as {}") from None
        return found if isinstance(found, dict) else {}


class Filter(BaseModel):
    """An ad hoc filter of a dashboard."""

    key: Text
    operator: Text = "="
    value: Text = ""


class Query(BaseModel):
    """The body of ``POST /query``."""

    range: TimeRange
    intervalMs: float | None = Field(None, gt=0, allow_inf_nan=False)  # noqa: N815 (Grafana's name)
    maxDataPoints: int | None = Field(None, ge=1)  # noqa: N815
    targets: Annotated[list[Target], Field(max_length=50)] = []
    adhocFilters: Annotated[list[Filter], Field(max_length=50)] = []  # noqa: N815

    @property
    def points(self) -> int:
        """The number of points that can be drawn."""
        return min(self.maxDataPoints or 500, _MOST_POINTS)

    @property
    def step_s(self) -> int:
        """The shortest usual step that is as long as wanted and gives no more than ``points``."""
        begin, end = self.range.seconds
        wanted = max((self.intervalMs or 0) / 1e3, (end - begin) / self.points)
        return next((each for each in _STEPS_S if each >= wanted), _STEPS_S[-1])

    def jobs(self, target: Target) -> JobQuery:
        """Return the query for a target: jobs that ended in the range and pass all filters."""
        begin, end = self.range.seconds
        chosen = {name: _values(target.options.get(name)) for name in FILTERS}
        for each in self.adhocFilters:
            if each.key not in FILTERS:
                raise UnknownNameError("ad hoc filter", each.key, FILTERS)
            if each.operator != "=":
                raise ParameterError(f'ad hoc filter "{each.operator}"; must be =')
            chosen[each.key] = (*chosen[each.key], each.value)
        return JobQuery(
            ended_from_s=begin,
            ended_to_s=end,
            clusters=chosen["cluster"],
            partitions=chosen["partition"],
            users=chosen["user"],
            groups=chosen["group"],
            states=_states(chosen["state"]),
        )


def _states(names: Iterable[str]) -> tuple[JobState, ...]:
    known = [each.value for each in JobState]
    for name in names:
        if name not in known:
            raise UnknownNameError("state", name, known)
    return tuple(JobState(name) for name in names)


def _values(given: Any) -> tuple[str, ...]:
    """Return what a variable of a dashboard stands for: one value, several, or all."""
    values = given if isinstance(given, list) else [given]
    texts = [str(each) for each in values if each is not None]
    return () if any(each in _ALL for each in texts) else tuple(texts)
