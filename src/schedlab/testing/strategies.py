"""Hypothesis strategies that draw small but nasty workloads.

A job is one draw of nine bytes; each byte picks from a short list of values that tend to collide:
the same seconds, the same requests, ticks hit and missed by one. That is quick to draw, and it
shrinks to few jobs with the first value of every list.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TypedDict, TypeVar

from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st

from schedlab.workload import Workload
from schedlab.workload.needs import with_needs

GAPS_S = (0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 5, 7, 10, 53, 60)
REQUESTS_S = (1, 2, 3, 5, 5, 7, 10, 10, 30, 59, 60, 61, 100, 300)
THINK_TIMES_S = (-1, 0, 0, 1, 5, 7, 60)
CANCEL_AFTER_S = (-1,) * 40 + (0, 1, 2, 5, 7, 20, 60, 100)
USERS = 4
_JOB = st.binary(min_size=9, max_size=9)
Test = TypeVar("Test", bound=Callable[..., None])


def examples(default: int) -> settings:
    """Return settings for this many draws, or as many as SCHEDLAB_EXAMPLES says, however slow."""
    return settings(
        max_examples=int(os.environ.get("SCHEDLAB_EXAMPLES", default)),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


def drawn_apart(part: int) -> Callable[[Test], Test]:
    """Let each part of a test draw cases of its own; use it above ``given``.

    Tests draw the same cases in every run; without it, all parts of a test would draw the same.
    """
    return (lambda test: test) if "SCHEDLAB_FUZZ" in os.environ else seed(part)


class SimulationOptions(TypedDict):
    """Keyword arguments that ``simulate`` and ``reference_simulate`` both take."""

    tick: int
    depth: int | None
    kill_at_request: bool


@st.composite
def workloads(draw: st.DrawFn, max_nodes: int = 8, max_jobs: int = 20) -> Workload:
    """Draw workloads with ties, bursts, kills, jobs of no length, dependencies and withdrawals.

    Dependencies may point to jobs submitted later, but never in a circle.
    """
    few = st.lists(_JOB, min_size=1, max_size=max_jobs)
    many = st.lists(_JOB, min_size=max(1, max_jobs // 2), max_size=max_jobs)
    drawn = draw(few | many)
    gap, width, request, run, depends, rank, think, cancel, user = zip(*drawn, strict=True)
    requests_s = [_pick(REQUESTS_S, byte) for byte in request]
    return Workload(
        {
            "job_id": range(1, len(drawn) + 1),
            "submit_s": list(accumulate(_pick(GAPS_S, byte) for byte in gap)),
            "nodes": [_pick(_widths(max_nodes), byte) for byte in width],
            "request_s": requests_s,
            "run_s": [
                _pick(_runs_s(asked), byte) for asked, byte in zip(requests_s, run, strict=True)
            ],
            "user": [byte % USERS for byte in user],
            "depends_on": _dependencies(depends, rank),
            "think_time_s": [_pick(THINK_TIMES_S, byte) for byte in think],
            "cancel_after_s": [_pick(CANCEL_AFTER_S, byte) for byte in cancel],
        },
        name="drawn",
    )


@st.composite
def multi_cluster_workloads(
    draw: st.DrawFn, clusters: Mapping[str, int], max_jobs: int = 14
) -> Workload:
    """Draw such workloads with jobs that need nodes of some of these clusters, given with sizes."""
    workload = draw(workloads(1, max_jobs))
    bytes_of_job = st.binary(min_size=1 + len(clusters), max_size=1 + len(clusters))
    size = len(workload)
    drawn = draw(st.lists(bytes_of_job, min_size=size, max_size=size))
    return with_needs(workload, [_needs(clusters, each) for each in drawn])


def simulation_options() -> st.SearchStrategy[SimulationOptions]:
    """Draw ticks, depths of the queue and whether jobs are killed when they reach their request."""
    return st.builds(
        SimulationOptions,
        tick=st.sampled_from((0, 1, 7, 60)),
        depth=st.sampled_from((None, None, None, 1, 2, 5)),
        kill_at_request=st.booleans(),
    )


def _pick(values: Sequence[int], byte: int) -> int:
    return values[byte % len(values)]


def _widths(nodes: int) -> list[int]:
    """Return many narrow widths and every awkward one: half, just over half, all but one, all."""
    awkward = (nodes // 4, nodes // 3, nodes // 2, nodes // 2 + 1, nodes - 1, nodes)
    return [min(max(width, 1), nodes) for width in (1, 1, 2, 3, *awkward)]


def _needs(clusters: Mapping[str, int], drawn: bytes) -> dict[str, int]:
    """Return the clusters in the binary digits of the first byte, with awkward widths of each."""
    digits = 1 + drawn[0] % (2 ** len(clusters) - 1)
    return {
        name: _pick(_widths(nodes), drawn[1 + place])
        for place, (name, nodes) in enumerate(clusters.items())
        if digits >> place & 1
    }


def _runs_s(request_s: int) -> tuple[int, ...]:
    """Return run times equal to the request, shorter, 0, and longer than it."""
    early = (request_s - 1, request_s // 2, request_s // 3, 0)
    return (request_s, request_s, *early, request_s + 1, request_s + 61)


def _dependencies(depends: Sequence[int], rank: Sequence[int]) -> list[int]:
    """Return for one job in four the job_id of one of lower rank: in any order, but no circles."""
    ranked = sorted(range(len(rank)), key=lambda job: rank[job])
    wanted = [-1] * len(rank)
    for place, job in enumerate(ranked):
        if place and depends[job] >= 192:
            wanted[job] = 1 + ranked[depends[job] % place]
    return wanted
