"""Rounding before a comparison: the last digits depend on machine and order of addition."""

from __future__ import annotations

import numpy as np


def rounded_key(key: float) -> float:
    """Return the key of a job in billionths."""
    return round(key * 1e9) / 1e9


def rounded_sum(total: float) -> float:
    """Return the sum with 24 binary digits."""
    return float(np.float32(total))
