"""Analyses of a trace: how well users estimate, what they request, and when they submit."""

from schedlab.analysis.analysis import Analysis, analyse
from schedlab.analysis.arrivals import ArrivalPattern
from schedlab.analysis.as_it_was import AS_IT_WAS, as_it_was, as_it_was_notes
from schedlab.analysis.clock import Clock
from schedlab.analysis.distributions import BoxPlot, Histogram
from schedlab.analysis.prediction import prediction_accuracy
from schedlab.analysis.quantile_scores import SCORED_LEVELS, quantile_scores, reliability
from schedlab.analysis.requests import RequestDensity
from schedlab.metrics.accuracy import wra, wrsa_by_user, wrsa_over_time

__all__ = [
    "AS_IT_WAS",
    "SCORED_LEVELS",
    "Analysis",
    "ArrivalPattern",
    "BoxPlot",
    "Clock",
    "Histogram",
    "RequestDensity",
    "analyse",
    "as_it_was",
    "as_it_was_notes",
    "prediction_accuracy",
    "quantile_scores",
    "reliability",
    "wra",
    "wrsa_by_user",
    "wrsa_over_time",
]
