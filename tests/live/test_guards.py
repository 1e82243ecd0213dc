"""Guards that keep steering harmless, and the later use of a shadow's log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.live.test_mirror import T0, ended, job, reading, runs
from tests.slurm import tiny_site

from schedlab.errors import ParameterError
from schedlab.live.advice import advise
from schedlab.live.departure import MirrorDeparture
from schedlab.live.guards import Guards
from schedlab.live.ledger import Ledger, read_ledger
from schedlab.live.peer import Ended
from schedlab.live.queue import LiveJob, Reading
from schedlab.live.score import jobs_within, score_forecasts, steered_site
from schedlab.live.slurm.peer import default_clamp
from schedlab.live.steering.steering import Steering
from schedlab.live.watch import CLOCK_WENT_BACK, LiveWatch
from schedlab.policies import find_policy
from schedlab.slurm.replay import history_of, phases_of, replay
from schedlab.slurm.site import SlurmSite

GUARDS = Guards(clamp=100)
FINE = MirrorDeparture(0.0, 1.0)


class Readings:
    """A reader that returns readings written by hand."""

    def __init__(self, *readings: Reading) -> None:
        self._left = list(readings)

    def read(self) -> Reading:
        """Return the next reading."""
        return self._left.pop(0)

    def ended(self, names: Sequence[str]) -> dict[str, Ended]:
        """Return nothing: accounting knows no job."""
        return {}


@pytest.fixture
def site(tmp_path: Path) -> SlurmSite:
    """Four nodes of four cores, and two jobs of their past."""
    jobs = [tiny_site.job(1, 0, 16, 600, 60), tiny_site.job(2, 1, 4, 60, 20)]
    return tiny_site.make_in(tmp_path, *jobs)


def test_bounds_that_make_no_sense_are_refused() -> None:
    """The error says what is allowed."""
    with pytest.raises(ParameterError, match="clamp is 0; must be at least 1"):
        Guards(clamp=0)
    with pytest.raises(ParameterError, match="least_same is 2; must be from 0 to 1"):
        Guards(clamp=1, least_same=2)


def test_no_factor_leaves_the_clamp_and_no_old_job_moves_back() -> None:
    """A job that has waited too long already must not be made to wait longer."""
    jobs = [job("1", -200_000), job("2")]
    wished = {"1": -50, "2": -5000}
    assert GUARDS.within(wished, jobs, T0 + 10.0) == {"1": 0, "2": -100}


def test_a_wait_that_is_far_too_long_ends_all_changes() -> None:
    """A held job does not count: the scheduler does not make it wait."""
    old = job("1", -400_000)
    assert "more than twice the longest wait" in GUARDS.breaks([old], FINE, T0)
    held = job("1", -400_000, held=True)
    assert GUARDS.breaks([held], FINE, T0) == ""


def test_a_twin_that_is_wrong_ends_all_changes() -> None:
    """The twin is judged only after enough jobs have started."""
    wrong = MirrorDeparture(0.0, 1.0, jobs=10, real_starts=8, twin_starts=2.0, same=0.4)
    assert "only 40% of the jobs" in GUARDS.breaks([], wrong, T0)
    few = MirrorDeparture(0.0, 1.0, jobs=3, real_starts=2, twin_starts=0.0, same=0.3)
    assert GUARDS.breaks([], few, T0) == ""


def test_no_account_may_lose_much() -> None:
    """An account of three jobs or more must not lose more than a quarter and ten minutes."""
    before = [1000.0, 1000.0, 1000.0, 1000.0]
    after = [100.0, 3000.0, 3000.0, 3000.0]
    accounts = ["a", "b", "b", "b"]
    assert GUARDS.loser(accounts, before, after) == 'account "b" would wait 200% longer'
    assert GUARDS.loser(["a", "a", "b", "b"], before, after) == ""
    assert GUARDS.loser(accounts, before, [1100.0] * 4) == ""


def test_the_default_clamp_is_a_tenth_of_the_weights(site: SlurmSite) -> None:
    """The tiny site has a weight of 1,000 for age and one of 1,000 for size."""
    assert default_clamp(site) == 200
    assert site.machine.cores == 16


def _queue() -> tuple[LiveJob, ...]:
    """Return a job that holds all nodes, and a long job that waits before a short one."""
    long = job("2", 1, tasks=16, cpus=16, priority=1000)
    short = job("3", 2, tasks=4, cpus=4, priority=250, limit_s=60)
    return (runs(job("1", 0, tasks=16, cpus=16), 0, "a[1-3],z1"), long, short)


def test_advice_says_what_the_policy_would_do(site: SlurmSite) -> None:
    """The short job would start first; the effect has an interval."""
    watch = LiveWatch(site, Readings(reading(5.0, *_queue())), forks=3)
    look = watch.look()
    made = advise(look, watch.mirror.waiting(), find_policy("saf"), Guards(1000), 16)
    assert made.factors == {"3": 750, "2": -750}
    assert made.refused == ""
    assert made.effect.jobs == 2
    assert made.effect.change < 0
    assert made.effect.low <= made.effect.change <= made.effect.high
    assert made.as_json()["change"] == made.effect.change


def test_a_held_job_does_not_count_for_the_effect(site: SlurmSite) -> None:
    """A held job starts in no future, whatever its priority."""
    looks = [
        LiveWatch(site, Readings(reading(5.0, *_queue(), *more)), forks=3)
        for more in ((), (job("4", held=True),))
    ]
    made = [
        advise(each.look(), each.mirror.waiting(), find_policy("saf"), Guards(1000), 16)
        for each in looks
    ]
    assert made[0].effect.jobs == made[1].effect.jobs == 2
    assert max(each.effect.now_s for each in made) < 3600


def test_a_shadow_writes_wishes_and_first_forecasts(site: SlurmSite, tmp_path: Path) -> None:
    """A shadow writes no wish twice, and takes back a wish that no longer holds."""
    readings = [reading(5.0, *_queue()), reading(6.0, *_queue()), reading(7.0, *_queue()[:2])]
    watch = LiveWatch(site, Readings(*readings), forks=2)
    ledger = Ledger(tmp_path / "shadow.log")
    shadow = Steering(watch, find_policy("saf"), Guards(1000), 16, ledger)
    assert len(shadow.step().changes) == 2
    assert not shadow.step().changes
    (change,) = shadow.step().changes
    assert (change.job, change.before, change.after) == ("2", -750, 0)
    kinds = [entry["kind"] for entry in read_ledger(ledger.path)]
    assert kinds == ["begin", "forecasts", "wish", "wish", "wish"]


def test_a_clock_that_goes_back_begins_a_new_mirror(site: SlurmSite) -> None:
    """A note of the look says so."""
    watch = LiveWatch(site, Readings(reading(5.0, *_queue()), reading(1.0, *_queue())), forks=0)
    assert not watch.look().notes
    assert watch.look().notes == (CLOCK_WENT_BACK,)
    assert len(watch.mirror.moments) == 1


def test_jobs_that_vanish_are_told(site: SlurmSite) -> None:
    """Accounting learns of an end late, and may not know a job at all."""
    short = ended(runs(job("9", 5), 5, "a1"), 6)
    later = [reading(at, _queue()[0], short) for at in (9.0, 19.0, 29.0, 39.0)]
    watch = LiveWatch(site, Readings(reading(5.0, *_queue()), *later), forks=0)
    told = [watch.look().notes for _ in range(5)]
    assert told[:3] == [()] * 3
    assert told[3] == ("2 jobs are gone, and accounting does not know them",)
    assert told[4] == ()


def test_wishes_are_replayed_as_nice_values(site: SlurmSite, tmp_path: Path) -> None:
    """A wish for a job of the history becomes a command that sets its nice value."""
    epoch_s = history_of(site).epoch_s or 0
    ledger = Ledger(tmp_path / "shadow.log")
    ledger.add("begin", epoch_s + 0.0)
    ledger.add("wish", epoch_s + 2.0, job="2", of=0, to=70)
    ledger.add("wish", epoch_s + 3.0, job="77", of=0, to=70)
    ledger.add("forecasts", epoch_s + 2.0, starts={"2": [epoch_s, epoch_s, epoch_s]})
    entries = list(read_ledger(ledger.path))
    other, told = steered_site(site, entries)
    assert told == 1
    assert history_of(other).commands[-1].text == "scontrol update JobId=2 Nice=-70"
    assert jobs_within(site, entries).all()
    assert score_forecasts(site, entries) is None  # this history does not say when jobs started
    (phase,) = phases_of(other, 1)
    before, after = (replay(each, phase).start_s for each in (site, other))
    assert not np.isnan(after).any()
    assert after[1] <= before[1]
