"""What is in a trace: how well users estimate, what they request, and when they submit."""

from schedlab.analysis.analysis import Analysis, analyse
from schedlab.analysis.arrivals import Arrivals
from schedlab.analysis.clock import Clock
from schedlab.analysis.distributions import BoxPlot, Histogram
from schedlab.analysis.prediction import prediction_accuracy
from schedlab.analysis.requests import RequestDensity
from schedlab.metrics.accuracy import wra, wrsa_by_user, wrsa_over_time

__all__ = [
    "Analysis",
    "Arrivals",
    "BoxPlot",
    "Clock",
    "Histogram",
    "RequestDensity",
    "analyse",
    "prediction_accuracy",
    "wra",
    "wrsa_by_user",
    "wrsa_over_time",
]
