"""Evolved priorities: a dozen weights, tuned by CMA-ES for a metric on a workload."""

from schedlab.evolve.arena import Arena
from schedlab.evolve.comparison import RULES, ComparedRule, HeldOutComparison
from schedlab.evolve.evolve import Evolved, evolve
from schedlab.evolve.objective import Goal, WeightedObjective
from schedlab.evolve.scene import Episode, Scene
from schedlab.evolve.settings import EvolveSettings

__all__ = [
    "RULES",
    "Arena",
    "ComparedRule",
    "Episode",
    "EvolveSettings",
    "Evolved",
    "Goal",
    "HeldOutComparison",
    "Scene",
    "WeightedObjective",
    "evolve",
]
