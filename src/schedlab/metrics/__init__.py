"""Metrics of a schedule: one function per metric, with the formula in its docstring."""

from schedlab.metrics.accuracy import wra, wrsa_by_user, wrsa_over_time
from schedlab.metrics.capacity import jain_index
from schedlab.metrics.clusters import by_cluster, by_site
from schedlab.metrics.groupings import GROUPINGS
from schedlab.metrics.incentive import incentive_points
from schedlab.metrics.metric import JobMetric, Metric
from schedlab.metrics.metrics import METRICS, find_job_metric, find_metric
from schedlab.metrics.resources import by_resource
from schedlab.metrics.summary import compare, summary
from schedlab.metrics.tables import over_time, table
from schedlab.metrics.weights import WEIGHTS

__all__ = [
    "GROUPINGS",
    "METRICS",
    "WEIGHTS",
    "JobMetric",
    "Metric",
    "by_cluster",
    "by_resource",
    "by_site",
    "compare",
    "find_job_metric",
    "find_metric",
    "incentive_points",
    "jain_index",
    "over_time",
    "summary",
    "table",
    "wra",
    "wrsa_by_user",
    "wrsa_over_time",
]
