"""A policy is judged by what steering with it does to a history."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slurm import tiny_site

from schedlab.live.guards import Guards
from schedlab.operate.judge import Judge
from schedlab.slurm.measures import Guard, Measure
from schedlab.slurm.site import SlurmSite


@pytest.fixture
def site(tmp_path: Path) -> SlurmSite:
    """Again and again one job fills the machine; then a large one and small ones wait."""
    jobs = []
    for turn in range(8):
        first, at_s = 10 * turn + 1, 1500 * turn
        jobs.append(tiny_site.job(first, at_s, 16, 600, 300))
        jobs.append(tiny_site.job(first + 1, at_s + 1, 16, 600, 500))
        jobs += [tiny_site.job(first + at, at_s + at, 4, 60, 50) for at in range(2, 8)]
    return tiny_site.make_in(tmp_path, *jobs)


def judge_of(site: SlurmSite, *keep: str) -> Judge:
    """Return a judge that draws two phases."""
    guards = [Guard.parse(each) for each in keep]
    return Judge(site, Measure.parse("mean wait"), guards, Guards(clamp=100_000), 30, 2, 0)


def test_a_policy_that_helps_is_found_better(site: SlurmSite) -> None:
    """The policy helps in every part of the history, so the gain is not chance."""
    judge = judge_of(site)
    assert judge.cost("saf") < 0.8
    verdict = judge.verdict("saf")
    assert verdict.difference < -0.2
    assert verdict.interval is not None
    assert verdict.interval[1] < 0
    assert verdict.why_not(0.03) == ""
    assert "and 90.0% are wanted" in verdict.why_not(0.9)
    assert verdict.as_json()["jobs"] == 64


def test_a_policy_that_changes_nothing_gains_nothing(site: SlurmSite) -> None:
    """The largest jobs come first without this policy, too."""
    verdict = judge_of(site).verdict("laf")
    assert verdict.difference == 0
    assert "it gains" in verdict.why_not(0.03)


def test_a_policy_that_breaks_a_bound_is_refused(site: SlurmSite) -> None:
    """It is refused however much it gains; a search sees the break as a cost."""
    judge = judge_of(site, "max wait < 5 min")
    assert judge.cost("saf") > judge_of(site).cost("saf")
    verdict = judge.verdict("saf")
    assert "breaks the guard max wait" in verdict.why_not(0.03)
    assert verdict.as_json()["guards"] == {"max wait < 300 s": False}
