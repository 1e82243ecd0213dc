"""Checks of the constants of models."""

from __future__ import annotations

import math

from schedlab.errors import ParameterError
from schedlab.workload.workload import MOST_JOBS

_LOADS = (1e-6, 1e6)
"""Beyond them arrivals are years apart, or all at once."""


def require_jobs(jobs: int) -> None:
    """Refuse a workload without jobs."""
    if not 1 <= jobs <= MOST_JOBS:
        raise ParameterError(f"cannot generate {jobs} jobs; must be >= 1 and <= {MOST_JOBS}")


def require_load(load: float) -> None:
    """Refuse an offered load that is not above 0, or is more than any machine ever had."""
    low, high = _LOADS
    if not low <= load <= high:
        raise ParameterError(f"load is {load!r}; must be above 0, from {low:g} to {high:g}")


def require_positive(**constants: float) -> None:
    """Refuse a constant that is not a finite number above 0."""
    for name, value in constants.items():
        if not (value > 0 and math.isfinite(value)):
            raise ParameterError(f"{name} is {value!r}; must be above 0")


def require_probability(**constants: float) -> None:
    """Refuse a constant outside 0..1."""
    for name, value in constants.items():
        if not 0 <= value <= 1:
            raise ParameterError(f"{name} is {value!r}; must be from 0 to 1")
