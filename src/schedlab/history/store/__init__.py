"""Where job records are kept: SQLite in a file, or PostgreSQL."""

from schedlab.history.store import access_tables as access_tables  # a part of the metadata
from schedlab.history.store import alert_tables as alert_tables
from schedlab.history.store import archive_tables as archive_tables
from schedlab.history.store import decision_tables as decision_tables
from schedlab.history.store import report_tables as report_tables
from schedlab.history.store import sum_tables as sum_tables
from schedlab.history.store import task_tables as task_tables
from schedlab.history.store.queries import JobQuery
from schedlab.history.store.store import Counts, Due, Store
from schedlab.history.store.tables import Measurement

__all__ = ["Counts", "Due", "JobQuery", "Measurement", "Store"]
