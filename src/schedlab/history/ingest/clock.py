"""Turn local clock readings in accounting files into the moments that they mean."""

from __future__ import annotations

from datetime import UTC, datetime

from schedlab.history.schema.times import find_zone, from_epoch

_NEVER = frozenset({"", "None", "Unknown", "unknown", "(null)"})


class SiteClock:
    """Reads times of a site whose clocks show one zone, including summer time."""

    def __init__(self, zone: str) -> None:
        self._zone = find_zone(zone)
        self._is_utc = zone == "UTC"

    def moment(self, text: str, not_before: datetime | None = None) -> datetime | None:
        """Return the moment of ``2026-11-15T09:00:00`` or of epoch seconds; ``None`` for "Unknown".

        In the hour that autumn repeats, a reading is taken for its first occurrence, unless that
        lies before ``not_before``, the event that came earlier in the life of the job.
        """
        if text in _NEVER:
            return None
        if text.isdigit():
            return from_epoch(int(text)) if int(text) else None
        try:
            if self._is_utc:
                return datetime.fromisoformat(f"{text}+00:00")
            reading = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(
                f"{text!r} is not a time; must look like 2026-11-15T09:00:00"
            ) from None
        first = reading.replace(tzinfo=self._zone).astimezone(UTC)
        if not_before is not None and first < not_before:
            second = reading.replace(tzinfo=self._zone, fold=1).astimezone(UTC)
            return second if second >= not_before else first
        return first


def limit_of_minutes(text: str) -> int | None:
    """Return the seconds of a time limit in minutes; ``None`` if there is no limit."""
    return int(text) * 60 if text.isdigit() else None


def seconds_of(text: str) -> float:
    """Return the seconds of ``[DD-[HH:]]MM:SS[.fff]``, as Slurm prints durations."""
    if len(text) == 8 and text[2] == text[5] == ":" and "-" not in text:  # the usual form
        return 3600 * float(text[:2]) + 60 * float(text[3:5]) + float(text[6:])
    days, _, clock = text.rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = 60 * seconds + float(part)
    return seconds + 86400 * int(days or 0)
