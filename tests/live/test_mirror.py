"""The mirror of a Slurm, made of readings written by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.slurm import tiny_site

from schedlab.errors import ParameterError
from schedlab.live.departure import departure_of
from schedlab.live.forecaster import LiveForecaster
from schedlab.live.mirror import Mirror
from schedlab.live.queue import LiveJob, LiveStage, Reading
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmSite

T0 = 1_700_000_000


def job(name: str, submit: int = 0, **more: object) -> LiveJob:
    """Return a job of four cores that waits."""
    given: dict[str, object] = {"stage": LiveStage.WAITS, "state": "PENDING", "tasks": 4, "cpus": 4}
    given |= {"limit_s": 600, **more}
    return LiveJob(
        id=name,
        handle=name,
        user="ann",
        account="physics",
        partition="batch",
        submit=T0 + submit,
        **given,  # type: ignore[arg-type]
    )


def runs(waits: LiveJob, start: int, hosts: str) -> LiveJob:
    """Return the job, running."""
    return replace(waits, stage=LiveStage.RUNS, state="RUNNING", start=T0 + start, hosts=hosts)


def ended(ran: LiveJob, end: int, state: str = "COMPLETED") -> LiveJob:
    """Return the job, ended."""
    return replace(ran, stage=LiveStage.ENDED, state=state, end=T0 + end)


def reading(at: float, *jobs: LiveJob) -> Reading:
    """Return a reading of these jobs."""
    return Reading(T0 + at, jobs)


@pytest.fixture
def site(tmp_path: Path) -> SlurmSite:
    """Four nodes of four cores."""
    return tiny_site.make_in(tmp_path, tiny_site.job(1, 0, 4, 600, 60))


def _names(site: SlurmSite | None) -> dict[str, bool]:
    if site is None:
        return {}
    rows = history_of(site).details.select("slurm_id", "ran_before").iter_rows()
    return dict(rows)


def test_jobs_run_and_wait_as_they_were_read(site: SlurmSite) -> None:
    """Slurm's times are whole seconds: a start in the second of an earlier reading is after it."""
    mirror = Mirror(site)
    one, two = job("1"), job("2")
    mirror.take(reading(5.2, runs(one, 3, "a1"), two))
    assert _names(mirror.site()) == {"1": True, "2": False}
    first = mirror.moments[0]
    mirror.take(reading(9.1, ended(runs(one, 3, "a1"), 5), runs(two, 5, "a1")))
    assert _names(mirror.site()) == {"2": True}
    assert _names(mirror.site(first)) == {"1": True, "2": False}


def test_jobs_that_had_ended_before_are_of_no_concern(site: SlurmSite) -> None:
    """Slurm lists ended jobs for minutes; the mirror does not take them for new ones."""
    mirror, old = Mirror(site), ended(runs(job("1", -50), -40, "a1"), -10)
    for at in (1.0, 2.0, 3.0):
        mirror.take(reading(at, old, job("2")))
        assert set(mirror.jobs) == {"2"}
    assert departure_of(mirror, phases=1).jobs == 1
    short = ended(runs(job("3", 4), 4, "a2"), 5)
    mirror.take(reading(6.0, old, job("2"), short))
    assert set(mirror.jobs) == {"2", "3"}
    assert departure_of(mirror, phases=1).real_starts == 1


def test_a_job_that_is_gone_has_ended(site: SlurmSite) -> None:
    """No reading shows its end, so it has ended now at the latest."""
    mirror = Mirror(site)
    mirror.take(reading(1.0, runs(job("1"), 0, "a1"), job("2")))
    gone = mirror.take(reading(2.0, job("2")))
    assert [each.id for each in gone] == ["1"]
    assert _names(mirror.site()) == {"2": False}


def test_a_job_that_was_put_back_waits_again(site: SlurmSite) -> None:
    """A requeued job no longer runs in the twin."""
    mirror = Mirror(site)
    mirror.take(reading(1.0, runs(job("1"), 0, "a1")))
    mirror.take(reading(2.0, replace(job("1"), restarts=1)))
    assert _names(mirror.site()) == {"1": False}


def test_a_withdrawn_job_is_withdrawn_in_the_twin(site: SlurmSite) -> None:
    """Otherwise the twin would start it."""
    mirror = Mirror(site)
    mirror.take(reading(1.0, runs(job("1"), 0, "a[1-3],z1"), job("2")))
    mirror.take(reading(20.0, runs(job("1"), 0, "a[1-3],z1"), ended(job("2"), 10, "CANCELLED")))
    told = mirror.site(mirror.moments[0])
    assert told is not None
    assert [each.text for each in history_of(told).commands] == ["scancel 2"]


def test_what_the_site_does_not_know_is_left_out_and_told(site: SlurmSite) -> None:
    """The site was imported before the partition was made."""
    mirror = Mirror(site)
    mirror.take(reading(1.0, job("1"), replace(job("2"), partition="new")))
    assert _names(mirror.site()) == {"1": False}
    assert mirror.unknown == {"2": 'partition "new" is not known'}


def test_a_clock_that_goes_back_is_refused(site: SlurmSite) -> None:
    """A program that follows Slurm begins a new mirror then."""
    mirror = Mirror(site)
    mirror.take(reading(5.0))
    with pytest.raises(ParameterError, match="the clock went back"):
        mirror.take(reading(4.0))


def test_what_has_ended_is_forgotten_after_a_while(site: SlurmSite) -> None:
    """The mirror of a year is not larger than that of a day."""
    mirror = Mirror(site, kept_s=100.0)
    mirror.take(reading(1.0, runs(job("1"), 0, "a1")))
    mirror.take(reading(2.0, ended(runs(job("1"), 0, "a1"), 1)))
    for at in range(50, 400, 50):
        mirror.take(reading(float(at)))
    assert not mirror.jobs
    assert len(mirror.moments) <= 4


def test_a_job_that_started_keeps_the_factor_it_waited_with(site: SlurmSite) -> None:
    """Slurm reports it for waiting jobs only; the twin needs it to start the job as Slurm did."""
    mirror = Mirror(site)
    mirror.take(reading(1.0, job("1", site_factor=70)))
    mirror.take(reading(2.0, runs(job("1"), 1, "a1")))
    told = mirror.site(mirror.moments[0])
    assert told is not None
    assert history_of(told).details["nice"].to_list() == [-70]


def test_the_twin_hears_of_changes_of_factors_when_they_were_made(site: SlurmSite) -> None:
    """Otherwise the twin would have an order that Slurm did not have, and steering would stop."""
    busy = [runs(job(f"{90 + at}"), 0, host) for at, host in enumerate(("a1", "a2", "a3", "z1"))]
    first, second = job("1", 10, priority=100), job("2", 20, priority=100)
    mirror = Mirror(site)
    mirror.take(reading(30.0, *busy, replace(first, site_factor=-900, priority=1), second))
    started = [ended(busy[0], 60), *busy[1:], runs(second, 61, "a1")]
    mirror.take(reading(90.0, *started, replace(first, site_factor=-900, priority=1)))
    mirror.take(reading(150.0, *started[1:], first))  # a guard has ended all changes
    told = mirror.site(mirror.moments[0])
    assert told is not None
    nice = dict(history_of(told).details.select("slurm_id", "nice").iter_rows())
    assert (nice["1"], nice["2"]) == (900, 0)
    texts = [each.text for each in history_of(told).commands]
    assert texts == ["scontrol update JobId=1 Nice=0"]
    assert departure_of(mirror, phases=2).same == 1.0


def test_a_job_that_started_soon_after_its_factor_was_set_had_it(site: SlurmSite) -> None:
    """No reading shows the factor: the job no longer waits when Slurm is read again."""
    mirror = Mirror(site)
    mirror.take(reading(10.0, job("1"), job("2")))
    mirror.steered("1", 70)
    mirror.steered("2", -70)
    started = [runs(job("1"), 15, "a1"), runs(job("2"), 15, "a2")]
    for at in (20.0, 30.0):
        mirror.take(reading(at, *started))
    told = mirror.site(mirror.moments[0])
    assert told is not None
    commands = history_of(told).commands
    assert [each.text for each in commands] == ["scontrol update JobId=1 Nice=-70"]
    assert commands[0].at_s + mirror.epoch_s == T0 + 12.5


def test_a_job_that_begins_in_years_does_not_take_the_twin_there(site: SlurmSite) -> None:
    """Otherwise one user could keep the twin busy for hours."""
    mirror = Mirror(site)
    mirror.take(reading(1.0, job("1"), job("2", begin=T0 + 400_000_000)))
    told = mirror.site()
    assert told is not None
    assert history_of(told).details["held"].to_list() == [False, True]
    starts = LiveForecaster(site, forks=2).futures(told).starts()
    assert (starts[:, 0] >= 0).all()
    assert np.isnan(starts[:, 1]).all()


def test_a_job_might_have_started_in_any_of_its_partitions(site: SlurmSite) -> None:
    """A later reading shows where the job runs; a twin that begins earlier must not know."""
    mirror = Mirror(site)
    mirror.take(reading(1.0, replace(job("1"), partition="batch,fast")))
    mirror.take(reading(2.0, runs(job("1"), 1, "a1")))
    for moment, wanted in zip(mirror.moments, ("batch,fast", "batch"), strict=True):
        told = mirror.site(moment)
        assert told is not None
        assert told.history is not None
        assert told.history.workload.labels["partition"] == (wanted,)


def test_a_job_may_start_while_the_queue_is_read(site: SlurmSite) -> None:
    """The time of a reading is when it began, so a job in it may start later."""
    mirror = Mirror(site)
    mirror.take(reading(1.0, runs(job("1"), 2, "a1"), job("2")))
    told = mirror.site()
    assert told is not None
    assert (LiveForecaster(site, forks=2).futures(told).starts()[:, 1] >= 0).all()
