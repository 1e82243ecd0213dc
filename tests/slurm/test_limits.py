"""Limits in minutes of associations and QOS, in small cases; the plain twin and the core agree."""

from __future__ import annotations

import math
from pathlib import Path

from tests.slurm.tiny_site import CONF, SCRIPT, job, make_in

from schedlab.slurm import SlurmSite
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.plain.controller import Controller
from schedlab.slurm.replay import not_replayed, replay

CLOCKS = Clocks(tick_s=0.9, backfill_s=20.0, limits_s=0.0, priority_s=0.0, full_s=0.0)
FAST = CONF + "PriorityCalcPeriod=1\n"
"""What jobs have used is counted every minute."""
ENDLESS = FAST + "PriorityDecayHalfLife=0\n"
"""The same, and use is never forgotten."""


def site(tmp_path: Path, *jobs: str, limits: str = "", conf: str = ENDLESS) -> SlurmSite:
    """Return a site whose account has these limits."""
    script = SCRIPT.replace("physics Fairshare=10", f"physics Fairshare=10 {limits}")
    return make_in(tmp_path, *jobs, conf=conf, script=script)


def starts(made: SlurmSite) -> list[float]:
    """Return when jobs start, to the second; -1 for never."""
    native, plain = replay(made, CLOCKS), Controller(made, CLOCKS)
    plain.run()
    found = [each.runs[0].start_s if each.runs else math.nan for each in plain.jobs]
    assert [repr(each) for each in native.start_s.tolist()] == [repr(each) for each in found]
    return [-1 if math.isnan(each) else math.floor(each) for each in found]


def ends(made: SlurmSite) -> list[float]:
    """Return when jobs end."""
    starts(made)
    return [float(each) for each in replay(made, CLOCKS).end_s]


def test_a_job_that_could_use_too_many_minutes_does_not_start(tmp_path: Path) -> None:
    """Four CPUs for two minutes are eight CPU minutes; the request counts, not the run time."""
    jobs = (job(1, 1, 4, 120, 5), job(2, 1, 4, 60, 5))
    assert starts(site(tmp_path, *jobs, limits="MaxTRESMins=cpu=7")) == [-1, 1]


def test_a_qos_takes_the_place_of_an_association(tmp_path: Path) -> None:
    """It does so only for limits that it sets, and only for its own jobs."""
    script = SCRIPT.replace("MaxJobsPerUser=1", "MaxTRESMinsPerJob=cpu=100")
    script = script.replace("physics Fairshare=10", "physics Fairshare=10 MaxTRESMins=cpu=1")
    jobs = (job(1, 1, 4, 60, 5), job(2, 1, 4, 60, 5, qos="scarce"))
    assert starts(make_in(tmp_path, *jobs, script=script, conf=ENDLESS)) == [-1, 1]


def test_running_jobs_may_use_so_many_minutes(tmp_path: Path) -> None:
    """The third waits until one of the others has ended: each could use four CPU minutes."""
    jobs = [job(number, 1, 4, 60, 20) for number in (1, 2, 3)]
    first, second, third = starts(site(tmp_path, *jobs, limits="GrpTRESRunMins=cpu=8"))
    assert (first, second) == (1, 1)
    assert third > 21


def test_what_running_jobs_may_still_use_shrinks(tmp_path: Path) -> None:
    """Slurm notices when it counts what they have used, every PriorityCalcPeriod."""
    jobs = (job(1, 1, 4, 600, 590), job(2, 1, 4, 300, 5))
    first, second = starts(site(tmp_path, *jobs, limits="GrpTRESRunMins=cpu=40"))
    assert first == 1
    assert 300 <= second < 331, "299 s of 600 s have passed: 20 minutes and 4 seconds are left"


def test_an_account_that_has_run_out_loses_its_jobs(tmp_path: Path) -> None:
    """After a minute four CPU minutes are used; the next test of time limits ends the job."""
    made = site(tmp_path, job(1, 1, 4, 6000, 5000), limits="GrpTRESMins=cpu=4")
    assert 120 <= ends(made)[0] < 152  # counted at 60 s: 59 seconds; at 120 s: 119


def test_an_account_that_has_run_out_starts_no_job(tmp_path: Path) -> None:
    """Without a half life nothing is forgotten."""
    jobs = (job(1, 1, 4, 120, 65), job(2, 100, 4, 60, 5), job(3, 100, 4, 60, 5, user="ben"))
    assert starts(site(tmp_path, *jobs, limits="GrpTRESMins=cpu=4")) == [1, -1, -1]


def test_what_was_used_is_forgotten(tmp_path: Path) -> None:
    """Half of 16 CPU minutes is left after ten; then the next job may start."""
    jobs = (job(1, 1, 4, 300, 240), job(2, 250, 4, 60, 5))
    conf = FAST + "PriorityDecayHalfLife=10\n"
    first, second = starts(site(tmp_path, *jobs, limits="GrpTRESMins=cpu=9", conf=conf))
    assert first == 1
    assert second > 300


def test_safe_jobs_start_only_if_they_can_end(tmp_path: Path) -> None:
    """Eight and four CPU minutes are more than ten; the first uses less than it could."""
    jobs = (job(1, 1, 4, 120, 40), job(2, 1, 4, 60, 5), job(3, 1, 4, 180, 5))
    conf = ENDLESS.replace("Enforce=limits", "Enforce=safe")
    made = site(tmp_path, *jobs, limits="GrpTRESMins=cpu=10", conf=conf)
    first, second, third = starts(made)
    assert first == 1
    assert second > 41
    assert third == -1
    unsafe = site(tmp_path, *jobs, limits="GrpTRESMins=cpu=10")
    assert starts(unsafe) == [1, 1, 1]


def test_safe_jobs_are_never_ended(tmp_path: Path) -> None:
    """A job that runs over its own time limit is ended for that alone."""
    conf = ENDLESS.replace("Enforce=limits", "Enforce=safe") + "OverTimeLimit=5\n"
    made = site(tmp_path, job(1, 1, 4, 60, 200), limits="GrpTRESMins=cpu=4", conf=conf)
    assert 200 < ends(made)[0] < 203


def test_wall_time_of_a_group(tmp_path: Path) -> None:
    """It counts jobs, whatever their size; two of one minute are two minutes."""
    jobs = (job(1, 1, 1, 120, 61), job(2, 1, 1, 120, 61), job(3, 100, 1, 60, 5))
    assert starts(site(tmp_path, *jobs, limits="GrpWall=2")) == [1, 1, -1]
    conf = ENDLESS.replace("Enforce=limits", "Enforce=safe")
    safe = site(tmp_path, *jobs, job(4, 200, 1, 180, 5), limits="GrpWall=4", conf=conf)
    assert starts(safe) == [1, 1, 100, -1], "two minutes are used, and three more would be five"


def test_the_root_keeps_jobs_from_starting_and_ends_none(tmp_path: Path) -> None:
    """This is the rule of slurmctld."""
    jobs = (job(1, 1, 4, 300, 200), job(2, 100, 4, 60, 5))
    script = SCRIPT.replace("Name=tiny Fairshare=1", "Name=tiny Fairshare=1 GrpTRESMins=cpu=4")
    made = make_in(tmp_path, *jobs, script=script, conf=ENDLESS)
    assert starts(made) == [1, 100]
    assert ends(made)[0] > 200
    late = make_in(tmp_path, *jobs, job(3, 210, 4, 60, 5), script=script, conf=ENDLESS)
    assert starts(late)[2] == -1


def test_free_jobs_start_whatever_was_used(tmp_path: Path) -> None:
    """UsageFactor=0 is for jobs that are not charged."""
    script = SCRIPT.replace("MaxJobsPerUser=1", "UsageFactor=0")
    script = script.replace("physics Fairshare=10", "physics Fairshare=10 GrpTRESMins=cpu=4")
    conf = ENDLESS.replace("Enforce=limits", "Enforce=safe")
    jobs = (job(1, 1, 4, 60, 58), job(2, 1, 4, 60, 5), job(3, 1, 4, 60, 5, qos="scarce"))
    first, second, third = starts(make_in(tmp_path, *jobs, script=script, conf=conf))
    assert (first, third) == (1, 1)
    assert second == -1, "three of four CPU minutes are used"


def test_what_a_qos_has_used_may_stay(tmp_path: Path) -> None:
    """With NoDecay the use of a QOS is not forgotten; that of associations is."""
    jobs = (
        job(1, 1, 4, 300, 240, qos="scarce"),
        job(2, 250, 4, 60, 5, qos="scarce"),
        job(3, 250, 4, 60, 5),
    )
    conf = FAST + "PriorityDecayHalfLife=10\n"
    limits = "MaxJobsPerUser=1", "Flags=NoDecay GrpTRESMins=cpu=15"
    made = make_in(tmp_path, *jobs, conf=conf, script=SCRIPT.replace(*limits))
    assert starts(made) == [1, -1, 250]


def test_older_names_and_limits_that_nobody_tests(tmp_path: Path) -> None:
    """GrpCPUMins is GrpTRESMins=cpu; slurmctld does not look at MaxTRESRunMinsPerUser."""
    script = SCRIPT.replace("MaxJobsPerUser=1", "MaxTRESRunMinsPerUser=cpu=1 GrpCPURunMins=5")
    script = script.replace(
        "physics Fairshare=10", "physics Fairshare=10 GrpCPUMins=9 MaxCPUMins=8"
    )
    jobs = (job(1, 1, 4, 120, 5), job(2, 1, 4, 180, 5), job(3, 1, 4, 120, 5, qos="scarce"))
    made = make_in(tmp_path, *jobs, script=script, conf=ENDLESS)
    physics = next(each for each in made.accounts.associations if each.account == "physics")
    assert physics.grp_tres_mins == {"cpu": 9}
    assert physics.max_tres_mins == {"cpu": 8}
    assert made.accounts.qos_by_name["scarce"].grp_tres_run_mins == {"cpu": 5}
    assert starts(made) == [1, -1, -1]
    assert not [each for each in not_replayed(made) if "limits" in each]
