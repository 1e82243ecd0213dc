"""Convert all times of a file to one zone, so that texts sort in the order of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from schedlab.history.export.exporter import Record
from schedlab.history.schema.times import format_time, is_time, parse_time


def standard_offset(zone: str) -> timezone:
    """Return the zone's offset without summer time, which a file of records cannot switch to."""
    moment = datetime.now(ZoneInfo(zone))
    return timezone((moment.utcoffset() or timedelta()) - (moment.dst() or timedelta()))


def in_zone(record: Record, zone: timezone) -> Record:
    """Return the record with its times, and those of its hosts, in that zone."""
    if zone.utcoffset(None) == UTC.utcoffset(None):
        return record
    shown = _part(record, zone)
    if record.get("per_host"):
        shown["per_host"] = [_part(host, zone) for host in record["per_host"]]
    return shown


def _is_time(item: str, value: object) -> bool:
    return item.endswith("_time") and is_time(value)


def _part(part: Record, zone: timezone) -> Record:
    return {
        item: format_time(parse_time(value).astimezone(zone)) if _is_time(item, value) else value
        for item, value in part.items()
    }
