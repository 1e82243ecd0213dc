"""Sums over the jobs that ended in each of many equal steps of time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import Connection, literal, select

from schedlab.errors import UnknownNameError
from schedlab.history.store.queries import JobQuery, conditions
from schedlab.history.store.sums import SUMS
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible_of_few
from schedlab.history.web.queries.stats import KEYS, Sums

BY = tuple(name for name, key in KEYS.items() if key.column is not None)
"""The keys by which a series can be divided."""

Steps = Mapping[int, Sums]
"""The sums of each step in which a job ended, by the time at which the step begins."""


def sums_over_time(
    connection: Connection, viewer: Viewer, query: JobQuery, step_s: int, by: str | None = None
) -> dict[str, Steps]:
    """Return a series for each value of the key, or one without a name; the greatest first.

    Args:
        connection: a connection to the store.
        viewer: who asks.
        query: which jobs; it says between which moments they ended.
        step_s: the length of a step; steps begin at its multiples.
        by: one of ``BY``.
    """
    if by is not None and by not in BY:
        raise UnknownNameError("by", by, BY)
    key = None if by is None else KEYS[by]
    column = literal("") if key is None or key.column is None else key.column
    step = (jobs.c.end_s // step_s).label("step")
    named = column.label("key")
    statement = select(step, named, *SUMS).where(visible_of_few(viewer), *conditions(query))
    found: defaultdict[str, dict[int, Sums]] = defaultdict(dict)
    for number, value, *sums in connection.execute(statement.group_by("step", "key")):
        name = "none" if value is None else str(value) if key is None else key.name(value)
        of_step = found[name].setdefault(int(number) * step_s, Sums())
        of_step += sums
    return dict(sorted(found.items(), key=lambda each: (-_nodes(each[1]), each[0])))


def _nodes(steps: Steps) -> int:
    return sum(each.node_s for each in steps.values())
