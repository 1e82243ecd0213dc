"""Simulate a workload on a platform under a policy."""

from schedlab.sim.attempts import Attempts, WhyEnded
from schedlab.sim.forecast import Forecaster, StartForecast
from schedlab.sim.imagined import Arrivals
from schedlab.sim.io import check_saving, load_schedules, save_schedules
from schedlab.sim.node_ranges import NodeRanges
from schedlab.sim.preemption import Preemption
from schedlab.sim.schedule import JobOutcome, Schedule
from schedlab.sim.simulation import Simulation, simulate
from schedlab.sim.step_series import StepSeries

__all__ = [
    "Arrivals",
    "Attempts",
    "Forecaster",
    "JobOutcome",
    "NodeRanges",
    "Preemption",
    "Schedule",
    "Simulation",
    "StartForecast",
    "StepSeries",
    "WhyEnded",
    "check_saving",
    "load_schedules",
    "save_schedules",
    "simulate",
]
