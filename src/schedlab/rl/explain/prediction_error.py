"""What predictions are worth: results as a function of how wrong the predictions are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from schedlab.metrics import find_metric
from schedlab.metrics.incentive import spearman
from schedlab.rl.agent import play
from schedlab.rl.explain.estimate import Estimate, EstimatedRow
from schedlab.rl.explain.explainer import Progress
from schedlab.rl.explain.explanation import Effort
from schedlab.rl.model_file import TrainedModel
from schedlab.sim import Schedule, simulate
from schedlab.workload import Workload
from schedlab.workload.episodes import Episodes

NOISE = ("actual", *(f"noisy:sigma={sigma}" for sigma in (0.25, 0.5, 1, 2, 4)))
"""The true run times, and predictions with larger and larger errors."""
PREDICTORS = (*NOISE, "last-two", "class-mean", "nearest", "regression", "request")
LEARNED = "learned"

Results = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class PredictionOutcome(EstimatedRow):
    """The results of a policy with a predictor, over episodes.

    Args:
        policy: ``learned`` for the model.
        predictor: the predictor of run times.
        relative_error: the mean absolute error of its predictions, as a share of the mean run
            time; measured under EASY.
        rank_correlation: of predicted and true run times, from -1 to 1; measured under EASY.
        utilisation: of the machine.
        bounded_slowdown: the mean over jobs.
        share_started: of the jobs; a model may run out of steps before it has started all.
        utilisation_change: the difference from the same policy with the first predictor, such as
            the truth, on the same jobs.
        bounded_slowdown_change: the same for the slowdown.
    """

    policy: str
    predictor: str
    relative_error: Estimate
    rank_correlation: Estimate
    utilisation: Estimate
    bounded_slowdown: Estimate
    share_started: Estimate
    utilisation_change: Estimate
    bounded_slowdown_change: Estimate


def by_prediction_error(
    model: TrainedModel,
    episodes: Episodes,
    effort: Effort | None = None,
    *,
    predictors: Sequence[str] = PREDICTORS,
    policies: Sequence[str] = ("easy", "sjf+easy"),
    progress: Progress | None = None,
) -> list[PredictionOutcome]:
    """Let a model and other policies schedule the same jobs with better and worse predictions.

    Args:
        model: from ``read_model``.
        episodes: from ``choose_episodes``, or the model's own ``config.all_episodes(folder)``.
        effort: how many episodes are played, and which.
        predictors: the others are compared with the first.
        policies: beside the model.
        progress: called now and then.
    """
    effort = effort or Effort()
    torch.set_num_threads(effort.threads)
    jobs = [
        episodes.draw(np.random.default_rng(effort.seed + place))
        for place in range(effort.episodes)
    ]
    found: dict[str, list[PredictionOutcome]] = {policy: [] for policy in (LEARNED, *policies)}
    first: dict[str, Results] = {}
    for place, predictor in enumerate(predictors):
        quality = _quality(list(_schedules(model, jobs, "easy", predictor)))
        results = {LEARNED: _learned(model, episodes, effort, predictor)}
        results |= {each: _simulated(model, jobs, each, predictor) for each in policies}
        first = first or results
        for policy, of_policy in results.items():
            found[policy].append(_outcome(policy, predictor, quality, of_policy, first[policy]))
        if progress is not None:
            progress(place + 1, len(predictors))
    return [each for of_policy in found.values() for each in of_policy]


def _learned(model: TrainedModel, episodes: Episodes, effort: Effort, predictor: str) -> Results:
    played = play(
        model.agent(),
        replace(model.settings, estimate=predictor),
        episodes,
        effort.episodes,
        seed=effort.seed,
        threads=effort.threads,
    )
    keys = ("utilisation", "mean_bounded_slowdown", "share_started")
    return {key: np.array([each[key] for each in played]) for key in keys}


def _simulated(
    model: TrainedModel, jobs: Sequence[Workload], policy: str, predictor: str
) -> Results:
    schedules = list(_schedules(model, jobs, policy, predictor))
    utilisation, slowdown = find_metric("utilisation"), find_metric("bounded_slowdown")
    return {
        "utilisation": np.array([utilisation.value(each) for each in schedules]),
        "mean_bounded_slowdown": np.array([slowdown.value(each) for each in schedules]),
        "share_started": np.ones(len(schedules)),
    }


def _schedules(
    model: TrainedModel, jobs: Sequence[Workload], policy: str, predictor: str
) -> Iterator[Schedule]:
    settings = model.settings
    for workload in jobs:
        yield simulate(
            workload, settings.nodes, policy, tick=settings.sim_step_s, predict=predictor
        )


def _quality(schedules: Sequence[Schedule]) -> tuple[Estimate, Estimate]:
    """Return the predictions' relative error, and their rank correlation with the truth."""
    error = find_metric("prediction_error")
    errors = [error.value(each) / float(each.ran_s.mean()) for each in schedules]
    estimates = [
        each.workload["request_s"] if each.estimate_s is None else each.estimate_s
        for each in schedules
    ]
    pairs = zip(estimates, schedules, strict=True)
    return Estimate.of(errors), Estimate.of([spearman(e, each.ran_s) for e, each in pairs])


def _outcome(
    policy: str,
    predictor: str,
    quality: tuple[Estimate, Estimate],
    results: Results,
    first: Results,
) -> PredictionOutcome:
    slowdown = "mean_bounded_slowdown"
    return PredictionOutcome(
        policy,
        predictor,
        *quality,
        utilisation=Estimate.of(results["utilisation"]),
        bounded_slowdown=Estimate.of(results[slowdown]),
        share_started=Estimate.of(results["share_started"]),
        utilisation_change=Estimate.of(results["utilisation"] - first["utilisation"]),
        bounded_slowdown_change=Estimate.of(results[slowdown] - first[slowdown]),
    )
