"""Plain references for co-allocation: slow, obvious, and right.

The strategy in ``schedlab.testing.coalloc.strategies`` needs hypothesis and is imported from there.
"""

from schedlab.testing.coalloc.brute_force import brute_force
from schedlab.testing.coalloc.check_solver import check_solver
from schedlab.testing.coalloc.plain_dpop import plain_dpop, plain_util
from schedlab.testing.coalloc.plain_min_fill import plain_min_fill

__all__ = ["brute_force", "check_solver", "plain_dpop", "plain_min_fill", "plain_util"]
