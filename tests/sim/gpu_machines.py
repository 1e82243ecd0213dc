"""Small machines with GPUs that jobs take parts of."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.sim.described_machines import GIB_KB, Drawn

from schedlab.platform import Cluster, NodeGroup, NodeType, Platform
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload

TYPES = (
    NodeType("two", cores=4, memory_bytes=4 << 30, gpus={"a": 2}),
    NodeType("mixed", cores=6, memory_bytes=2 << 30, gpus={"a": 1, "b": 2}),
    NodeType("none", cores=4, memory_bytes=8 << 30),
)
MILLI = (-1, 1000, 300, 300, 500, 500, 600, 1)
KINDS = ("", "", "", "a", "b")


@st.composite
def with_gpus(draw: st.DrawFn, max_jobs: int) -> Drawn:
    """Return jobs that ask for parts of a GPU, for whole ones, for one type, or for none."""
    counts = draw(st.sampled_from(((1, 0, 0), (2, 1, 0), (2, 1, 1), (1, 2, 0), (64, 2, 1))))
    groups = [NodeGroup(kind, count=n) for kind, n in zip(TYPES, counts, strict=True) if n]
    types = [group.type for group in groups]
    workload = draw(workloads(1, max_jobs))
    asks = [draw(ask(types)) for _ in range(len(workload))]
    return Platform((Cluster("c", tuple(groups)),)), with_asks(workload, asks)


Ask = tuple[int, int, int, str, int, int]


@st.composite
def ask(draw: st.DrawFn, types: list[NodeType]) -> Ask:
    """Return cores, memory, GPUs, GPU type, milli-GPUs, and whether the job wants a node alone."""
    model = draw(st.sampled_from(types))
    kind = draw(st.sampled_from([each for each in KINDS if not each or each in model.gpus]))
    most = model.gpus.get(kind, 0) if kind else model.gpu_count
    gpus = draw(st.sampled_from([*range(most + 1), *[min(1, most)] * 4]))
    milli = draw(st.sampled_from(MILLI)) if gpus == 1 else -1
    memory = draw(st.sampled_from((0, 0, 0, 1, (model.memory_bytes or 0) >> 30)))
    cores = draw(st.sampled_from((1, 1, 1, 1, 2, model.cores or 1)))
    return cores, memory, gpus, kind, milli, int(draw(st.integers(0, 9)) == 0)


def with_asks(workload: Workload, asks: list[Ask]) -> Workload:
    """Return the workload with these demands, one node each."""
    cores, memory, gpus, kinds, milli, alone = zip(*asks, strict=True)
    columns = {name: workload[name] for name in workload.columns} | {
        "nodes": [1] * len(asks),
        "cores_per_node": list(cores),
        "memory_per_node_kb": [float(each * GIB_KB or -1) for each in memory],
        "gpus_per_node": [each or -1 for each in gpus],
        "gpu_type": [("a", "b").index(each) if each else -1 for each in kinds],
        "gpu_milli": list(milli),
        "exclusive": list(alone),
    }
    return Workload(columns, labels={"gpu_type": ["a", "b"]})
