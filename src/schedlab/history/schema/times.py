"""Times in the form of the standard record: ISO 8601 basic with the zone's offset."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from schedlab.errors import ParameterError

TIME_PATTERN = r"^\d{8}T\d{6}[+-]\d{4}$"

_TIME = re.compile(TIME_PATTERN, re.ASCII)
_BLANK_OFFSET = re.compile(r" (\d\d:?\d\d)$", re.ASCII)
_MINUTE = timedelta(minutes=1)
_TWO = [f"{number:02}" for number in range(60)]


def parse_time(value: Any) -> datetime:
    """Return the moment in ``YYYYMMDDThhmmss+hhmm``, or an aware datetime cut to whole seconds."""
    if isinstance(value, datetime):
        is_plain = value.tzinfo is UTC and not value.microsecond
        return value if is_plain else _whole(value)
    if not isinstance(value, str) or not _TIME.match(value):
        raise ValueError(f"{value!r} is not a time; must look like 20261115T090000+0900")
    try:
        return datetime.fromisoformat(value)
    except ValueError as error:
        raise ValueError(f"{value!r} is not a time: {error}") from None


def _whole(moment: datetime) -> datetime:
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError(f"{moment} has no time zone")
    if offset % _MINUTE:
        moment = moment.astimezone(UTC)  # old local mean times have no offset in whole minutes
    return moment.replace(microsecond=0) if moment.microsecond else moment


def is_time(value: Any) -> bool:
    """Return whether the value is a text in the form that ``parse_time`` reads."""
    return isinstance(value, str) and _TIME.match(value) is not None


def format_time(moment: datetime) -> str:
    """Return ``YYYYMMDDThhmmss+hhmm``; texts with the same offset sort in the order of time."""
    if moment.tzinfo is UTC:  # the usual case; isoformat takes four times as long
        day = _day(moment.toordinal())
        return f"{day}T{_TWO[moment.hour]}{_TWO[moment.minute]}{_TWO[moment.second]}+0000"
    text = moment.isoformat()
    return f"{text[:4]}{text[5:7]}{text[8:13]}{text[14:16]}{text[17:22]}{text[23:25]}"


@lru_cache(maxsize=65_536)
def _day(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat().replace("-", "")


def from_epoch(seconds: float) -> datetime:
    """Return the moment this number of seconds after 1970 began, in UTC.

    Raise ``ValueError`` if the moment is out of range.
    """
    try:
        return datetime.fromtimestamp(seconds // 1, UTC)
    except (OSError, OverflowError):
        raise ValueError(f"{seconds:g} s after 1970 is not a time") from None


def parse_moment(text: str) -> datetime:
    """Read the moment in any form of ISO 8601: ``2026-01-05`` or ``2026-01-05T12:00+09:00``.

    Without a zone, the text is in UTC. The ``+`` before an offset may be a blank, since that is
    what it becomes in a URL.
    """
    try:
        moment = datetime.fromisoformat(_BLANK_OFFSET.sub(r"+\1", text))
    except ValueError:
        raise ParameterError(
            f'"{text}" is not a time; write 2026-01-05 or 2026-01-05T12:00+09:00'
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def find_zone(name: str) -> ZoneInfo:
    """Return the time zone of that name in the IANA database."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise ParameterError(
            f'time_zone is "{name}"; must be a name such as "UTC" or "Asia/Tokyo"'
        ) from None


Time = Annotated[
    datetime,
    PlainValidator(parse_time),
    PlainSerializer(format_time, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "pattern": TIME_PATTERN}),
]
"""A moment in whole seconds with its zone."""
