"""Plain references for co-allocation: slow, obvious, and right.

The strategy in ``schedlab.testing.coalloc.strategies`` needs hypothesis and is imported from there.
"""

from schedlab.testing.coalloc.check_solver import check_solver
from schedlab.testing.coalloc.plain_solvers import (
    brute_force,
    plain_dpop,
    plain_min_fill,
    plain_util,
)

__all__ = ["brute_force", "check_solver", "plain_dpop", "plain_min_fill", "plain_util"]
