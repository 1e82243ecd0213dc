"""What users need to test their own work: conformance tests and a simulator to compare with.

The strategies in ``schedlab.testing.strategies`` need hypothesis and are imported from there.
"""

from schedlab.testing.check_policy import check_policy
from schedlab.testing.check_predictor import check_predictor
from schedlab.testing.check_reader import check_reader
from schedlab.testing.reference import (
    ORDERS,
    ReferencePolicy,
    ReferenceSchedule,
    reference_simulate,
)
from schedlab.testing.reference_set import ReferenceCase, ReferenceTimes, reference_set

__all__ = [
    "ORDERS",
    "ReferenceCase",
    "ReferencePolicy",
    "ReferenceSchedule",
    "ReferenceTimes",
    "check_policy",
    "check_predictor",
    "check_reader",
    "reference_set",
    "reference_simulate",
]
