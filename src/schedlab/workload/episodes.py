"""Where the jobs of an episode come from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from schedlab.errors import ParameterError
from schedlab.units import require_whole
from schedlab.workload.generators import find_generator, generate, is_model
from schedlab.workload.readers import read_workload
from schedlab.workload.transforms import apply
from schedlab.workload.workload import Workload

DRAWN_TO_MEASURE = 10_000
"""The number of jobs drawn from a model to see how long its requests are."""

SEEDS = range(2**31)


class Episodes(Protocol):
    """Workloads, one per episode."""

    @property
    def longest_request_s(self) -> int:
        """The longest request of all jobs that may come."""
        ...

    def draw(self, random: np.random.Generator) -> Workload:
        """Return the jobs of the next episode; the same generator state gives the same jobs."""
        ...

    def split(self, share: float) -> tuple[Episodes, Episodes]:
        """Return episodes to learn from, and others, this share of all, to test on."""
        ...


@dataclass(frozen=True)
class FixedEpisode:
    """The same jobs in every episode."""

    workload: Workload

    @property
    def longest_request_s(self) -> int:
        """The longest request of the jobs."""
        return int(self.workload["request_s"].max(initial=1))

    def draw(self, random: np.random.Generator) -> Workload:
        """Return the jobs."""
        return self.workload

    def split(self, share: float) -> tuple[FixedEpisode, FixedEpisode]:
        """Return the same jobs twice: there are no others."""
        return self, self


@dataclass(frozen=True)
class WindowEpisodes:
    """Windows of consecutive jobs of a trace, each from a random place."""

    trace: Workload
    jobs: int

    def __post_init__(self) -> None:
        require_whole("jobs", self.jobs)
        if not 1 <= self.jobs <= len(self.trace):
            raise ParameterError(
                f"windows of {self.jobs:,} jobs; must be from 1 to the trace's {len(self.trace):,}"
            )

    @property
    def longest_request_s(self) -> int:
        """The longest request of the whole trace."""
        return int(self.trace["request_s"].max())

    def draw(self, random: np.random.Generator) -> Workload:
        """Return the jobs, the first submitted at 0."""
        first = int(random.integers(len(self.trace) - self.jobs + 1))
        which = np.zeros(len(self.trace), dtype=bool)
        which[first : first + self.jobs] = True
        window = self.trace.take(which)
        return window.replace(submit_s=window["submit_s"] - window["submit_s"][0])

    def split(self, share: float) -> tuple[WindowEpisodes, WindowEpisodes]:
        """Return windows to learn from, and windows of the last share of the trace to test on."""
        cut, jobs = round(len(self.trace) * (1 - share)), np.arange(len(self.trace))
        if min(cut, len(jobs) - cut) < self.jobs:
            raise ParameterError(
                f"a trace of {len(jobs):,} jobs is too short to learn and test on windows of "
                f"{self.jobs:,}; {share:.0%} of it is for tests"
            )
        learn, test = (replace(self, trace=self.trace.take(p)) for p in np.split(jobs, [cut]))
        return learn, test


class GeneratedEpisodes:
    """Jobs drawn from a model, different ones in each episode."""

    def __init__(
        self, model: str, jobs: int, transforms: tuple[str, ...] = (), seeds: range = SEEDS
    ) -> None:
        """Take a model such as ``lublin:nodes=256``, and transforms such as ``set_run=0.5``."""
        jobs = require_whole("jobs", jobs, 1)
        find_generator(model)
        self.model, self.jobs, self.transforms, self.seeds = model, jobs, transforms, seeds
        self.sample = apply(generate(model, DRAWN_TO_MEASURE, seed=0), transforms, seed=0)
        self.longest_request_s = int(self.sample["request_s"].max())

    def draw(self, random: np.random.Generator) -> Workload:
        """Draw the jobs of an episode."""
        seed = int(random.integers(self.seeds.start, self.seeds.stop))
        return apply(generate(self.model, self.jobs, seed=seed), self.transforms, seed=seed)

    def split(self, share: float) -> tuple[GeneratedEpisodes, GeneratedEpisodes]:
        """Return draws to learn from, and draws with the last share of the seeds to test on."""
        cut = self.seeds.start + round(len(self.seeds) * (1 - share))
        parts = range(self.seeds.start, cut), range(cut, self.seeds.stop)
        learn, test = (
            GeneratedEpisodes(self.model, self.jobs, self.transforms, seeds) for seeds in parts
        )
        return learn, test


@dataclass(frozen=True)
class MixedEpisodes:
    """Episodes of several kinds, drawn equally often."""

    kinds: tuple[Episodes, ...]

    @property
    def longest_request_s(self) -> int:
        """The longest request of all kinds."""
        return max(each.longest_request_s for each in self.kinds)

    def draw(self, random: np.random.Generator) -> Workload:
        """Return the jobs of an episode of any kind."""
        return self.kinds[int(random.integers(len(self.kinds)))].draw(random)

    def split(self, share: float) -> tuple[MixedEpisodes, MixedEpisodes]:
        """Split each kind by itself."""
        learn, test = zip(*(each.split(share) for each in self.kinds), strict=True)
        return MixedEpisodes(learn), MixedEpisodes(test)


def choose_episodes(
    workload: str | Path | Workload,
    jobs: int | None,
    transforms: tuple[str, ...] = (),
    seed: int | None = None,
) -> Episodes:
    """Return episodes from a model's name, a trace's file or a workload.

    Args:
        workload: ``wl1``, ``lublin:nodes=256`` and the like, a file, or a workload.
        jobs: the number per episode. Without it a trace is played whole; a model needs it.
        transforms: applied to the trace, or to each drawn workload.
        seed: draws the jobs of a model once and for all; without it each episode has other jobs.
    """
    if isinstance(workload, str) and is_model(workload):
        if jobs is None:
            raise ParameterError(f'model "{workload}" needs jobs, the number per episode')
        if seed is not None:
            return FixedEpisode(apply(generate(workload, jobs, seed=seed), transforms, seed=seed))
        return GeneratedEpisodes(workload, jobs, transforms)
    if seed is not None:
        raise ParameterError(f"seed {seed} is for jobs of a model; {workload} is none")
    trace = workload if isinstance(workload, Workload) else read_workload(workload)
    trace = apply(trace, transforms, seed=0)
    return FixedEpisode(trace) if jobs is None else WindowEpisodes(trace, jobs)
