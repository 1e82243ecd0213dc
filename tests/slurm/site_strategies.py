"""Random sites: every field of every dataclass takes other values than its default."""

from __future__ import annotations

from dataclasses import fields
from types import UnionType
from typing import Any, get_args, get_type_hints

import polars as pl
from hypothesis import strategies as st

from schedlab.platform import Cluster, NodeGroup, NodeType, Partition, Platform
from schedlab.slurm import (
    Accounts,
    Association,
    Command,
    NodeLayout,
    PartitionRules,
    Qos,
    ReservationRules,
    SlurmHistory,
    SlurmParameters,
    SlurmSite,
    Switch,
    User,
)
from schedlab.slurm.parameters import SECTIONS
from schedlab.workload import Workload

WORDS = st.text("abcXYZ012 _-/:=\"'\\é\x7f", min_size=1, max_size=8).filter(str.strip)
_COUNTS = st.integers(0, 2**40)
_NUMBERS = st.floats(-1e9, 1e9)
_VALUES: dict[Any, st.SearchStrategy[Any]] = {
    str: WORDS,
    int: _COUNTS,
    float: _NUMBERS,
    bool: st.booleans(),
    tuple[str, ...]: st.lists(WORDS, max_size=3).map(tuple),
    dict[str, int]: st.dictionaries(WORDS, _COUNTS, max_size=3),
    dict[str, float]: st.dictionaries(WORDS, _NUMBERS, max_size=3),
}


def _value(hint: Any) -> st.SearchStrategy[Any]:
    if isinstance(hint, UnionType):
        return st.one_of(
            *(st.none() if each is type(None) else _VALUES[each] for each in get_args(hint))
        )
    return _VALUES[hint]


def filled(section: type, **fixed: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the dataclass with any values, except for those that are given."""
    hints = get_type_hints(section)
    values = {
        each.name: st.just(fixed[each.name]) if each.name in fixed else _value(hints[each.name])
        for each in fields(section)
    }
    return st.builds(section, **values)


def _accounts() -> st.SearchStrategy[Accounts]:
    associations = st.tuples(
        filled(Association, account="root", user=None, parent=None),
        filled(Association, account="physics", user=None, parent="root"),
        filled(Association, account="physics", user="anna", parent=None),
    )
    qos = st.tuples(filled(Qos, name="high", preempt=("low",)), filled(Qos, name="low", preempt=()))
    return st.builds(Accounts, associations, qos, st.tuples(filled(User)))


def _machine() -> Platform:
    group = NodeGroup(NodeType("n", 4, gpus={"a100": 2}), hosts="n[1-2]", switch="s1")
    return Platform((Cluster("c", (group,), partitions=(Partition("debug", "n1"),)),))


def _history(commands: list[Command], starts: list[float | None]) -> SlurmHistory:
    count = len(starts)
    columns = {
        "job_id": range(1, count + 1),
        "submit_s": [0] * count,
        "nodes": [1] * count,
        "request_s": [60] * count,
        "run_s": [5] * count,
    }
    workload = Workload(columns, header={"UnixStartTime": ["1794807960"]})
    return SlurmHistory(workload, pl.DataFrame({"start_s": starts}), tuple(commands))


SITES = st.builds(
    SlurmSite,
    machine=st.just(_machine()),
    parameters=st.builds(
        SlurmParameters,
        version=st.sampled_from(("22.05.8", "25.11")),
        cluster_name=WORDS,
        **{name: filled(section) for name, section in SECTIONS.items()},
    ),
    accounts=_accounts(),
    partitions=st.tuples(filled(PartitionRules, name="debug")),
    nodes=st.tuples(filled(NodeLayout)),
    switches=st.tuples(filled(Switch)),
    reservations=st.tuples(filled(ReservationRules)),
    history=st.none()
    | st.builds(
        _history,
        st.lists(filled(Command), max_size=2),
        st.lists(st.none() | _NUMBERS, min_size=1, max_size=3),
    ),
)
