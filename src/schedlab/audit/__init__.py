"""Check that a schedule, from any simulator or real machine, is feasible and follows its policy."""

from schedlab.audit.auditing import audit
from schedlab.audit.readers import SCHEDULE_READERS, Observed, find_observed, read_observed
from schedlab.audit.verdict import Departure, ScheduleComparison, Verdict, Violation

__all__ = [
    "SCHEDULE_READERS",
    "Departure",
    "Observed",
    "ScheduleComparison",
    "Verdict",
    "Violation",
    "audit",
    "find_observed",
    "read_observed",
]
