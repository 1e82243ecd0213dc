"""Whether a schedule, from any simulator or real machine, is feasible and follows its policy."""

from schedlab.audit.auditing import audit
from schedlab.audit.readers import SCHEDULE_READERS, Observed, choose_observed, read_observed
from schedlab.audit.verdict import Comparison, Departure, Verdict, Violation

__all__ = [
    "SCHEDULE_READERS",
    "Comparison",
    "Departure",
    "Observed",
    "Verdict",
    "Violation",
    "audit",
    "choose_observed",
    "read_observed",
]
