"""What users need to test their own work: conformance tests and a simulator to compare with.

The strategies in ``schedlab.testing.strategies`` need hypothesis and are imported from there.
"""

from schedlab.testing.check_policy import check_policy
from schedlab.testing.reference import ORDERS, ReferenceSchedule, reference_simulate

__all__ = ["ORDERS", "ReferenceSchedule", "check_policy", "reference_simulate"]
