"""How far Slurm differs from itself: two real runs of the same jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from schedlab.errors import InputError
from schedlab.slurm.fidelity import NEAR_S, first_starts
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmSite


@dataclass(frozen=True)
class ReplicaRow:
    """Another real run compared with the one that is replayed; times in seconds.

    Args:
        name: name of the other run.
        jobs: number of jobs that started in both runs.
        wait_s: their mean wait in the other run.
        wait_error: the difference of the mean waits, as a share.
        start_error_s: mean absolute difference of starts.
        median_error_s: median absolute difference of starts.
        near: the share of jobs whose starts differ by 30 s at most.
    """

    name: str
    jobs: int
    wait_s: float
    wait_error: float
    start_error_s: float
    median_error_s: float
    near: float

    def as_json(self) -> dict[str, Any]:
        """Return all figures, for files."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"real replica {self.name}: mean wait {self.wait_s:,.0f} s ({self.wait_error:+.1%}), "
            f"start ± {self.start_error_s:,.0f} s, half of them within "
            f"{self.median_error_s:,.0f} s; {self.near:.0%} within 30 s"
        )


def replicas_of(site: SlurmSite, others: Sequence[tuple[str, SlurmSite]]) -> list[ReplicaRow]:
    """Compare other real runs of the same jobs with the run of the site.

    Jobs are matched by their order of submission: the same jobs may have other numbers.

    Args:
        site: a site with a history.
        others: names of the other runs, each with its site and history.
    """
    return [_row(site, name, other) for name, other in others]


def _row(site: SlurmSite, name: str, other: SlurmSite) -> ReplicaRow:
    ours, theirs = history_of(site), history_of(other)
    if len(ours.workload) != len(theirs.workload):
        raise InputError(
            f"{name}: has {len(theirs.workload):,} jobs, the site {len(ours.workload):,}; a "
            "replica is a run of the same jobs"
        )
    submit_s, their_submit_s = (each.details["submit_s"].to_numpy() for each in (ours, theirs))
    wait_s, their_wait_s = first_starts(site) - submit_s, first_starts(other) - their_submit_s
    both = ~np.isnan(wait_s) & ~np.isnan(their_wait_s)
    if not both.any():
        raise InputError(f"{name}: no job started both there and in the history of the site")
    off_s = np.abs(their_wait_s[both] - wait_s[both])
    mean_s, their_mean_s = float(wait_s[both].mean()), float(their_wait_s[both].mean())
    return ReplicaRow(
        name,
        int(both.sum()),
        their_mean_s,
        their_mean_s / mean_s - 1 if mean_s else 0.0,
        float(off_s.mean()),
        float(np.median(off_s)),
        float((off_s <= NEAR_S).mean()),
    )
