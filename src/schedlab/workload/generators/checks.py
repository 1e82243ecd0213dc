"""What a model's constants may be."""

from __future__ import annotations

import math

from schedlab.errors import ParameterError


def require_jobs(jobs: int) -> None:
    """A workload has at least one job."""
    if jobs < 1:
        raise ParameterError(f"cannot generate {jobs} jobs; must be >= 1")


def require_positive(**constants: float) -> None:
    """Each constant is a finite number above 0."""
    for name, value in constants.items():
        if not (value > 0 and math.isfinite(value)):
            raise ParameterError(f"{name} is {value!r}; must be above 0")


def require_probability(**constants: float) -> None:
    """Each constant lies in 0..1."""
    for name, value in constants.items():
        if not 0 <= value <= 1:
            raise ParameterError(f"{name} is {value!r}; must be from 0 to 1")
