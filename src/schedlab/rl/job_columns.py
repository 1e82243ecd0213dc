"""Where an observation describes the jobs that an agent can choose among."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, cat

from schedlab.rl.observation_layout import JOB_FEATURES


@dataclass(frozen=True)
class JobColumns:
    """Where an observation describes the visible jobs, one after the other.

    Args:
        first: index of the first number that describes a job.
        features: numbers per job.
        size: which of them is the job's share of the machine, and 0 where there is no job.
        head: which of them is 1 for the job that is promised a start; None if no start is promised.
    """

    first: int
    features: int
    size: int
    head: int | None = None

    def split(self, observation: Tensor, visible: int) -> tuple[Tensor, Tensor]:
        """Return jobs, a row each, and what all of them share: the machine and the head."""
        end = self.first + visible * self.features
        jobs = observation[:, self.first : end].reshape(-1, visible, self.features)
        shared = [observation[:, : self.first], observation[:, end:]]
        if self.head is not None:
            shared.append((jobs * jobs[..., self.head, None]).sum(dim=1))
        return jobs, cat(shared, dim=-1)

    def shared(self, observation_size: int, visible: int) -> int:
        """Return how many numbers all jobs share."""
        return observation_size - (visible - (self.head is not None)) * self.features


IN_A_QUEUE = JobColumns(
    0, len(JOB_FEATURES), JOB_FEATURES.index("nodes"), JOB_FEATURES.index("is head")
)
