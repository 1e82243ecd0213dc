"""Random problems as in the paper's experiments: few resources per job, one connected graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from schedlab.coalloc.problem import CoallocJob, Problem
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.units import require_whole

Pairs = NDArray[np.int64]
Draw = Callable[[np.random.Generator, int, int], Pairs]

LONGEST = 3
DEAREST = 10
MAX_DRAWS = 20_000
MOST = 1_000_000


def _uniform(rng: np.random.Generator, jobs: int, resources: int) -> Pairs:
    """Draw two different resources for each job, all pairs equally likely."""
    first = rng.integers(resources, size=jobs)
    return np.stack([first, (first + rng.integers(1, resources, jobs)) % resources], axis=1)


def _one_or_two(rng: np.random.Generator, jobs: int, resources: int) -> Pairs:
    """Draw as uniform, but with probability one half each job needs the first resource only."""
    pairs = _uniform(rng, jobs, resources)
    alone = rng.random(jobs) < 0.5
    pairs[alone, 1] = pairs[alone, 0]
    return pairs


def _ring(rng: np.random.Generator, jobs: int, resources: int) -> Pairs:
    """Draw two neighbours on a ring of resources for each job."""
    first = rng.integers(resources, size=jobs)
    return np.stack([first, (first + 1) % resources], axis=1)


KINDS: dict[str, Draw] = {"uniform": _uniform, "one-or-two": _one_or_two, "ring": _ring}
"""How a job's resources are drawn."""


def generate_problem(
    jobs: int, *, kind: str = "uniform", resources: int = 15, slots: int = 20, seed: int = 0
) -> Problem:
    """Return a random problem whose constraint graph is connected.

    The resources of all jobs are drawn again until the graph is connected. Lengths are uniform in 1
    to 3 slots, values uniform in the whole numbers 1 to 10. Whether all jobs fit into the slots is
    left to chance: many jobs on few slots do not.

    Args:
        jobs: number of jobs.
        kind: one of ``KINDS``: ``uniform`` (two resources), ``one-or-two`` or ``ring``.
        resources: number of resources.
        slots: the last slot of the time domain, which begins at 1.
        seed: that of all random numbers; the same seed gives the same problem.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of problem", kind, KINDS)
    jobs = require_whole("jobs", jobs, 1, MOST)
    resources = require_whole("resources", resources, 2, MOST)
    seed = require_whole("seed", seed)
    rng = np.random.default_rng(seed)
    needed = _connected(rng, jobs, resources, KINDS[kind])
    lengths = rng.integers(1, LONGEST, jobs, endpoint=True).tolist()
    values = rng.integers(1, DEAREST, jobs, endpoint=True).tolist()
    return Problem(
        tuple(f"R{place}" for place in range(1, resources + 1)),
        tuple(
            CoallocJob(f"E{place}", needs, length, float(value))
            for place, (needs, length, value) in enumerate(
                zip(needed, lengths, values, strict=True), 1
            )
        ),
        slots,
        name=f"{kind}-{jobs}-{seed}",
        origin=f"generated: {jobs} jobs, {kind}, {resources} resources, {slots} slots, seed {seed}",
    )


def _connected(
    rng: np.random.Generator, jobs: int, resources: int, draw: Draw
) -> list[tuple[int, ...]]:
    for _ in range(MAX_DRAWS):
        needed = [tuple(sorted(set(pair))) for pair in draw(rng, jobs, resources).tolist()]
        if _is_connected(needed):
            return needed
    raise ParameterError(
        f"no connected problem of {jobs} jobs on {resources} resources in {MAX_DRAWS:,} draws; "
        "take more jobs or fewer resources"
    )


def _is_connected(needed: list[tuple[int, ...]]) -> bool:
    """Return whether the jobs connect all resources that they need.

    Each component is a set of resources, as bits.
    """
    components: list[int] = []
    for needs in needed:
        joined = sum(1 << resource for resource in needs)
        apart = []
        for component in components:
            if component & joined:
                joined |= component
            else:
                apart.append(component)
        components = [*apart, joined]
    return len(components) == 1
