"""When slurmctld's loops run, and how long its operations take.

A job history says neither, and both decide many starts.
"""

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
"""The range of this time, from a quiet to a busy machine."""
LOADED_S = 0.86
"""Time from slurmctld's boot until its loop turns for the first time."""
BACKFILL_LOADED_S = -0.27
"""Time from that first turn until the backfill scheduler is loaded; negative means before it."""
IDLE_BACKFILL_S = 1.0
"""The interval at which backfill looks for jobs to plan, once it has found none."""
LIMITS_S = 30
"""Time limits are tested every 30 s."""
LOOP_S, KNOWN_LOOP_S = 0.005, 0.001
"""Time from when slurmctld's loop reads the clock until it calls the scheduler.

The second value is for turns known from a log.
"""
LATEST_ANSWER_S = 0.9
"""Nodes answer a kill within this time."""
SAME_TURN_S = 0.3
"""Log lines within this time belong to the same turn of the loop."""


@dataclass(frozen=True)
class Clocks:
    """The phases of slurmctld's loops, in seconds on the clock of the history.

    Args:
        tick_s: a turn of the loop that calls the main scheduler and tests time limits.
        backfill_s: the start of a cycle of backfill.
        limits_s: a test of the time limits.
        priority_s: a computation of priorities.
        full_s: a run of the main scheduler over the whole queue.
        ticks: turns known from a log; between them they are evenly spaced.
        backfills: cycles known from a log.
        limits: tests of the time limits known from a log: those that found a job beyond its limit.
        after_kills: runs of the main scheduler known from a log that were made because the nodes of
            a killed job had answered.
        submit_delay_s: time from a submission in the history until slurmctld knows of it; 0 where
            the history has that moment from a log.
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
        """Return the same loops, with phases for a start at this moment.

        Args:
            begin_s: the moment.
            parameters: periods of the loops.
            is_idle: whether no job waits before that moment.
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
        """Return the time of the turn after this one."""
        place = bisect_right(self.ticks, now_s + SAME_TURN_S)
        if place == len(self.ticks):
            return now_s + self.tick_period_s
        left_s = self.ticks[place] - now_s
        turns = max(1, round(left_s / self.tick_period_s))
        return self.ticks[place] if turns == 1 else now_s + left_s / turns

    def loop_delay_s(self, now_s: float) -> float:
        """Return how long before this turn the loop read the clock.

        A log shows a moment shortly after that. Turns between logged ones are less well known.
        """
        return KNOWN_LOOP_S if now_s in self.ticks else LOOP_S

    def next_backfill_s(self, expected_s: float, interval_s: float) -> float:
        """Return the time of the logged cycle near the expected time, else the expected time."""
        place = bisect_right(self.backfills, expected_s - interval_s / 2)
        if place < len(self.backfills) and self.backfills[place] < expected_s + interval_s / 2:
            return self.backfills[place]
        return expected_s

    def next_answer_s(self, now_s: float, last_s: float) -> float | None:
        """Return the next logged run of the main scheduler that a kill at this time has caused.

        Runs up to ``last_s`` belong to other kills. None if the log has no other run soon enough.
        """
        place = bisect_right(self.after_kills, max(now_s, last_s))
        if place == len(self.after_kills) or self.after_kills[place] > now_s + LATEST_ANSWER_S:
            return None
        return self.after_kills[place]

    def tests_limits(self, now_s: float, *, is_due: bool) -> bool:
        """Return whether a turn of the loop tests time limits: by the log, or else if it is due."""
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
    """How long operations take on a real cluster, in seconds.

    Args:
        run: time to launch and end a job, added to a run time that the history did not measure.
        complete: time from the end of a job until its nodes have confirmed it.
        after_kill: time from a kill until the main scheduler runs because of it.
        per_test: time that backfill takes for each job that it tests.
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
    """Draw phases of a slurmctld 22.05 that boots in this second.

    The drawn fraction of that second decides all phases.

    Args:
        boot_s: the boot, before the first submission; a whole second, as slurmctld writes it.
        parameters: periods of the loops.
        seed: seed of the draws.
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
    """Draw arbitrary phases, as if slurmctld had booted long ago.

    Args:
        first_s: the first submission.
        parameters: periods of the loops.
        seed: seed of the draws.
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
