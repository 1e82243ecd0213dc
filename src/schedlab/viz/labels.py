"""Names and values of metrics as pictures print them."""

from __future__ import annotations

import math

from schedlab.metrics import Metric

_LENGTHS_S = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def metric_label(name: str) -> str:
    """``bounded_slowdown:percentile=95`` as ``bounded slowdown (p95)``."""
    plain, _, options = name.partition(":")
    words = plain.replace("_", " ")
    if not options:
        return words
    return f"{words} ({options.replace('percentile=', 'p').replace('weight=', 'by ').replace(',', ', ')})"


def axis_label(name: str, metric: Metric) -> str:
    """The name, with the unit where the ticks do not show it."""
    return (
        metric_label(name) if metric.unit in ("1", "s") else f"{metric_label(name)} ({metric.unit})"
    )


def value_label(value: float, metric: Metric) -> str:
    """The value with three digits, and with its unit."""
    if math.isnan(value):
        return "–"
    if metric.unit == "s":
        for length_s, unit in _LENGTHS_S:
            if value >= length_s:
                return f"{_three_digits(value / length_s)} {unit}"
    unit = "" if metric.unit == "1" else f" {metric.unit}"
    return f"{_three_digits(value)}{unit}"


def _three_digits(value: float) -> str:
    if value == 0 or not 0.001 <= abs(value) < 1e9:
        return f"{value:.3g}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"
