"""Does it pay to be honest? One user's requests are changed, those of all others stay."""

from schedlab.analysis.honesty.result import Honesty
from schedlab.analysis.honesty.treatments import TREATMENTS, Treatment
from schedlab.analysis.honesty.what_if import measure_honesty

__all__ = ["TREATMENTS", "Honesty", "Treatment", "measure_honesty"]
