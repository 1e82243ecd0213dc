"""The tables of sums over the jobs that ended on a day, so that months need not be summed again."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text

from schedlab.history.store.tables import metadata

day_sums = Table(
    "day_sums",
    metadata,
    # Days since 1970, in UTC; the other key columns are those of ``jobs``, and may be empty.
    Column("day", Integer, nullable=False),
    Column("cluster", Text, nullable=False),
    Column("partition", Text),
    Column("user_identifier", Text),
    Column("accounting_group", Text),
    Column("state", Text),
    # The sums, in the order of ``SUMS``.
    Column("jobs", BigInteger, nullable=False),
    Column("node_s", BigInteger),
    Column("ended", BigInteger, nullable=False),
    Column("energy_joule", Double),
    Column("measured", BigInteger, nullable=False),
    Column("wait_s", BigInteger),
    Column("started", BigInteger, nullable=False),
    Column("wra", Double),
    Column("limited", BigInteger, nullable=False),
)
Index("day_sum", day_sums.c.day)

summed_days = Table(
    "summed_days",
    metadata,
    # Days whose sums hold; writing a job that ended then removes the day.
    Column("day", Integer, primary_key=True, autoincrement=False),
)
