"""Select jobs by when they ran, who ran them, where, and how they ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Double,
    GenerativeSelect,
    Select,
    TextClause,
    func,
    or_,
    select,
    true,
    type_coerce,
    union_all,
)

from schedlab.errors import UnknownNameError
from schedlab.history.schema.job import UNFINISHED as UNFINISHED_STATES
from schedlab.history.store.tables import (
    LONG,
    LONG_S,
    UNFINISHED,
    UNMEASURED,
    Measurement,
    hosts,
    jobs,
    tags,
)

Range = tuple[float | None, float | None]
"""The least and the greatest allowed value; None for no limit."""

_RUN_S = jobs.c.end_s - jobs.c.start_s
_RAN_JOBS = jobs.alias("ran")  # made once: it takes longer than a query for a page

QUANTITIES: dict[str, ColumnElement[Any]] = {
    "num_host": jobs.c.num_host,
    "wait_s": jobs.c.start_s - jobs.c.queue_s,
    "run_s": _RUN_S,
    "node_s": jobs.c.node_s,
    "energy_joule": jobs.c.energy_joule,
    "wra": type_coerce(_RUN_S, Double) / func.nullif(jobs.c.req_walltime_s, 0, type_=Double),
}
"""The quantities by which jobs can be compared and sorted; empty where they are unknown."""

_WINDOWS = [
    f"{what}_{edge}_s" for what in ("ran", "queued", "started", "ended") for edge in ("from", "to")
]


@dataclass(frozen=True, kw_only=True)
class JobQuery:
    """Selects jobs that meet all given conditions; times are epoch seconds, ends excluded."""

    jobids: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    ran_from_s: int | None = None
    """Jobs that were still running then, or started later."""
    ran_to_s: int | None = None
    """Jobs that started before then."""
    queued_from_s: int | None = None
    queued_to_s: int | None = None
    started_from_s: int | None = None
    started_to_s: int | None = None
    ended_from_s: int | None = None
    ended_to_s: int | None = None
    ranges: Mapping[str, Range] = field(default_factory=dict)
    """Inclusive limits of some of ``QUANTITIES``; a job without a value is not selected."""
    measurements: tuple[Measurement, ...] = ()
    limit: int | None = None
    """The maximum number of jobs, the earliest submitted first."""

    @property
    def has_window(self) -> bool:
        """Whether the query limits the time of jobs."""
        return any(getattr(self, name) is not None for name in _WINDOWS)

    def __post_init__(self) -> None:
        for name in self.ranges:
            if name not in QUANTITIES:
                raise UnknownNameError("quantity", name, QUANTITIES)


def counted(query: JobQuery) -> Select[int]:
    """Return a statement that counts the selected jobs."""
    return select(func.count()).select_from(jobs).where(*conditions(query))


def chosen(query: JobQuery, *columns: ColumnElement[Any]) -> Select[Any]:
    """Return a statement for these columns of the selected jobs, in order of submission."""
    statement: Select[Any] = select(*columns).where(*conditions(query))
    return statement.order_by(jobs.c.queue_s, jobs.c.id).limit(query.limit)


def conditions(
    query: JobQuery, *, in_order: bool = False, hashed: bool = False
) -> list[ColumnElement[bool] | TextClause]:
    """Return the conditions that a row of ``jobs`` must meet.

    Args:
        query: query that selects the jobs.
        in_order: go through the jobs in the order wanted, and check for each whether it was on a
            node, has a tag, or ran in a time, instead of looking up all such jobs first.
        hashed: with ``in_order``, have PostgreSQL keep the keys of all jobs on the nodes and with
            the tags in memory, where they must fit, and not look into the parts of each job.
    """
    found: list[ColumnElement[bool] | TextClause] = [
        column.in_(values)
        for column, values in (
            (jobs.c.jobid, query.jobids),
            (jobs.c.cluster, query.clusters),
            (jobs.c.user_identifier, query.users),
            (jobs.c.accounting_group, query.groups),
            (jobs.c.partition, query.partitions),
            (jobs.c.state, query.states),
            (jobs.c.measurement, query.measurements),
        )
        if values
    ]
    if query.measurements and Measurement.DONE not in query.measurements:
        found.append(UNMEASURED)
    if query.states and UNFINISHED_STATES.issuperset(query.states):
        found.append(UNFINISHED)
    if in_order:
        among = [(jobs.c.id + 0).in_(keys) for keys in named_sets(query)]
        # ``IS TRUE`` around a condition keeps PostgreSQL from making a join of it.
        found += [each.is_(true()) for each in among] if hashed else among
        found += _ran(query)
    else:
        found += [jobs.c.id.in_(keys) for keys in key_sets(query)]
    return [*found, *_times(query), *_ranges(query)]


def key_sets(query: JobQuery) -> Iterator[GenerativeSelect]:
    """Yield the keys of all jobs on the nodes, with the tags, and of the time in the query."""
    yield from named_sets(query)
    if query.ran_from_s is not None or query.ran_to_s is not None:
        yield _overlapping(query.ran_from_s, query.ran_to_s)


def named_sets(query: JobQuery) -> Iterator[GenerativeSelect]:
    """Yield the keys of all jobs on the query's nodes, and of those with its tags."""
    if query.nodes:
        yield select(hosts.c.job).where(hosts.c.node_id.in_(query.nodes))
    if query.tags:
        yield select(tags.c.job).where(tags.c.tag.in_(query.tags))


def _ran(query: JobQuery) -> Iterator[ColumnElement[bool]]:
    """Yield conditions that a job ran between the two moments, to be checked job by job."""
    start_s, end_s = jobs.c.start_s + 0, jobs.c.end_s + 0  # as sums, so that no index is used
    if query.ran_to_s is not None:
        yield start_s < query.ran_to_s
    if query.ran_from_s is not None:
        yield start_s.is_not(None)
        yield or_(end_s > query.ran_from_s, end_s.is_(None))


def _times(query: JobQuery) -> Iterator[ColumnElement[bool]]:
    for column, first_s, end_s in (
        (jobs.c.queue_s, query.queued_from_s, query.queued_to_s),
        (jobs.c.start_s, query.started_from_s, query.started_to_s),
        (jobs.c.end_s, query.ended_from_s, query.ended_to_s),
    ):
        if first_s is not None:
            yield column >= first_s
        if end_s is not None:
            yield column < end_s


def _overlapping(from_s: int | None, to_s: int | None) -> GenerativeSelect:
    """Return the keys of jobs that ran between two moments.

    Most are found by their starts, which lie no further back than a short job can last; the few
    long ones, and those that still run, have an index of their own.
    """
    keys = select(_RAN_JOBS.c.id).where(_RAN_JOBS.c.start_s.is_not(None))
    if to_s is not None:
        keys = keys.where(_RAN_JOBS.c.start_s < to_s)
    if from_s is None:
        return keys
    ended = keys.where(_RAN_JOBS.c.end_s > from_s)
    short = ended.where(_RAN_JOBS.c.start_s > from_s - LONG_S)
    return union_all(short, ended.where(LONG), keys.where(_RAN_JOBS.c.end_s.is_(None)))


def keys_around(from_s: int, to_s: int, *, unfinished: bool = False) -> GenerativeSelect:
    """Return the keys of jobs that ran between two moments, or were submitted then.

    Some come twice.

    They are one set of keys: if the condition were "in a set or ...", PostgreSQL would check every
    job.

    Args:
        from_s: first moment.
        to_s: last moment.
        unfinished: include jobs that were submitted earlier and still run or wait.
    """
    ran = _overlapping(from_s, to_s)
    assert isinstance(ran, CompoundSelect)
    keys, queue_s = select(_RAN_JOBS.c.id), _RAN_JOBS.c.queue_s
    others = [keys.where(queue_s >= from_s, queue_s < to_s)]
    if unfinished:
        others.append(keys.where(UNFINISHED, queue_s < to_s))
    return union_all(*ran.selects, *others)


def _ranges(query: JobQuery) -> Iterator[ColumnElement[bool]]:
    for name, (least, most) in query.ranges.items():
        if least is not None:
            yield QUANTITIES[name] >= least
        if most is not None:
            yield QUANTITIES[name] <= most
