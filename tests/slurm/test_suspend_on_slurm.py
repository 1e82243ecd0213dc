"""A job that is suspended and resumed, by a real Slurm and by the twin."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.services.slurm import Slurm
from tests.services.users import ANN
from tests.services.waiting import until
from tests.slurm.test_collect_script import collect
from tests.slurm.tiny_site import run

from schedlab.slurm import Command, SlurmHistory, read_site
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.replay import replay

pytestmark = pytest.mark.slow

ALL = ("-n", "32", "-t", "5", "--wrap")
NEAR_S = 3


def _seconds(count: int) -> str:
    """A script whose seconds do not pass while it is suspended."""
    return f"for i in $(seq {count}); do sleep 1; done"


def _is(slurm: Slurm, job: str, state: str) -> bool:
    known = slurm.run("sacct", "-P", "-n", "-X", "-j", job, "-o", "State").split()
    return known == [state]


def _told(slurm: Slurm, what: str, job: str) -> Command:
    """A command, when it has been obeyed."""
    slurm.run("scontrol", what, job)
    return Command(time.time(), f"scontrol {what} {job}", job)


def test_the_twin_suspends_a_job_as_slurm_does(slurm: Slurm, tmp_path: Path) -> None:
    """The second job gets the CPUs of the first, and keeps them when that goes on.

    Slurm counts the CPUs of the second only: the third starts when the second has ended.
    """
    first = slurm.submit(ANN, *ALL, _seconds(14))
    until(lambda: _is(slurm, first, "RUNNING"), "the first job runs")
    second = slurm.submit(ANN, *ALL, _seconds(5))
    suspension = _told(slurm, "suspend", first)
    until(lambda: _is(slurm, second, "RUNNING"), "the second job runs")
    third = slurm.submit(ANN, *ALL, _seconds(1))
    resumption = _told(slurm, "resume", first)
    until(lambda: _is(slurm, third, "COMPLETED"), "the third job has ended", 60)
    until(lambda: _is(slurm, first, "COMPLETED"), "the first job has ended", 60)

    collect(slurm, tmp_path / "dump")
    assert run("import", tmp_path / "dump", "--out", tmp_path / "site")[0] == 0
    site = read_site(tmp_path / "site")
    assert site.history is not None
    names = site.history.details["slurm_id"].to_list()
    places = [names.index(job) for job in (first, second, third)]
    real = site.history.details[places].to_dicts()
    assert real[0]["suspended_s"] == pytest.approx(resumption.at_s - suspension.at_s, abs=1.5)
    assert real[2]["start_s"] < real[0]["end_s"], "Slurm has forgotten the CPUs of the first job"

    epoch_s = site.history.epoch_s or 0
    history = SlurmHistory(
        site.history.workload.take(np.array(places)),
        site.history.details[places].drop("ran_before"),
        tuple(replace(each, at_s=each.at_s - epoch_s) for each in (suspension, resumption)),
        begin_s=min(each["submit_s"] for each in real),
    )
    begin_s = history.begin_s
    clocks = Clocks(begin_s, begin_s, begin_s, begin_s, begin_s)
    made = replay(replace(site, history=history), clocks)
    assert made.start_s.tolist() == pytest.approx([row["start_s"] for row in real], abs=NEAR_S)
    assert made.end_s.tolist() == pytest.approx([row["end_s"] for row in real], abs=NEAR_S)
