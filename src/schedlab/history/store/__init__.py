"""Where job records are kept: SQLite in a file, or PostgreSQL."""

from schedlab.history.store.queries import JobQuery
from schedlab.history.store.store import Counts, Due, Store
from schedlab.history.store.tables import Measurement

__all__ = ["Counts", "Due", "JobQuery", "Measurement", "Store"]
