"""The table of metrics, and functions that find a metric by name."""

from __future__ import annotations

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.lookup import import_object, is_import_path, split_parameters
from schedlab.metrics.capacity import (
    fairness,
    loss_of_capacity,
    makespan,
    max_queue_length,
    mean_queue_length,
    throughput,
    utilisation,
)
from schedlab.metrics.clusters import energy
from schedlab.metrics.coallocation import coallocated_bounded_slowdown, coallocated_wait
from schedlab.metrics.incentive import INCENTIVES
from schedlab.metrics.interruptions import interruptions, lost_work
from schedlab.metrics.metric import JobMetric, Metric
from schedlab.metrics.prediction import (
    prediction_accuracy,
    prediction_error,
    underestimated,
)
from schedlab.metrics.resources import (
    core_utilisation,
    gpu_utilisation,
    memory_utilisation,
    stranded_cores,
    stranded_gpus,
)
from schedlab.metrics.wait import bounded_slowdown, delay, response, slowdown, wait, wait_per_node
from schedlab.metrics.weights import WEIGHTS
from schedlab.sim import Schedule

METRICS: dict[str, Metric] = {
    "makespan": Metric(makespan, "s"),
    "utilisation": Metric(utilisation, "1", smaller_is_better=False),
    "core_utilisation": Metric(core_utilisation, "1", smaller_is_better=False),
    "memory_utilisation": Metric(memory_utilisation, "1", smaller_is_better=False),
    "gpu_utilisation": Metric(gpu_utilisation, "1", smaller_is_better=False),
    "stranded_cores": Metric(stranded_cores, "1"),
    "stranded_gpus": Metric(stranded_gpus, "1"),
    "throughput": Metric(throughput, "jobs/h", smaller_is_better=False),
    "wait": JobMetric(wait, "s"),
    "response": JobMetric(response, "s"),
    "slowdown": JobMetric(slowdown, "1"),
    "bounded_slowdown": JobMetric(bounded_slowdown, "1"),
    "wait_per_node": JobMetric(wait_per_node, "s"),
    "delay": JobMetric(delay, "s"),
    "mean_queue_length": Metric(mean_queue_length, "jobs"),
    "max_queue_length": Metric(max_queue_length, "jobs"),
    "fairness": Metric(fairness, "1", smaller_is_better=False),
    "loss_of_capacity": Metric(loss_of_capacity, "1"),
    "interruptions": JobMetric(interruptions, "1"),
    "lost_work": Metric(lost_work, "1"),
    "energy": Metric(energy, "J"),
    "prediction_error": JobMetric(prediction_error, "s"),
    "prediction_accuracy": JobMetric(prediction_accuracy, "1", smaller_is_better=False),
    "underestimated": JobMetric(underestimated, "1"),
    "coallocated_wait": JobMetric(coallocated_wait, "s"),
    "coallocated_bounded_slowdown": JobMetric(coallocated_bounded_slowdown, "1"),
    **INCENTIVES,
}


def find_metric(name: str) -> Metric:
    """Return the metric of that name, or the one that ``package.module:object`` names.

    The name of a job metric may say how the values of the jobs are combined:
    ``wait:percentile=95``, ``bounded_slowdown:weight=user`` or both, with a comma between.
    """
    if not isinstance(name, str):
        raise ParameterError(
            f'a metric is a {type(name).__name__}; must be a name such as "wait", or '
            "package.module:object for one of your own"
        )
    if is_import_path(name):
        metric = import_object("metric", name)
        if not isinstance(metric, Metric):
            raise ParameterError(f'"{name}" is not a Metric')
        return metric
    plain, colon, options = name.partition(":")
    if plain not in METRICS:
        raise UnknownNameError("metric", plain, METRICS)
    return _statistic(name, find_job_metric(plain), options) if colon else METRICS[plain]


def find_job_metric(name: str) -> JobMetric:
    """Return the metric of that name, which must have a value for each job."""
    metric = find_metric(name)
    if not isinstance(metric, JobMetric):
        of_jobs = ", ".join(key for key, known in METRICS.items() if isinstance(known, JobMetric))
        raise ParameterError(
            f'metric "{name}" has no value for each job; those that have: {of_jobs}'
        )
    return metric


def _statistic(name: str, metric: JobMetric, options: str) -> Metric:
    """Return a weighted mean or percentile of a metric of jobs."""
    chosen = split_parameters(options, f'metric "{name}"')
    for option in chosen:
        if option not in ("percentile", "weight"):
            raise UnknownNameError(f'option of metric "{name}"', option, ("percentile", "weight"))
    weight = chosen.get("weight", "job")
    if weight not in WEIGHTS:
        raise UnknownNameError("weight", weight, WEIGHTS)
    percent = _percent(name, chosen["percentile"]) if "percentile" in chosen else None

    def formula(schedule: Schedule) -> float:
        if percent is None:
            return metric.mean(schedule, weight)
        return metric.percentile(schedule, percent, weight)

    formula.__doc__ = f"{metric.sentence[:-1]} ({options})."
    return Metric(formula, metric.unit, metric.smaller_is_better)


def _percent(name: str, text: str) -> float:
    try:
        percent = float(text)
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:
        raise ParameterError(f'metric "{name}": percentile is "{text}"; must be from 0 to 100')
    return percent
