"""How far the twin is from the scheduler that it mirrors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from schedlab.live.mirror import Mirror
from schedlab.slurm.replay import history_of, phases_of, replay_all

PHASES = 8
WINDOW_S = 1800.0


@dataclass(frozen=True)
class MirrorDeparture:
    """How the twin, started from a reading with what users and jobs did, differs from reality.

    All figures of the twin are means over phases of slurmctld's loops.

    Args:
        since: the reading from which the twin went on, in epoch seconds.
        until: the last reading.
        jobs: number of jobs that waited then, or came since.
        real_starts: how many of them have started.
        twin_starts: how many the twin has started.
        both: how many both have started.
        same: the share of the jobs that both have started, or both have not; 1 without jobs.
        start_error_s: mean absolute difference of the starts of the jobs that both have started.
        wait_error: how much longer these jobs waited in the twin, as a share of the real wait.
    """

    since: float
    until: float
    jobs: int = 0
    real_starts: int = 0
    twin_starts: float = 0.0
    both: float = 0.0
    same: float = 1.0
    start_error_s: float = 0.0
    wait_error: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return all figures."""
        return asdict(self)

    def __str__(self) -> str:
        """Return the comparison as one sentence."""
        minutes = (self.until - self.since) / 60
        if not self.jobs:
            return f"in the last {minutes:.0f} min no job waited: nothing to compare"
        return (
            f"in the last {minutes:.0f} min {self.real_starts:,} of {self.jobs:,} jobs started, in "
            f"the twin {self.twin_starts:,.0f}; {self.same:.0%} are in the same state, starts "
            f"differ by {self.start_error_s:,.0f} s"
        )


def departure_of(
    mirror: Mirror,
    *,
    window_s: float = WINDOW_S,
    phases: int = PHASES,
    seed: int = 0,
    tell: Callable[[], object] = lambda: None,
) -> MirrorDeparture:
    """Run the twin from an earlier reading up to now, and compare it with what happened.

    Args:
        mirror: a mirror that has readings.
        window_s: maximum age of the earlier reading.
        phases: number of phases of slurmctld's loops to draw.
        seed: seed of these draws.
        tell: called after each replay.
    """
    now = mirror.now
    moment = next(each for each in mirror.moments if each.at >= now - window_s)
    site = mirror.site(moment)
    nothing = MirrorDeparture(moment.at, now)
    if site is None or moment.at == now:
        return nothing
    history = history_of(site)
    asked = ~history.details["ran_before"].to_numpy()
    if not asked.any():
        return nothing
    until_s = now - mirror.epoch_s
    real_s = history.details["start_s"].cast(float).fill_null(np.inf).to_numpy()[asked]
    submit_s = history.details["submit_s"].to_numpy()[asked]
    real = real_s <= until_s
    sums = np.zeros(5)
    drawn = phases_of(site, phases, seed)
    for each in replay_all(site, drawn, lambda done: tell(), until_s):
        twin_s = np.nan_to_num(each.start_s[asked], nan=np.inf)
        twin = twin_s <= until_s
        both = real & twin
        off = twin_s[both] - real_s[both]
        real_wait = float((real_s[both] - submit_s[both]).sum())
        sums += (
            twin.sum(),
            both.sum(),
            (real == twin).mean(),
            np.abs(off).mean() if both.any() else 0.0,
            off.sum() / real_wait if real_wait else 0.0,
        )
    started = int(real.sum())
    return MirrorDeparture(moment.at, now, len(real), started, *(sums / phases).tolist())
