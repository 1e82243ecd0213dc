"""Predictors of run times: from the table, or a class of your own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from schedlab import _core
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.lookup import import_object, is_import_path, parse_parameters, require_callable
from schedlab.predict.noisy import noisy
from schedlab.predict.past import ClassQuantiles, NearestQuantiles, Past
from schedlab.predict.predictor import Predictor, SubmittedJob
from schedlab.predict.quantile_predictor import KnownJob, QuantilePredictor
from schedlab.predict.recorded import Recorded
from schedlab.predict.run_times import LEVELS, RunTimes
from schedlab.workload import Workload
from schedlab.workload.arguments import number, switch

__all__ = [
    "LEVELS",
    "PREDICTORS",
    "ChosenPredictor",
    "ClassQuantiles",
    "KnownJob",
    "NearestQuantiles",
    "Past",
    "Predictor",
    "PredictorEntry",
    "PredictorLike",
    "QuantilePredictor",
    "Recorded",
    "RunTimes",
    "SubmittedJob",
    "find_predictor",
]


@dataclass(frozen=True)
class PredictorEntry:
    """One line of the table of predictors."""

    sentence: str
    reference: str
    make: Callable[..., _core.Predictor | None]
    """Return the predictor for a workload and parameters; None to plan with the requests."""
    parameters: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """Parameters that may follow the name, as ``name:key=value``, and how their text is read."""


def _boosting(_: Workload) -> _core.Predictor:
    from schedlab.predict.boosting import Boosting

    return Boosting()


def _boosted_quantiles(_: Workload, *, calibrate: bool = True) -> _core.Predictor:
    from schedlab.predict.boosted_quantiles import BoostedQuantiles

    return BoostedQuantiles(calibrate=calibrate)


def _quantiles(kind: type[QuantilePredictor]) -> Callable[..., _core.Predictor]:
    return lambda _, **parameters: kind(**parameters)


_CALIBRATE = {"calibrate": switch}


PREDICTORS: dict[str, PredictorEntry] = {
    "request": PredictorEntry("What the user asked for.", "textbook", lambda _: None),
    "actual": PredictorEntry(
        "The true run time: what the best predictor could give.",
        "oracle",
        lambda workload: _core.Actual(workload["run_s"]),
    ),
    "noisy": PredictorEntry(
        "The true run time, wrong by a log-normal factor: noisy:sigma=0.5.",
        "oracle",
        noisy,
        {"sigma": number},
    ),
    "last-two": PredictorEntry(
        "The mean of the user's last two run times.",
        "Tsafrir, Etsion & Feitelson, TPDS 2007",
        lambda _: _core.LastTwo(),
    ),
    "class-mean": PredictorEntry(
        "The mean of the user's jobs with the same request and nodes, else with the same "
        "request, else of all.",
        "after Tang, Desai, Buettner & Lan, IPDPS 2010",
        lambda _: _core.ClassMean(),
    ),
    "nearest": PredictorEntry(
        "The mean of the three jobs nearest by request and nodes among the user's last hundred.",
        "after Galleguillos, Sîrbu, Kiziltan, Babaoglu, Borghesi & Bridi, MOD 2017",
        lambda _: _core.Nearest(),
    ),
    "regression": PredictorEntry(
        "Online ridge regression on the request, the nodes and the user's recent run times.",
        "after Gaussier, Glesser, Reis & Trystram, SC 2015",
        lambda _: _core.Regression(),
    ),
    "boosting": PredictorEntry(
        "Gradient-boosted trees on request, nodes, hour, weekday and what last-two, class-mean and "
        "nearest say (needs scikit-learn).",
        "Friedman, Annals of Statistics 2001",
        _boosting,
    ),
    "past": PredictorEntry(
        "Quantiles of all run times so far, of all users; plans use the median.",
        "textbook",
        _quantiles(Past),
        _CALIBRATE,
    ),
    "class-quantiles": PredictorEntry(
        "Calibrated quantiles of the user's jobs with the same request and nodes, backed by "
        "those of all users; plans use the median.",
        "after Nissimov & Feitelson, JSSPP 2007",
        _quantiles(ClassQuantiles),
        _CALIBRATE,
    ),
    "nearest-quantiles": PredictorEntry(
        "Calibrated quantiles of the user's jobs, weighed by how near in request and nodes and how "
        "recent, backed by those of all users; plans use the median.",
        "after Nissimov & Feitelson, JSSPP 2007",
        _quantiles(NearestQuantiles),
        _CALIBRATE,
    ),
    "boosting-quantiles": PredictorEntry(
        "Calibrated quantiles of gradient-boosted trees with quantile loss, on what "
        "nearest-quantiles says; plans use the median (needs scikit-learn).",
        "Friedman, Annals of Statistics 2001",
        _boosted_quantiles,
        _CALIBRATE,
    ),
}


@dataclass(frozen=True)
class ChosenPredictor:
    """A predictor ready to be made, with the name that results record."""

    name: str
    make: Callable[[Workload], _core.Predictor | None]


PredictorLike = str | _core.Predictor | type[_core.Predictor] | ChosenPredictor


def find_predictor(predictor: PredictorLike) -> ChosenPredictor:
    """Return the predictor of that name, class or object; ``package.module:Class`` is a name too.

    A name may have parameters, as in ``noisy:sigma=0.5``.
    """
    if isinstance(predictor, ChosenPredictor):
        return predictor
    if not isinstance(predictor, str):
        return _from_code(predictor, "")
    name, _, text = predictor.partition(":")
    if name in PREDICTORS:
        entry = PREDICTORS[name]
        parameters = parse_parameters("predictor", name, text, entry.parameters)
        return ChosenPredictor(predictor, partial(entry.make, **parameters))
    if not is_import_path(predictor):
        raise UnknownNameError("predictor", predictor, PREDICTORS)
    return _from_code(import_object("predictor", predictor), predictor)


def _from_code(found: object, name: str) -> ChosenPredictor:
    if isinstance(found, type):
        require_callable("predictor", name or found.__name__, found)
    made = found() if isinstance(found, type) else found
    name = name or type(made).__name__
    if not isinstance(made, _core.Predictor):
        raise ParameterError(f'predictor "{name}" is a {type(made).__name__}; must be a Predictor')
    return ChosenPredictor(name, lambda _: made)
