"""Names and values of metrics as pictures print them."""

from __future__ import annotations

import math

from schedlab.metrics import METRICS, JobMetric, Metric

_STATISTICS = {None: "mean", "50": "median", "100": "greatest"}
_LENGTHS_S = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def metric_label(name: str) -> str:
    """``wait`` as ``mean wait``, ``wait:percentile=95,weight=user`` as ``p95 wait, by user``."""
    plain, _, text = name.partition(":")
    words = plain.replace("_", " ")
    if not isinstance(METRICS.get(plain), JobMetric):
        return words
    options = dict(option.partition("=")[::2] for option in text.split(","))
    percent = options.get("percentile")
    statistic = _STATISTICS.get(percent, f"p{percent}")
    by = f", by {options['weight'].replace('_', '-')}" if "weight" in options else ""
    return f"{statistic} {words}{by}"


def value_label(value: float, metric: Metric) -> str:
    """The value with three digits and its unit, times in a unit that suits them."""
    if math.isnan(value):
        return "–"
    if metric.unit == "s":
        for length_s, unit in _LENGTHS_S:
            if value >= length_s:
                return f"{three_digits(value / length_s)} {unit}"
    return three_digits(value) + ("" if metric.unit == "1" else f" {metric.unit}")


def three_digits(value: float) -> str:
    """``0.0365``, ``1.12``, ``27.6``, ``66,502``."""
    if value == 0 or not 0.001 <= abs(value) < 1e9:
        return f"{value:.3g}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"
