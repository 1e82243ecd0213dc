"""Numbers as pages show them; what is not known is a dash."""

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
    """The zone in which the site tells the time."""
    site = service.settings.site
    return UTC if site is None else find_zone(site.about.time_zone)


def _known(write: Callable[..., str]) -> Callable[..., str]:
    def written(value: Any, *options: Any) -> str:
        return UNKNOWN if value is None else write(value, *options)

    return written


def _moment(epoch_s: float, zone: tzinfo = UTC) -> str:
    return f"{datetime.fromtimestamp(epoch_s, zone):%Y-%m-%d %H:%M}"


def _energy(joule: float) -> str:
    """In watt-hours, kilowatt-hours or megawatt-hours, whichever suits."""
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
    """What an error says, as it stands by itself."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(("?", ".")) else ".")


_SCALES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_UNITS = {"degC": "°C", "1": "", "1/s": "/s"}


def measured(value: float | None, unit: str | None) -> str:
    """A value of a timeline in its unit."""
    if value is None:
        return UNKNOWN
    if unit in ("B", "B/s"):
        return short_bytes(value) + (unit or "")[1:]
    shown = _UNITS.get(unit or "", unit or "")
    if unit in ("Hz", "1/s", "J"):
        factor, prefix = next((each for each in _SCALES if abs(value) >= each[0]), (1.0, ""))
        return f"{three_digits(value / factor)} {prefix}{shown}".rstrip()
    return f"{three_digits(value)} {shown}".rstrip()


FILTERS: Mapping[str, Callable[..., str]] = {
    "moment": _known(_moment),
    "duration": _known(short_duration),
    "energy": _known(_energy),
    "power": _known(_power),
    "mass": _known(_mass),
    "percent": _known(_percent),
    "bytes": _known(short_bytes),
    "measured": measured,
    "sentence": _sentence,
}
"""What templates can write values with."""
