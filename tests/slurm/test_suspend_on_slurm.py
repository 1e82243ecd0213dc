"""Jobs that are suspended and resumed, by a real Slurm and by the twin."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.services.slurm import BY_ARRIVAL, Slurm, slurm_cluster
from tests.services.users import ANN
from tests.services.waiting import until
from tests.slurm.test_collect_script import collect
from tests.slurm.tiny_site import run

from schedlab.slurm import Command, SlurmHistory, SlurmSite, read_site
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.replay import history_of, replay

pytestmark = pytest.mark.slow

ALL = ("-n", "32", "-t", "5", "--wrap")
NEAR_S = 8
"""Less than a wrong rule would change, and more than the delay on a busy machine."""


def _seconds(count: int) -> str:
    """Return a script of this many seconds, which do not pass while it is suspended."""
    return f"for i in $(seq {count}); do sleep 1; done"


def _until_there_is(file: Path) -> str:
    return f"while [ ! -e {file} ]; do sleep 1; done"


def _go_on(file: Path, count: int) -> str:
    """Return a script that runs for this many seconds after the file is there."""
    return f"{_until_there_is(file)}; {_seconds(count)}"


def _is(slurm: Slurm, job: str, state: str) -> bool:
    known = slurm.run("sacct", "-P", "-n", "-X", "-j", job, "-o", "State").split()
    return known == [state]


def _told(slurm: Slurm, what: str, job: str) -> Command:
    """Carry out a command on a job; return it with the time at which it was done."""
    slurm.run("scontrol", what, job)
    return Command(time.time(), f"scontrol {what} {job}", job)


def test_the_twin_suspends_a_job_as_slurm_does(slurm: Slurm, tmp_path: Path) -> None:
    """The second job gets the CPUs of the first, and keeps them when the first goes on.

    Slurm counts the CPUs of the second only: the third starts when the second has ended.
    """
    end, end_second = slurm.folder / "end", slurm.folder / "end_second"
    first = slurm.submit(ANN, *ALL, _until_there_is(end))
    until(lambda: _is(slurm, first, "RUNNING"), "the first job runs")
    second = slurm.submit(ANN, *ALL, _until_there_is(end_second))
    before_suspension_s = time.time()
    suspension = _told(slurm, "suspend", first)
    until(lambda: _is(slurm, second, "RUNNING"), "the second job runs")
    third = slurm.submit(ANN, *ALL, _seconds(10))
    before_resumption_s = time.time()
    resumption = _told(slurm, "resume", first)
    end_second.touch()
    until(lambda: _is(slurm, third, "COMPLETED"), "the third job has ended beside the first")
    end.touch()
    until(lambda: _is(slurm, first, "COMPLETED"), "the first job has ended")

    site = _site(slurm, tmp_path)
    real = _real(site, first, second, third)
    least_s = before_resumption_s - suspension.at_s - 1  # sacct counts whole seconds
    assert least_s <= real[0]["suspended_s"] <= resumption.at_s - before_suspension_s + 1
    _check(site, (first, second, third), suspension, resumption)


GANG = f"""{BY_ARRIVAL}
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG"""
FAST = "PartitionName=fast Nodes=ALL PriorityTier=5 MaxTime=UNLIMITED State=UP\n"


def test_the_twin_suspends_jobs_of_lower_tiers(mariadb: Callable[[], str], tmp_path: Path) -> None:
    """The urgent job runs at once on a part of the nodes; the other goes on when it has ended.

    The first job has much left to do then: it must not end before the urgent one comes, not even
    in a twin in which the urgent one comes some seconds later.
    """
    with slurm_cluster(mariadb(), GANG) as slurm:
        with (slurm.folder / "slurm.conf").open("a") as conf:
            conf.write(FAST)
        slurm.run("scontrol", "reconfigure")
        end = slurm.folder / "end"
        first = slurm.submit(ANN, *ALL, _go_on(end, 2 * NEAR_S))
        until(lambda: _is(slurm, first, "RUNNING"), "the first job runs")
        small = slurm.submit(ANN, "-n", "4", "-t", "5", "--wrap", _seconds(2))
        urgent = slurm.submit(ANN, "-p", "fast", "-n", "12", "-t", "5", "--wrap", _seconds(10))
        until(lambda: _is(slurm, urgent, "COMPLETED"), "the urgent job has ended")
        end.touch()
        until(lambda: _is(slurm, small, "COMPLETED"), "the small job has ended")
        site = _site(slurm, tmp_path)
    real = _real(site, first, small, urgent)
    urgent_s = real[2]["end_s"] - real[2]["start_s"]
    assert real[0]["suspended_s"] == pytest.approx(urgent_s, abs=2)
    assert real[1]["start_s"] >= real[0]["end_s"]
    _check(site, (first, small, urgent))


def _site(slurm: Slurm, folder: Path) -> SlurmSite:
    collect(slurm, folder / "dump")
    assert run("import", folder / "dump", "--out", folder / "site")[0] == 0
    return read_site(folder / "site")


def _real(site: SlurmSite, *jobs: str) -> list[dict[str, Any]]:
    """Return the details of the jobs from the accounting."""
    details = history_of(site).details
    names = details["slurm_id"].to_list()
    return details[[names.index(job) for job in jobs]].to_dicts()


def _check(site: SlurmSite, jobs: tuple[str, ...], *commands: Command) -> None:
    """Let the twin replay these jobs, and compare."""
    whole, real = history_of(site), _real(site, *jobs)
    names = whole.details["slurm_id"].to_list()
    places = [names.index(job) for job in jobs]
    epoch_s = whole.epoch_s or 0
    history = SlurmHistory(
        whole.workload.take(np.array(places)),
        whole.details[places].drop("ran_before"),
        tuple(replace(each, at_s=each.at_s - epoch_s) for each in commands),
        begin_s=min(each["submit_s"] for each in real),
    )
    begin_s = history.begin_s
    clocks = Clocks(begin_s, begin_s, begin_s, begin_s, begin_s)
    made = replay(replace(site, history=history), clocks)
    assert made.start_s.tolist() == pytest.approx([row["start_s"] for row in real], abs=NEAR_S)
    assert made.end_s.tolist() == pytest.approx([row["end_s"] for row in real], abs=NEAR_S)
