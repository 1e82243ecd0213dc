"""Small machines with partitions or clusters, and jobs that ask for parts of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from schedlab.platform import Cluster, NodeGroup, NodeType, Partition, Platform
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload
from schedlab.workload.needs import with_needs

Drawn = tuple[Platform, Workload]
Ask = tuple[str, int, int, int, int, int]
"""Partition, nodes; cores, memory (KiB) and GPUs per node; 1 if the job wants them exclusively."""

GIB_KB = 1 << 20
TYPES = (
    NodeType("small", cores=2, memory_bytes=3 << 30),
    NodeType("large", cores=4, memory_bytes=8 << 30, gpus={"a": 2}),
    NodeType("modest", cores=4, memory_bytes=2 << 30),
)


@st.composite
def described(draw: st.DrawFn, max_jobs: int) -> Drawn:
    """Return jobs that share nodes, or take whole nodes of partitions or of several clusters."""
    kind = draw(st.sampled_from((shared, shared, divided, clusters)))
    return draw(kind(max_jobs))


@st.composite
def shared(draw: st.DrawFn, max_jobs: int) -> Drawn:
    """Return jobs on unlike nodes, in partitions that overlap."""
    counts = draw(st.sampled_from(((2, 1, 0), (1, 0, 0), (0, 3, 1), (2, 2, 2), (65, 2, 1))))
    kinds = [kind for kind, count in zip(TYPES, counts, strict=True) for _ in range(count)]
    groups = [NodeGroup(kind, count=n) for kind, n in zip(TYPES, counts, strict=True) if n]
    half, third = max(1, len(kinds) // 2), len(kinds) // 3
    places = {"all": kinds, "first": kinds[:half], "last": kinds[third:]}
    partitions = (
        Partition("all", default=True),
        Partition("first", f"[0-{half - 1}]"),
        Partition("last", f"[{third}-{len(kinds) - 1}]", exclusive=draw(st.booleans())),
    )
    workload = draw(workloads(1, max_jobs))
    asks = [draw(ask(places)) for _ in range(len(workload))]
    platform = Platform((Cluster("c", tuple(groups), partitions=partitions),))
    return platform, with_asks(workload, asks)


@st.composite
def ask(draw: st.DrawFn, places: dict[str, list[NodeType]]) -> Ask:
    """Return a demand that some nodes of the partition can meet."""
    place = draw(st.sampled_from(sorted(places)))
    model = draw(st.sampled_from(places[place]))
    cores = draw(st.integers(0, model.cores or 0))
    memory = draw(st.integers(0, (model.memory_bytes or 0) >> 30)) if cores else 0
    gpus = draw(st.integers(0, model.gpu_count)) if cores else 0
    able = [
        each
        for each in places[place]
        if (each.cores or 0) >= cores
        and (each.memory_bytes or 0) >= memory << 30
        and each.gpu_count >= gpus
    ]
    nodes = draw(st.integers(1, min(3, len(able))))
    return place, nodes, cores, memory * GIB_KB, gpus, int(draw(st.integers(0, 7)) == 0)


def with_asks(workload: Workload, asks: Sequence[Ask]) -> Workload:
    """Return the workload with these demands."""
    partition, nodes, cores, memory, gpus, exclusive = zip(*asks, strict=True)
    return in_partitions(
        workload,
        partition,
        nodes=nodes,
        cores_per_node=[count or -1 for count in cores],
        memory_per_node_kb=[float(count or -1) for count in memory],
        gpus_per_node=[count or -1 for count in gpus],
        exclusive=exclusive,
    )


def in_partitions(workload: Workload, names: Sequence[str], **columns: Any) -> Workload:
    """Return the workload with jobs in these partitions, and other columns changed."""
    known = sorted(set(names))
    given = {name: workload[name] for name in workload.columns} | columns
    given["partition"] = [known.index(each) for each in names]
    return Workload(given, labels={"partition": known})


@st.composite
def divided(draw: st.DrawFn, max_jobs: int) -> Drawn:
    """Return jobs that take whole nodes of partitions, which may overlap."""
    first, last = draw(st.sampled_from(((3, 3), (4, 2), (66, 1), (2, 0))))
    partitions = (Partition("a", f"[0-{first - 1}]"), Partition("b", f"[{last}-67]"))
    workload = draw(workloads(2, max_jobs))
    names = [draw(st.sampled_from("ab")) for _ in range(len(workload))]
    platform = Platform((Cluster("c", (NodeGroup(count=68),), partitions=partitions),))
    return platform, in_partitions(workload, names)


@st.composite
def clusters(draw: st.DrawFn, max_jobs: int) -> Drawn:
    """Return jobs that need nodes of one or several clusters at the same time."""
    platform = Platform(
        tuple(Cluster.homogeneous(size, name) for size, name in ((3, "x"), (2, "y")))
    )
    workload = draw(workloads(1, max_jobs))
    needs = st.sampled_from(({"x": 1}, {"x": 3}, {"y": 2}, {"x": 1, "y": 1}, {"x": 2, "y": 2}))
    return platform, with_needs(workload, [draw(needs) for _ in range(len(workload))])
