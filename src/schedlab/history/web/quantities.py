"""Numbers as pages show them; an unknown value is a dash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from schedlab.history.schema.times import find_zone
from schedlab.history.web.service import Service
from schedlab.units import short_bytes, short_duration, three_digits

UNKNOWN = "–"
JOULE_PER_WATT_HOUR = 3_600.0


def zone_of(service: Service) -> tzinfo:
    """Return the zone in which the site tells the time."""
    site = service.settings.site
    return UTC if site is None else find_zone(site.about.time_zone)


def _known(write: Callable[..., str]) -> Callable[..., str]:
    def written(value: Any, *options: Any) -> str:
        return UNKNOWN if value is None else write(value, *options)

    return written


def _moment(epoch_s: float, zone: tzinfo = UTC) -> str:
    return f"{datetime.fromtimestamp(epoch_s, zone):%Y-%m-%d %H:%M}"


def _energy(joule: float) -> str:
    """Write an energy in watt-hours, kilowatt-hours or megawatt-hours, whichever suits."""
    watt_hour = float(joule) / JOULE_PER_WATT_HOUR
    for factor, unit in ((1e6, "MWh"), (1e3, "kWh")):
        if watt_hour >= factor:
            return f"{three_digits(watt_hour / factor)} {unit}"
    return f"{three_digits(watt_hour)} Wh"


def _power(watt: float) -> str:
    return f"{three_digits(watt / 1e3)} kW" if watt >= 1e4 else f"{three_digits(watt)} W"


def _mass(gram: float) -> str:
    return f"{three_digits(gram / 1e3)} kg" if gram >= 1e3 else f"{three_digits(gram)} g"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _sentence(text: str) -> str:
    """Return the text of an error as a sentence of its own."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(("?", ".")) else ".")


def _change(now: float, before: float | None) -> str:
    """Write the change since before in per cent; nothing if there is no value to compare with."""
    if not before:
        return ""
    percent = 100 * (now / before - 1)
    return f"{'+' if percent >= 0 else '−'}{abs(percent):,.0f} %"


FILTERS: Mapping[str, Callable[..., str]] = {
    "moment": _known(_moment),
    "duration": _known(short_duration),
    "energy": _known(_energy),
    "power": _known(_power),
    "mass": _known(_mass),
    "percent": _known(_percent),
    "change": lambda now, before: "" if now is None else _change(now, before),
    "bytes": _known(short_bytes),
    "sentence": _sentence,
}
"""The filters with which templates write values."""
