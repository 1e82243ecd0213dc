"""Small machines that change while jobs run: outages, failures, licences, and preemption."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st
from tests.sim.described_machines import described

from schedlab.platform import (
    CapacityStep,
    Cluster,
    Consumable,
    Drain,
    Failure,
    Outage,
    Partition,
    Platform,
    Reservation,
)
from schedlab.platform.intervals import NodeInterval
from schedlab.sim import Preemption
from schedlab.sim.preemption import BY, MODES
from schedlab.workload import Workload

QOS = ("normal", "high")
LICENCES = ("x:1", "x:2", "y:1", "x:1+y:2")


@dataclass(frozen=True)
class Changing:
    """Jobs on a machine, and what happens to it."""

    workload: Workload
    platform: Platform
    failures: tuple[Failure, ...]
    preemption: Preemption | None


@st.composite
def changing(draw: st.DrawFn, max_jobs: int) -> Changing:
    """Return jobs on a machine with any of the changes, alone or together."""
    platform, workload = draw(described(max_jobs))
    has = {name: draw(st.booleans()) for name in ("calendar", "consumables", "failures")}
    rule = draw(st.sampled_from((None, *BY)))
    if rule is None and not any(has.values()):
        has["failures"] = True
    cluster = platform.clusters[0]
    if has["calendar"]:
        cluster = with_calendar(draw, cluster)
    tiers = tuple(tiered(draw, each) for each in cluster.partitions)
    cluster = replace(cluster, partitions=tiers)
    platform = replace(platform, clusters=(cluster, *platform.clusters[1:]))
    columns: dict[str, Any] = {}
    if has["consumables"]:
        platform = replace(platform, consumables=(consumable(draw, "x"), consumable(draw, "y")))
        columns["licences"] = st.integers(-1, len(LICENCES) - 1)
    columns |= {
        "requeue": st.integers(-1, 1),
        "checkpoint_s": st.sampled_from((-1, 0, 5)),
        "preemptible": st.sampled_from((-1, -1, 0, 1)),
        "qos": st.integers(-1, 1),
        "user": st.integers(0, 1),
    }
    return Changing(
        with_columns(draw, workload, columns),
        platform,
        failures_of(draw, platform) if has["failures"] else (),
        None if rule is None else preemption(draw, rule),
    )


def with_columns(draw: st.DrawFn, workload: Workload, columns: dict[str, Any]) -> Workload:
    """Return the workload with drawn columns."""
    given: dict[str, Any] = {name: workload[name] for name in workload.columns}
    size = len(workload)
    for name, values in columns.items():
        given[name] = draw(st.lists(values, min_size=size, max_size=size))
    labels = {"qos": list(QOS), "user": ["ann", "bob"], "licences": list(LICENCES)}
    known = {name: texts for name, texts in labels.items() if name in given}
    return Workload(given, labels={**workload.labels, **known})


def tiered(draw: st.DrawFn, partition: Partition) -> Partition:
    """Return the partition with a tier."""
    return replace(partition, priority_tier=draw(st.integers(0, 2)))


def with_calendar(draw: st.DrawFn, cluster: Cluster) -> Cluster:
    """Return the cluster with one to three outages, drains or reservations, all of which end."""
    last = cluster.nodes - 1
    kinds = st.sampled_from((Outage, Drain, Reservation))
    made: dict[type[NodeInterval], list[Any]] = {Outage: [], Drain: [], Reservation: []}
    for kind in draw(st.lists(kinds, min_size=1, max_size=3)):
        begin_s = draw(st.integers(0, 40))
        end_s = begin_s + draw(st.integers(1, 40))
        first = draw(st.integers(0, last))
        nodes = f"[{first}-{draw(st.integers(first, last))}]"
        guests: dict[str, Any] = (
            {"users": draw(st.sampled_from(((), ("ann",))))} if kind is Reservation else {}
        )
        made[kind].append(kind(begin_s, end_s, nodes, **guests))
    return replace(
        cluster,
        outages=tuple(made[Outage]),
        drains=tuple(made[Drain]),
        reservations=tuple(made[Reservation]),
    )


def consumable(draw: st.DrawFn, name: str) -> Consumable:
    """Return licences whose number changes, and is enough in the end."""
    gaps = draw(st.lists(st.integers(1, 20), max_size=3))
    times = [sum(gaps[: place + 1]) for place in range(len(gaps))]
    steps = [CapacityStep(time, draw(st.integers(0, 4))) for time in times]
    return Consumable(name, draw(st.integers(0, 4)), (*steps, CapacityStep(90, 3)))


def failures_of(draw: st.DrawFn, platform: Platform) -> tuple[Failure, ...]:
    """Return up to three failures, each of a different node."""
    nodes = draw(st.lists(st.integers(0, min(5, platform.nodes - 1)), max_size=3, unique=True))
    times = st.integers(0, 60)
    return tuple(Failure(node, draw(times), draw(st.sampled_from((0, 5, 30)))) for node in nodes)


def preemption(draw: st.DrawFn, by: Any) -> Preemption:
    """Return this preemption rule with any mode."""
    mode: Any = draw(st.sampled_from(MODES))
    return Preemption(by, mode, {"high": 1} if by == "qos" else {})
