"""Search for better settings: measures, guards, diffs, and proposals that are tested."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.slurm.tiny_site import CONF, job, run

from schedlab.errors import ParameterError
from schedlab.slurm import SlurmSite
from schedlab.slurm.measures import Guard, Measure
from schedlab.slurm.periods import Periods, interval_of_change, interval_over
from schedlab.slurm.tuning import Proposal, TuneSettings, knobs_of, propose
from schedlab.slurm.tuning.conf_diff import conf_diff

JOBS = [
    job(number, 12.0 * number, (12, 1, 4, 2, 1)[number % 5], 300, 60 + 37 * (number % 4))
    for number in range(1, 49)
]
QUICK = TuneSettings(generations=3, phases=2, seed=1)


@pytest.fixture
def busy(make) -> SlurmSite:  # type: ignore[no-untyped-def]
    """Return a site where large jobs come first, and more is asked for than there is."""
    made: SlurmSite = make(*JOBS)
    return made


def found(site: SlurmSite, *guards: str, **more: object) -> Proposal:
    """Return what a short search for a smaller mean wait finds."""
    rules = [Guard.parse(each) for each in guards]
    names = ["PriorityWeightJobSize", "PriorityFavorSmall", "bf_interval"]
    return propose(site, knobs_of(site, names), Measure(), rules, QUICK, **more)  # type: ignore[arg-type]


def test_small_jobs_first_is_found_and_shown(busy: SlurmSite) -> None:
    """It cuts the mean wait by a fifth or more, also on jobs and phases not seen in the search."""
    proposal = found(busy)
    assert proposal.is_better, proposal.verdict
    assert proposal.changes["PriorityFavorSmall"] == "YES"
    assert proposal.after < 0.8 * proposal.before
    assert proposal.interval is not None
    assert proposal.interval[0] < proposal.difference < proposal.interval[1] < 0
    unsure = replace(proposal, interval=None)
    assert not unsure.is_better
    assert "too few jobs" in unsure.verdict
    assert "+PriorityFavorSmall=YES" in proposal.diff


def test_a_guard_that_nothing_keeps_leaves_no_proposal(busy: SlurmSite) -> None:
    """No settings can make waits that short."""
    proposal = found(busy, "max wait < 1 s")
    assert not proposal.is_better
    assert "no change" in proposal.verdict


def test_where_nobody_waits_no_change_is_better(make) -> None:  # type: ignore[no-untyped-def]
    """Ten small jobs on an empty machine start as soon as the scheduler looks."""
    idle = make(*(job(number, 100.0 * number, 1, 60, 5) for number in range(1, 11)))
    knobs = knobs_of(idle, ["PriorityWeightAge"])
    proposal = propose(idle, knobs, Measure(), (), QUICK)
    assert proposal.changes == {}
    assert proposal.verdict.startswith("no change is better")
    assert proposal.diff == ""


def test_an_interrupted_search_ends_with_the_same_proposal(busy: SlurmSite, tmp_path: Path) -> None:
    """Measured results are kept, and nothing is measured twice."""
    whole = found(busy, record=tmp_path / "whole.json")

    def stop(done: int, total: int, note: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        found(busy, record=tmp_path / "part.json", progress=stop)
    again = found(busy, record=tmp_path / "part.json")
    kept = ("changes", "before", "after", "difference", "interval", "rows", "diff")
    assert [getattr(again, each) for each in kept] == [getattr(whole, each) for each in kept]
    assert (tmp_path / "part.json").read_text() == (tmp_path / "whole.json").read_text()


def test_the_search_sees_the_first_half_only(make, busy: SlurmSite) -> None:  # type: ignore[no-untyped-def]
    """Other jobs in the second half change the test, not the search."""
    others = [*JOBS[:30], *(job(number, 12.0 * number, 2, 300, 250) for number in range(31, 49))]
    one, other = found(busy), found(make(*others))
    assert (one.changes, one.gain_learned) == (other.changes, other.gain_learned)
    assert one.after != other.after


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("wait", "is not a measure"),
        ("p94 wait", 'no statistic "p94"; known: mean'),
        ("mean weight", 'no quantity "weight"; known: wait, slowdown'),
        ("mean wait of queue=a", 'no group "queue"; known: partition'),
    ],
)
def test_what_is_no_measure_is_refused(text: str, says: str) -> None:
    """The error lists what is known."""
    with pytest.raises(ParameterError, match=says):
        Measure.parse(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mean wait", "is not a guard"),
        ("mean wait < soon", "is not a duration"),
        ("mean wait < -5", "is not a duration"),
        ("mean slowdown < x", "must be a number above 0"),
        ("mean wait < 0 %", "must be a number above 0"),
        ("mean wait < nan %", "must be a number above 0"),
    ],
)
def test_what_is_no_guard_is_refused(text: str, says: str) -> None:
    """The error gives an example, or the place of the fault."""
    with pytest.raises(ParameterError, match=says):
        Guard.parse(text)


def test_measures_and_guards_read_as_they_are_written() -> None:
    """Names of groups keep their case."""
    guard = Guard.parse("P95 wait of qos=Debug < 10 min")
    assert guard == Guard(Measure("p95", "wait", "qos", "Debug"), 600.0)
    assert str(guard) == "p95 wait of qos=Debug < 600 s"
    assert Guard.parse("max slowdown <= 110 %").bound(20.0) == pytest.approx(22.0)


def test_the_interval_over_periods_is_that_of_student_for_a_mean() -> None:
    """With one job in each period the jackknife of a mean is the usual interval."""
    values = np.array([3.0, 5.0, 4.0, 8.0, 5.0])
    periods = Periods("week", np.arange(5))
    mask = np.ones(5, bool)
    low, high = interval_over(periods, mask, lambda kept: float(values[kept].mean())) or (0, 0)
    half = 2.776445105 * values.std(ddof=1) / np.sqrt(5)
    assert (low, high) == pytest.approx((5.0 - half, 5.0 + half))
    assert interval_over(periods, mask & (periods.of_job < 2), lambda kept: 1.0) is None


def test_the_interval_of_a_change_never_goes_below_all_of_it() -> None:
    """It is computed from logarithms, since no wait can shrink to less than nothing."""
    old = np.array([100.0, 120.0, 90.0, 110.0])
    new = np.array([60.0, 2.0, 1.0, 1.0])
    periods, mask = Periods("day", np.arange(4)), np.ones(4, bool)
    plain = interval_over(periods, mask, lambda kept: new[kept].mean() / old[kept].mean() - 1)
    assert plain is not None
    assert plain[0] < -1
    found = interval_of_change(periods, mask, lambda kept: (old[kept].mean(), new[kept].mean()))
    assert found is not None
    assert -1 < found[0] < new.mean() / old.mean() - 1 < found[1]


def test_a_change_and_its_reverse_have_reverse_intervals() -> None:
    """The ends from new to old are the inverse of those from old to new, in reverse order."""
    old, new = np.array([10.0, 14.0, 9.0, 30.0]), np.array([8.0, 15.0, 5.0, 20.0])
    periods, mask = Periods("day", np.arange(4)), np.ones(4, bool)
    there = interval_of_change(periods, mask, lambda kept: (old[kept].mean(), new[kept].mean()))
    back = interval_of_change(periods, mask, lambda kept: (new[kept].mean(), old[kept].mean()))
    assert there is not None
    assert back is not None
    assert (1 + there[0]) * (1 + back[1]) == pytest.approx(1.0)
    assert (1 + there[1]) * (1 + back[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("side", [0, 1])
def test_a_change_from_or_to_no_wait_at_all_has_no_interval(side: int) -> None:
    """Only the jobs of one day waited: without that day there is no ratio."""
    values = [np.array([3.0, 4.0, 5.0]), np.array([3.0, 4.0, 5.0])]
    values[side] = np.array([9.0, 0.0, 0.0])
    periods, mask = Periods("day", np.arange(3)), np.ones(3, bool)

    def means(kept: np.ndarray) -> tuple[float, float]:
        return float(values[0][kept].mean()), float(values[1][kept].mean())

    assert interval_of_change(periods, mask, means) is None


CONFS = {
    "slurm.conf": "ClusterName=c\ninclude more.conf\nSchedulerParameters=bf_continue,\\\n"
    "  bf_interval=30 # often\nPriorityWeightAge=5 PriorityFavorSmall=NO\nNodeName=n1 CPUs=1\n",
    "more.conf": "priorityweightqos = 7\n",
}


def test_a_diff_changes_values_where_they_stand(tmp_path: Path) -> None:
    """Values in an included file change too; missing ones are added. The real patch applies it."""
    changes = {
        "SchedulerParameters.bf_resolution": "60",
        "PriorityWeightAge": "90",
        "PriorityWeightQOS": "8",
        "PriorityMaxAge": "1-00:00:00",
    }
    for name, text in CONFS.items():
        (tmp_path / name).write_text(text)
    diff = conf_diff(CONFS, changes)
    subprocess.run(["patch", "-p1"], input=diff, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "more.conf").read_text() == "priorityweightqos = 8\n"
    text = (tmp_path / "slurm.conf").read_text()
    assert "PriorityWeightAge=90 PriorityFavorSmall=NO" in text
    assert text.endswith("PriorityMaxAge=1-00:00:00\n")
    assert "bf_resolution=60" in text


def test_the_command_writes_the_evidence_and_goes_on(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The folder has a diff, a page and all figures; the same command again uses the record."""
    make(*JOBS)
    options = ["--out", tmp_path / "out", "--generations", 2, "--phases", 2, "--seed", 1]
    names = ["--parameter", "PriorityFavorSmall", "--parameter", "PriorityWeightJobSize=0:9000"]
    code, said = run("tune", tmp_path / "site", *options, *names)
    assert code == 0, said
    assert "proposed: mean wait -" in said
    figures = json.loads((tmp_path / "out" / "proposal.json").read_text())
    assert figures["settings"]["seed"] == 1
    assert (tmp_path / "out" / "slurm.conf.diff").read_text() == figures["diff"]
    assert "```diff" in (tmp_path / "out" / "proposal.md").read_text()
    assert run("tune", tmp_path / "site", *options, *names)[1] == said
    code, said = run("tune", tmp_path / "site", *options, "--parameter", "PriorityWeightAge")
    assert code == 2
    assert "was made with knobs" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--parameter", "PriorityWeightAges"], "near: PriorityWeightAge"),
        (["--parameter", "PriorityFlags"], "is not a number"),
        (["--parameter", "bf_interval=9"], "write SchedulerParameters.bf_interval=LOW:HIGH"),
        (["--parameter", "bf_interval=9:5"], "ends at 5, not above 9"),
        (["--parameter", "bf_window"], "has no usual range"),
        (["--metric", "mean wait of qos=none"], 'has no jobs of qos "none"; it has normal'),
        (["--guard", "nothing"], "is not a guard"),
    ],
)
def test_wrong_options_are_told_in_a_sentence(make, tmp_path: Path, arguments, says) -> None:  # type: ignore[no-untyped-def]
    """They are refused before anything is replayed or written."""
    make(*JOBS[:8])
    code, said = run("tune", tmp_path / "site", "--out", tmp_path / "out", *arguments)
    assert code == 2
    assert says in " ".join(said.split())


def test_passwords_do_not_reach_the_site_folder(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The folder keeps slurm.conf for diffs, and may be passed on."""
    conf = "AccountingStoragePass=secret1\nJobCompPass = secret2\n" + CONF
    site = make(*JOBS[:2], conf=conf)
    assert "secret" not in site.conf["slurm.conf"]
    assert "ClusterName=tiny" in site.conf["slurm.conf"]
    assert (tmp_path / "site" / "conf" / "slurm.conf").read_text() == site.conf["slurm.conf"]
