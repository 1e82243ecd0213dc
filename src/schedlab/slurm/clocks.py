"""When slurmctld looks, and what things take: no file tells it, and it decides many starts."""

from __future__ import annotations

import math
import random
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace

from schedlab.slurm.parameters import SlurmParameters
from schedlab.slurm.scheduling import SchedulerSettings

TICK_S = 1.0022
"""How long a turn of slurmctld's loop takes on a quiet machine."""
TICKS_S = (1.002, 1.0045)
"""The same, from a quiet to a busy machine."""
LOADED_S = 0.86
"""How long after its boot slurmctld's loop turns for the first time."""
BACKFILL_LOADED_S = -0.27
"""How long after that the backfill scheduler is loaded."""
IDLE_BACKFILL_S = 1.0
"""How often backfill looks whether there is anything to plan, once it has found nothing."""
LIMITS_S = 30
"""Time limits are tested every 30 s."""
LOOP_S, KNOWN_LOOP_S = 0.005, 0.001
"""From the moment that slurmctld's loop takes for now until it calls the scheduler."""
LATEST_ANSWER_S = 0.9
"""Nodes answer a kill within this time."""
SAME_TURN_S = 0.3
"""What a log tells of within this time is of the same turn of the loop."""


@dataclass(frozen=True)
class Clocks:
    """The phases, in seconds on the clock of the history.

    Args:
        tick_s: a turn of the loop that calls the main scheduler and tests time limits.
        backfill_s: the begin of a cycle of backfill.
        limits_s: a test of the time limits.
        priority_s: a computation of priorities.
        full_s: a run of the main scheduler over the whole queue.
        ticks: turns known from a log; between them they are evenly spaced.
        backfills: cycles known from a log.
        limits: tests of the time limits known from a log: those that found a job beyond its limit.
        after_kills: runs of the main scheduler known from a log that were made because the nodes of
            a killed job had answered.
        submit_delay_s: from a submission of the history until slurmctld knows of it; 0 where a log
            told when it did.
    """

    tick_s: float
    backfill_s: float
    limits_s: float
    priority_s: float
    full_s: float
    tick_period_s: float = TICK_S
    ticks: tuple[float, ...] = ()
    backfills: tuple[float, ...] = ()
    limits: tuple[float, ...] = ()
    after_kills: tuple[float, ...] = ()
    submit_delay_s: float = 0.012

    def since(
        self, begin_s: float, parameters: SlurmParameters, *, is_idle: bool = False
    ) -> Clocks:
        """Return the same loops, none of which turns before this moment.

        Args:
            begin_s: the moment.
            parameters: periods of the loops.
            is_idle: whether no job waits before it.
        """
        scheduler, calc_s = parameters.scheduler, parameters.priority.calc_period_s
        backfill_s, period_s = self.backfill_s, float(scheduler.bf_interval_s)
        if is_idle and backfill_s + period_s < begin_s:
            backfill_s, period_s = backfill_s + period_s, IDLE_BACKFILL_S
        return replace(
            self,
            tick_s=_first(self.ticks, self.tick_s, self.tick_period_s, begin_s),
            backfill_s=_first(self.backfills, backfill_s, period_s, begin_s),
            limits_s=_last(self.limits_s, LIMITS_S, begin_s),
            priority_s=_first((), self.priority_s, calc_s, begin_s),
            full_s=_last(self.full_s, scheduler.sched_interval_s, begin_s),
        )

    def next_tick_s(self, now_s: float) -> float:
        """Return the turn after this one."""
        place = bisect_right(self.ticks, now_s + SAME_TURN_S)
        if place == len(self.ticks):
            return now_s + self.tick_period_s
        left_s = self.ticks[place] - now_s
        turns = max(1, round(left_s / self.tick_period_s))
        return self.ticks[place] if turns == 1 else now_s + left_s / turns

    def loop_delay_s(self, now_s: float) -> float:
        """Return how long before this turn the loop had asked for the time.

        A log has the moment shortly after that. Turns between those of a log are less well known.
        """
        return KNOWN_LOOP_S if now_s in self.ticks else LOOP_S

    def next_backfill_s(self, expected_s: float, interval_s: float) -> float:
        """Return the cycle that the log has about then, or then."""
        place = bisect_right(self.backfills, expected_s - interval_s / 2)
        if place < len(self.backfills) and self.backfills[place] < expected_s + interval_s / 2:
            return self.backfills[place]
        return expected_s

    def next_answer_s(self, now_s: float, last_s: float) -> float | None:
        """Return the next run after this one that was made because a job killed now had ended.

        None if the log has no other one so soon.
        """
        place = bisect_right(self.after_kills, max(now_s, last_s))
        if place == len(self.after_kills) or self.after_kills[place] > now_s + LATEST_ANSWER_S:
            return None
        return self.after_kills[place]

    def tests_limits(self, now_s: float, *, is_due: bool) -> bool:
        """Return whether a turn of the loop tests time limits: as the log has it, or if due."""
        place = bisect_right(self.limits, now_s - SAME_TURN_S)
        if place == len(self.limits) or self.limits[place] > now_s + LIMITS_S / 2:
            return is_due
        return self.limits[place] < now_s + SAME_TURN_S


def _first(known: tuple[float, ...], turn_s: float, period_s: float, begin_s: float) -> float:
    """Return the first turn of a loop from a moment on."""
    place = bisect_left(known, begin_s)
    if place < len(known):
        return known[place]
    return turn_s + max(0, math.ceil((begin_s - turn_s) / period_s)) * period_s


def _last(turn_s: float, period_s: float, begin_s: float) -> float:
    """Return the last turn of a loop before a moment."""
    return turn_s + max(0, math.floor((begin_s - turn_s) / period_s)) * period_s


@dataclass(frozen=True)
class Delays:
    """What things take on a real cluster, in seconds.

    Args:
        run: launch and end of a job beside its run time, where the history does not have both.
        complete: until its nodes have answered that it has ended.
        after_kill: from a kill until the main scheduler runs because of it.
        per_test: of backfill for each job that it tests.
    """

    run: float = 0.1
    complete: float = 0.008
    after_kill: float = 0.09
    per_test: float = 0.00025


def most_tests(scheduler: SchedulerSettings) -> int:
    """Return how many jobs a cycle of backfill tests, by bf_max_job_test or bf_max_time."""
    longest_s = scheduler.bf_max_time_s or scheduler.bf_interval_s
    in_time = int(longest_s / Delays().per_test)
    return min(scheduler.bf_max_job_test or in_time, in_time)


def clocks_from_boot(boot_s: float, parameters: SlurmParameters, seed: int) -> Clocks:
    """Return phases of 22.05 when it boots in this second; all follow from its drawn fraction.

    Args:
        boot_s: before the first submission; a whole second, as slurmctld writes it.
        parameters: periods of the loops.
        seed: seed of what is unknown.
    """
    drawn = random.Random(seed)
    loop_s = boot_s + LOADED_S + drawn.random()
    return Clocks(
        tick_period_s=drawn.uniform(*TICKS_S),
        tick_s=loop_s,
        backfill_s=loop_s + BACKFILL_LOADED_S + parameters.scheduler.bf_interval_s,
        limits_s=loop_s,
        priority_s=loop_s + parameters.priority.calc_period_s,
        full_s=loop_s,
    )


def drawn_clocks(first_s: float, parameters: SlurmParameters, seed: int) -> Clocks:
    """Draw any phases, as if slurmctld had booted long ago.

    Args:
        first_s: the first submission.
        parameters: periods of the loops.
        seed: draws the phases.
    """
    drawn = random.Random(seed)
    scheduler, calc_s = parameters.scheduler, parameters.priority.calc_period_s
    return Clocks(
        tick_s=first_s - drawn.random(),
        backfill_s=first_s - drawn.random() * scheduler.bf_interval_s,
        limits_s=first_s - drawn.randrange(LIMITS_S),
        priority_s=first_s - drawn.random() * calc_s,
        full_s=first_s - drawn.random() * scheduler.sched_interval_s,
    )
