"""Estimates in the cells of a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from schedlab.units import three_digits

if TYPE_CHECKING:
    from schedlab.rl.explain import Estimate


def percent(value: Estimate | None) -> str:
    """Return the estimate in per cent: ``"23.1 ±2.9"``."""
    return _with_error(value, lambda share: f"{100 * share:.1f}")


def plain(value: Estimate | None) -> str:
    """Return the estimate as ``"0.120 ±0.031"``."""
    return _with_error(value, three_digits)


def _with_error(value: Estimate | None, written: Callable[[float], str]) -> str:
    """Return the mean, and half the width of its interval; a dash if there is no mean."""
    if value is None or math.isnan(value.mean):
        return "–"
    half = "" if math.isnan(value.low) else f" ±{written((value.high - value.low) / 2)}"
    return f"{written(value.mean)}{half}"
