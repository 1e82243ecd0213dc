"""What each number of an observation means; cpp/env/observation.cpp writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedlab.policies.learned.agent import Observations
from schedlab.policies.learned.settings import QueueSettings

JOB_FEATURES = (
    *("request", "estimate", "nodes", "wait", "slowdown", "fits", "earliest start", "area"),
    *("is head", "allowed"),
)
"""The numbers of each visible job, where ``observation`` is ``jobs``."""
HORIZONS = 12
PREDICTED = frozenset(
    {
        *("node remaining by estimate", "job estimate"),
        *("job slowdown", "job earliest start", "job area", "nodes freed later"),
    }
)
"""Groups computed from predicted run times, alone or with other numbers."""


@dataclass(frozen=True)
class FeatureGroup:
    """Inputs with the same meaning.

    Args:
        name: of the group.
        columns: where they are; one per visible job, in order of arrival, if ``per_job``.
        per_job: whether each describes a job, not the machine.
    """

    name: str
    columns: NDArray[np.intp]
    per_job: bool

    @property
    def predicted(self) -> bool:
        """Whether it is computed from predicted run times."""
        return self.name in PREDICTED


@dataclass(frozen=True)
class ObservationLayout:
    """All groups of an observation; every input is in exactly one of them."""

    groups: tuple[FeatureGroup, ...]

    @classmethod
    def of(cls, settings: QueueSettings) -> ObservationLayout:
        """Return the layout of an environment with these settings."""
        by_kind = _features if settings.observation == "jobs" else _nodes_and_jobs
        return cls(tuple(by_kind(settings)))

    @property
    def size(self) -> int:
        """Numbers in an observation."""
        return sum(len(group.columns) for group in self.groups)

    def group(self, name: str) -> FeatureGroup:
        """Return the group of that name."""
        return next(group for group in self.groups if group.name == name)

    @cached_property
    def job_columns(self) -> NDArray[np.intp]:
        """The columns of each visible job's inputs: a row per job."""
        return np.stack([group.columns for group in self.groups if group.per_job], axis=1)

    def present(self, observation: Observations) -> NDArray[np.bool_]:
        """Return which of the visible places hold a job: a row per observation."""
        held: NDArray[np.bool_] = observation[:, self.group("job nodes").columns] > 0
        return held


def _nodes_and_jobs(settings: QueueSettings) -> Iterator[FeatureGroup]:
    sources = ("request", "estimate") if settings.observation == "proposal" else ("request",)
    first = 0
    for source in sources:
        columns = np.arange(first, first + settings.nodes)
        yield FeatureGroup(f"node remaining by {source}", columns, per_job=False)
        first += settings.nodes
    for feature in ("nodes", *sources):
        columns = np.arange(first, first + settings.visible_jobs)
        yield FeatureGroup(f"job {feature}", columns, per_job=True)
        first += settings.visible_jobs


def _features(settings: QueueSettings) -> Iterator[FeatureGroup]:
    jobs = len(JOB_FEATURES) * settings.visible_jobs
    for place, feature in enumerate(JOB_FEATURES):
        columns = np.arange(place, jobs, len(JOB_FEATURES))
        yield FeatureGroup(f"job {feature}", columns, per_job=True)
    free, *freed, queued, head = np.arange(jobs, jobs + HORIZONS + 3)
    yield FeatureGroup("free nodes", np.array([free]), per_job=False)
    yield FeatureGroup("nodes freed later", np.array(freed), per_job=False)
    yield FeatureGroup("queue length", np.array([queued]), per_job=False)
    yield FeatureGroup("head chosen", np.array([head]), per_job=False)
