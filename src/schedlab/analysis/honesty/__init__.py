"""Does honesty pay? The requests of one user are changed, and those of all others stay."""

from schedlab.analysis.honesty.result import Honesty
from schedlab.analysis.honesty.treatments import TREATMENTS, Treatment
from schedlab.analysis.honesty.what_if import measure_honesty

__all__ = ["TREATMENTS", "Honesty", "Treatment", "measure_honesty"]
