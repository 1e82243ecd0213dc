"""Running a workload on a platform under a policy."""

from schedlab.sim.schedule import JobState, NodeRanges, Schedule
from schedlab.sim.simulation import simulate
from schedlab.sim.step_series import StepSeries

__all__ = ["JobState", "NodeRanges", "Schedule", "StepSeries", "simulate"]
