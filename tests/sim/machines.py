"""Small machines of unlike nodes, with jobs that share them."""

from __future__ import annotations

from hypothesis import strategies as st

from schedlab.testing.reference.machine import NodesAsked, Vector
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload

Drawn = tuple[Workload, tuple[Vector, ...], list[tuple[NodesAsked, ...]]]
"""Jobs, what each node has, and what each job needs."""

capacities = st.lists(
    st.tuples(st.sampled_from((1, 2, 4)), st.sampled_from((1, 3, 8)), st.sampled_from((0, 0, 2))),
    min_size=1,
    max_size=5,
)


@st.composite
def machines(draw: st.DrawFn, max_jobs: int = 12) -> Drawn:
    """Return a few jobs on a machine of a few unlike nodes, which can meet every job's demand."""
    capacity: tuple[Vector, ...] = tuple(draw(capacities))
    workload = draw(workloads(1, max_jobs))
    return workload, capacity, [draw(demands(capacity)) for _ in range(len(workload))]


@st.composite
def demands(draw: st.DrawFn, capacity: tuple[Vector, ...]) -> tuple[NodesAsked, ...]:
    """Return a demand of one part, or of two parts on different nodes."""
    model = draw(st.integers(0, len(capacity) - 1))
    cores, *rest = capacity[model]
    share = (draw(st.integers(1, cores)), *(draw(st.integers(0, most)) for most in rest))
    exclusive = draw(st.integers(0, 5)) == 0
    able = [
        node
        for node, has in enumerate(capacity)
        if exclusive or all(h >= s for h, s in zip(has, share, strict=True))
    ]
    kept = draw(st.integers(0, 7))
    if kept == 0 and len(able) > 1:
        halves = frozenset(able[::2]), frozenset(able[1::2])
        return tuple(NodesAsked(half, 1, share, exclusive) for half in halves)
    allowed = frozenset(able[:1] if kept == 1 else able[-2:] if kept == 2 else able)
    return (NodesAsked(allowed, draw(st.integers(1, len(allowed))), share, exclusive),)
