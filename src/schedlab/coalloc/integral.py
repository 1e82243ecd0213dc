"""Values as whole numbers, for solvers that need them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

MAX_TOTAL = 1 << 50
"""Sums of whole numbers up to this are exact in floating point, with room to add."""

MAX_SCALE = 1 << 1000
"""The largest scale, for values near 0; it is still a floating-point number."""


def integral_values(values: Sequence[float]) -> tuple[list[int], float]:
    """Return whole numbers and how many of them make 1: exact for decimals of usual length.

    Where the common denominator would get too large the numbers are rounded up, so that a bound on
    them remains a bound on the values.
    """
    exact = [Fraction(repr(float(value))) for value in values]
    scale = math.lcm(*(value.denominator for value in exact))
    total = sum(exact)
    if total * scale <= MAX_TOTAL and scale <= MAX_SCALE:
        return [int(value * scale) for value in exact], float(scale)
    scale = max(1, min(int(MAX_TOTAL / total), MAX_SCALE))
    return [math.ceil(value * scale) for value in exact], float(scale)
