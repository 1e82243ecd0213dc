"""Names and values of metrics as pictures print them."""

from __future__ import annotations

import math

from schedlab.lookup import is_import_path
from schedlab.metrics import METRICS, JobMetric, Metric
from schedlab.units import short_duration, three_digits

_STATISTICS = {None: "mean", "50": "median", "100": "greatest"}


def metric_label(name: str) -> str:
    """Write ``wait`` as ``mean wait``, ``wait:percentile=95,weight=user`` as ``p95 wait, by user``.

    A metric of your own, ``mine:late_jobs``, has the name of its object: ``late jobs``.
    """
    plain, _, text = name.partition(":")
    if is_import_path(name):
        return text.replace("_", " ")
    words = plain.replace("_", " ")
    if not isinstance(METRICS.get(plain), JobMetric):
        return words
    options = dict(option.partition("=")[::2] for option in text.split(","))
    percent = options.get("percentile")
    statistic = _STATISTICS.get(percent, f"p{percent}")
    by = f", by {options['weight'].replace('_', '-')}" if "weight" in options else ""
    return f"{statistic} {words}{by}"


def value_label(value: float, metric: Metric) -> str:
    """Return the value with three digits and its unit, times in a unit that suits them."""
    if math.isnan(value):
        return "–"
    if metric.unit == "s":
        return short_duration(value)
    return three_digits(value) + ("" if metric.unit == "1" else f" {metric.unit}")
