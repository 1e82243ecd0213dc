"""The form that searches jobs: the parameters of the URL, as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any
from urllib.parse import urlencode

from pydantic import ValidationError
from starlette.datastructures import QueryParams

from schedlab.errors import ParameterError
from schedlab.history.sensors.items import UNITS
from schedlab.history.web.parameters import JobFilter
from schedlab.units import parse_duration

NAMES = ("jobid", "user", "group", "cluster", "partition", "node", "tag")
DURATIONS = ("min_wait_s", "max_wait_s", "min_run_s", "max_run_s")
ENERGIES = ("min_energy_joule", "max_energy_joule")
TIMES = ("from", "to")
_LISTS = (*NAMES, "state")
_OWN = ("sort", "cursor")


@dataclass(frozen=True)
class JobsForm:
    """A filled-in form.

    Args:
        given: the values of its fields, without those that are empty.
        filter: the jobs that it selects; None if something is wrong with it.
        fault: what is wrong.
    """

    given: Mapping[str, list[str]]
    filter: JobFilter | None
    fault: str = ""

    @classmethod
    def read(cls, parameters: QueryParams, zone: tzinfo) -> JobsForm:
        """Return the form that a browser has sent.

        Times are in this zone; amounts may have units, such as ``2h``.
        """
        names = [name for name in dict.fromkeys(parameters) if name not in _OWN]
        filled = {name: [each for each in parameters.getlist(name) if each] for name in names}
        given = {name: values for name, values in filled.items() if values}
        if given.keys().isdisjoint(TIMES):
            given.pop("time", None)
        try:
            values = {name: _value(name, each, zone) for name, each in given.items()}
            return cls(given, JobFilter.model_validate(values))
        except ParameterError as error:
            return cls(given, None, str(error))
        except ValidationError as error:
            return cls(given, None, "; ".join(_faults(error)))

    def first(self, name: str) -> str:
        """Return the value of a field that occurs once; empty if it was not filled in."""
        return self.given.get(name, [""])[0]

    @property
    def is_detailed(self) -> bool:
        """Whether a field is filled in that is not among the usual ones."""
        usual = {"jobid", "user", "state", "time", *TIMES}
        return not usual.issuperset(self.given)

    def link(self, **changed: str) -> str:
        """Return the query of a link to the same jobs, with changes to how they are shown."""
        pairs = [(name, each) for name, values in self.given.items() for each in values]
        return urlencode([*pairs, *changed.items()])

    def api_query(self, **more: str) -> str:
        """Return the query that asks the API for the same jobs."""
        assert self.filter is not None
        given = self.filter.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        for name in TIMES:
            if name in given:
                given[name] = f"{datetime.fromtimestamp(given[name], UTC):%Y-%m-%dT%H:%M:%SZ}"
        return urlencode([*given.items(), *more.items()], doseq=True)


def _value(name: str, values: list[str], zone: tzinfo) -> Any:
    if name in _LISTS:
        return values
    if name in DURATIONS:
        return parse_duration(values[0])
    if name in ENERGIES:
        return _joule(values[0])
    return _with_zone(values[0], zone) if name in TIMES else values[0]


def _joule(text: str) -> float:
    """Return the joules in ``500``, ``2kWh`` or ``1.5 MJ``."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    unit = UNITS.get(match[2] or "J") if match else None
    if match is None or unit is None or unit.base != "J":
        raise ParameterError(f'"{text}" is not an energy; write for example 500Wh, 2kWh or 1.5MJ')
    return float(match[1]) * unit.factor


def _with_zone(text: str, zone: tzinfo) -> str:
    """Add the zone to a time that has none, such as one from a browser's field for times."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text if moment.tzinfo else moment.replace(tzinfo=zone).isoformat()


def _faults(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_input=False):
        where = ".".join(str(part) for part in each["loc"])
        what = each["msg"].removeprefix("Value error, ")
        yield f"{where}: {what}" if where else what
