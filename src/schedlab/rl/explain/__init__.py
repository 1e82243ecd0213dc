"""What a learned policy decides by, and what better predictions would be worth to it."""

from schedlab.rl.explain.estimate import Estimate
from schedlab.rl.explain.explainer import explain
from schedlab.rl.explain.explanation import Effort, Explanation
from schedlab.rl.explain.importance import GroupImportance
from schedlab.rl.explain.prediction_error import PredictionOutcome, by_prediction_error

__all__ = [
    "Effort",
    "Estimate",
    "Explanation",
    "GroupImportance",
    "PredictionOutcome",
    "by_prediction_error",
    "explain",
]
