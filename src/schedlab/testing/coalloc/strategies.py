"""A hypothesis strategy that draws small co-allocation problems, tight ones among them."""

from __future__ import annotations

from hypothesis import strategies as st

from schedlab.coalloc import CoallocJob, Problem

VALUES = (1.0, 2.0, 3.0, 0.0, 0.1, 2.5, 1e6)


@st.composite
def problems(draw: st.DrawFn, max_jobs: int = 5, max_slots: int = 5) -> Problem:
    """Draw jobs on one to four resources, some with releases and deadlines, some that never fit."""
    resources = draw(st.integers(1, 4))
    slots = draw(st.integers(1, max_slots))
    jobs = draw(st.lists(_jobs(resources, slots), min_size=1, max_size=max_jobs))
    named = tuple(CoallocJob(f"E{at}", *job) for at, job in enumerate(jobs, 1))
    return Problem(tuple(f"R{at}" for at in range(1, resources + 1)), named, slots)


def _jobs(
    resources: int, slots: int
) -> st.SearchStrategy[tuple[tuple[int, ...], int, float, int, int | None]]:
    release = st.integers(1, slots) | st.just(1)
    return st.tuples(
        st.sets(st.integers(0, resources - 1), min_size=1, max_size=2).map(lambda s: (*sorted(s),)),
        st.integers(1, 3),
        st.sampled_from(VALUES),
        release,
        st.none() | st.integers(slots, slots + 2),
    )
