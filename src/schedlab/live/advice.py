"""What a policy would change in the queue of a running scheduler, and what that would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from schedlab.live.guards import Guards
from schedlab.live.queue import LiveJob
from schedlab.live.watch import Look
from schedlab.live.wish import can_be_moved, wished_factors, wished_order
from schedlab.policies import ChosenPolicy
from schedlab.sim.forecast.past_forecaster import NEVER_S
from schedlab.slurm.replay import history_of


@dataclass(frozen=True)
class Effect:
    """Forecast waits of the jobs that a priority could move, without and with the changes.

    Both arms have the same futures: drawn run times and phases of the scheduler's loops.

    Args:
        jobs: number of jobs that a priority could move.
        now_s: their mean wait from their submission without the changes.
        then_s: their mean wait with the changes.
        low: the lower end of the 80 % interval of the relative change over futures.
        high: the upper end.
    """

    jobs: int = 0
    now_s: float = 0.0
    then_s: float = 0.0
    low: float = 0.0
    high: float = 0.0

    @property
    def change(self) -> float:
        """The relative change of the mean wait."""
        return self.then_s / self.now_s - 1 if self.now_s else 0.0


@dataclass(frozen=True)
class JobShift:
    """A job whose forecast start moves.

    Args:
        job: its id.
        factor: what would be added to its priority.
        now_s: median of its forecast start without the changes, in seconds from now.
        then_s: median of its forecast start with the changes.
    """

    job: str
    factor: int
    now_s: float
    then_s: float


@dataclass(frozen=True)
class Advice:
    """What a policy would change, and with which effect.

    Args:
        policy: its name.
        factors: what would be added to priorities, by handle; 0 for jobs that stay as they are.
        effect: the effect of these factors on waits.
        shifts: the movable jobs whose start moves by a minute or more; the largest gain first.
        refused: why the guards forbid the changes; empty if they allow them.
    """

    policy: str
    factors: dict[str, int] = field(default_factory=dict)
    effect: Effect = field(default_factory=Effect)
    shifts: tuple[JobShift, ...] = ()
    refused: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return all fields and the relative change as a JSON document."""
        return {**asdict(self), "change": self.effect.change}


def allowed_factors(
    jobs: Sequence[LiveJob], policy: ChosenPolicy, guards: Guards, cpus: int, now: float
) -> dict[str, int]:
    """Return the site factors that a policy wants, by handle, within what the guards allow.

    Args:
        jobs: the jobs that a priority could move.
        policy: the policy that is asked.
        guards: what is allowed.
        cpus: number of CPUs of the machine.
        now: the present time in epoch seconds.
    """
    order = wished_order(jobs, policy, cpus, now)
    return guards.within(wished_factors(jobs, order, guards.clamp), jobs, now)


def advise(
    look: Look,
    jobs: Sequence[LiveJob],
    policy: ChosenPolicy,
    guards: Guards,
    cpus: int,
    tell: Callable[[], object] = lambda: None,
) -> Advice:
    """Return what a policy would change now.

    Args:
        look: a look at the present, with futures.
        jobs: the waiting jobs.
        policy: the policy that is asked.
        guards: what is allowed.
        cpus: number of CPUs of the machine.
        tell: called after each future.
    """
    movable = [job for job in jobs if can_be_moved(job)]
    refused = guards.breaks(jobs, look.departure, look.at)
    if not movable or look.present is None or look.futures is None:
        return Advice(policy.name, refused=refused)
    factors = allowed_factors(movable, policy, guards, cpus, look.at)
    history = history_of(look.present)
    names = history.details["slurm_id"].to_list()
    by_id = {job.id: job for job in jobs}
    present = np.array([by_id[name].site_factor if name in by_id else 0 for name in names])
    then = [
        factors.get(by_id[name].handle, by_id[name].site_factor) if name in by_id else 0
        for name in names
    ]
    moved = {job.id for job in movable}
    counted = np.array([name in moved for name in names])
    never_s = history.begin_s + NEVER_S
    # The mirror's site includes the present factors: subtract them; one arm adds the wanted ones.
    without, with_them = (
        np.nan_to_num(look.futures.starts(each - present, tell)[:, counted], nan=never_s)
        for each in (np.zeros_like(present), np.array(then))
    )
    submit_s = history.details["submit_s"].to_numpy()[counted]
    before, after = without - submit_s, with_them - submit_s
    names = [name for name in names if name in moved]
    shifts = _shifts(names, by_id, factors, without - history.begin_s, with_them - history.begin_s)
    accounts = [by_id[name].account for name in names]
    refused = refused or guards.loser(accounts, before.mean(axis=0), after.mean(axis=0))
    return Advice(policy.name, factors, _effect(before, after), shifts, refused)


def _effect(before: Any, after: Any) -> Effect:
    change = after.mean(axis=1) / np.maximum(before.mean(axis=1), 1e-9) - 1
    low, high = np.quantile(change, [0.1, 0.9])
    return Effect(
        before.shape[1], float(before.mean()), float(after.mean()), float(low), float(high)
    )


def _shifts(
    names: Sequence[str],
    by_id: dict[str, LiveJob],
    factors: dict[str, int],
    before: Any,
    after: Any,
) -> tuple[JobShift, ...]:
    now_s, then_s = np.median(before, axis=0), np.median(after, axis=0)
    found = [
        JobShift(name, factors.get(by_id[name].handle, 0), float(now), float(then))
        for name, now, then in zip(names, now_s, then_s, strict=True)
        if abs(then - now) >= 60
    ]
    return tuple(sorted(found, key=lambda each: each.then_s - each.now_s))
