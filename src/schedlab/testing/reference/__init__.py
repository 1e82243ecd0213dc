"""A plain Python simulator, written for reading, that the core must agree with to the second.

It shares nothing with the core but the definitions of the policies: lists, loops and integers
only. Read ``simulation.py`` for what happens at one instant, then one of the ways to backfill.
"""

from schedlab.testing.reference.orders import ORDERS
from schedlab.testing.reference.policy import ReferencePolicy
from schedlab.testing.reference.simulate import ReferenceSchedule, reference_simulate

__all__ = ["ORDERS", "ReferencePolicy", "ReferenceSchedule", "reference_simulate"]
