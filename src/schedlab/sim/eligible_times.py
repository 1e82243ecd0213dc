"""When each job of a schedule could first have started, by what it waited for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.sim.schedule import JobOutcome, Schedule, Times
from schedlab.workload.dependencies import KINDS
from schedlab.workload.eligibility import Eligibility

NEVER_S = 1 << 62
AFTER, AFTEROK, AFTERNOTOK, _, SINGLETON = range(len(KINDS))


def eligible_times(schedule: Schedule) -> Times:
    """Return when each job could first have started, given what the jobs before it really did."""
    rules = Eligibility.of(schedule.workload)
    if rules is None:
        return schedule.workload["submit_s"]
    failed = _cannot_be_fulfilled(schedule, rules)
    gone_s = _gone_s(schedule, rules.conditions.job[failed])
    eligible_s = rules.begin_s.copy()
    _wait_for_others(eligible_s, schedule, rules, failed, gone_s)
    _wait_for_namesakes(eligible_s, rules, gone_s)
    _wait_for_arrays(eligible_s, schedule, rules)
    return eligible_s


def first_starts(schedule: Schedule) -> Times:
    """Return when each job started for the first time, or -1."""
    if schedule.attempts is None:
        return schedule.start_s
    first_s = schedule.start_s.copy()
    once = schedule.attempts.number == 1
    first_s[schedule.attempts.job[once]] = schedule.attempts.start_s[once]
    return first_s


def _cannot_be_fulfilled(schedule: Schedule, rules: Eligibility) -> NDArray[np.bool_]:
    """Return which conditions cannot be fulfilled, as their jobs ended in the other way."""
    table = rules.conditions
    well = (schedule.state == JobOutcome.COMPLETED) & (rules.ends_badly == 0)
    ended = schedule.state != JobOutcome.WAITING
    wrong = np.where(table.kind == AFTEROK, ~well[table.on], well[table.on])
    found: NDArray[np.bool_] = ended[table.on] & np.isin(table.kind, (AFTEROK, AFTERNOTOK)) & wrong
    return found


def _wait_for_others(
    eligible_s: Times,
    schedule: Schedule,
    rules: Eligibility,
    failed: NDArray[np.bool_],
    gone_s: Times,
) -> None:
    table = rules.conditions
    fulfilled_s = np.where(failed, NEVER_S, gone_s[table.on] + table.delay_s)
    started = (table.kind == AFTER) & schedule.started[table.on]
    first_s = first_starts(schedule)[table.on] + table.delay_s
    fulfilled_s = np.where(started, first_s, fulfilled_s)
    named = table.kind != SINGLETON
    np.maximum.at(eligible_s, table.job[named], fulfilled_s[named])


def _wait_for_namesakes(eligible_s: Times, rules: Eligibility, gone_s: Times) -> None:
    singletons = rules.conditions.job[rules.conditions.kind == SINGLETON]
    for group in np.unique(rules.namesakes[singletons]):
        members = np.flatnonzero(rules.namesakes == group)
        before_s = np.maximum.accumulate(np.concatenate([[0], gone_s[members]]))[:-1]
        waits = np.isin(members, singletons)
        eligible_s[members[waits]] = np.maximum(eligible_s[members], before_s)[waits]


def _wait_for_arrays(eligible_s: Times, schedule: Schedule, rules: Eligibility) -> None:
    """Let the task of an array with a limit that started i-th wait for i - limit ends."""
    for array, limit in enumerate(rules.array_limit.tolist()):
        tasks = np.flatnonzero((rules.array == array) & schedule.started)
        later = tasks[np.argsort(first_starts(schedule)[tasks], kind="stable")][limit:]
        ends_s = np.sort(schedule.end_s[tasks])[: len(later)]
        eligible_s[later] = np.maximum(eligible_s[later], ends_s)


def _gone_s(schedule: Schedule, failed: NDArray[np.int64]) -> Times:
    """Return when each job ended or was withdrawn.

    Args:
        schedule: what happened.
        failed: jobs with a condition that cannot be fulfilled; they were withdrawn for it.
    """
    workload = schedule.workload
    withdrawn_s = np.where(
        workload["cancel_after_s"] >= 0, workload["submit_s"] + workload["cancel_after_s"], NEVER_S
    )
    withdrawn_s[failed] = np.minimum(withdrawn_s[failed], schedule.eligible_s[failed])
    gone_s: Times = np.where(schedule.started, schedule.end_s, withdrawn_s)
    return np.minimum(gone_s, NEVER_S >> 1)
