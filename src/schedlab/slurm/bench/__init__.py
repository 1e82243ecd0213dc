"""Replay a workload on a real Slurm, and collect what happened."""

from schedlab.slurm.bench.real_run import RealRun, RunSettings
from schedlab.slurm.bench.submission import Submission, submissions_of

__all__ = ["RealRun", "RunSettings", "Submission", "submissions_of"]
