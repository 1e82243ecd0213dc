"""Forecasts in words: between 14:10 and 16:30, most likely about 15:00."""

from __future__ import annotations

from datetime import datetime, timedelta

from schedlab.analysis.clock import Clock

_STEPS_S = ((900, 60), (7200, 300), (21_600, 600), (86_400, 1800), (5 * 86_400, 3600))
"""Largest width of an interval, and the step to which its ends are rounded; else to days."""
MINUTE_S, DAY_S, WEEK = 60, 86_400, 7


def start_in_words(
    now_s: float, low_s: float, middle_s: float, high_s: float, clock: Clock | None = None
) -> str:
    """Return in words when a job will start.

    Args:
        now_s: the present time.
        low_s: the beginning of the interval.
        middle_s: the most likely start.
        high_s: the end of the interval.
        clock: gives dates; without it the words count from now.
    """
    if high_s - now_s < MINUTE_S:
        return "within a minute"
    low, middle, high = moments_in_words(now_s, (low_s, middle_s, high_s), clock)
    between = ("between", "and") if clock else ("in", "to")
    return f"{between[0]} {low} {between[1]} {high}, most likely about {middle}"


def moments_in_words(
    now_s: float, moments_s: tuple[float, float, float], clock: Clock | None = None
) -> tuple[str, str, str]:
    """Return the beginning of an interval, its most likely moment and its end, in words."""
    low_s, middle_s, high_s = moments_s
    step_s = next((step for width, step in _STEPS_S if high_s - low_s <= width), DAY_S)
    now = None if clock is None else clock.at(round(now_s))
    if clock is None or now is None:
        return _span(low_s - now_s), _span(middle_s - now_s), _span(high_s - now_s)
    begin_s = clock.begin_s + int((now.utcoffset() or timedelta()).total_seconds())

    def told(time_s: float) -> str:
        rounded = round((begin_s + time_s) / step_s) * step_s - begin_s
        return _date(clock.at(max(rounded, round(now_s))) or now, now, step_s)

    return told(low_s), told(middle_s), told(high_s)


def _date(moment: datetime, now: datetime, step_s: int) -> str:
    """Return the time of day, with the day if that is not today; only the day for steps of days."""
    if step_s >= DAY_S:
        return f"{moment:%-d %B}"
    days = (moment.date() - now.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    return f"{moment:%a %H:%M}" if days < WEEK else f"{moment:%-d %B %H:%M}"


def _span(seconds: float) -> str:
    seconds = max(seconds, 0)
    if seconds < 90 * MINUTE_S:
        return f"{seconds / MINUTE_S:.0f} min"
    if seconds < 2 * DAY_S:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / DAY_S:.1f} days"
