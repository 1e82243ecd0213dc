"""The twin in the core does what the plain twin does, to the last run of every job."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.slurm.twin_sites import clocks, twin_sites

from schedlab._core import NativeController
from schedlab.slurm import SlurmSite
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.native import SiteTables, native_controller
from schedlab.slurm.plain.controller import Controller
from schedlab.slurm.plain.jobs import JobRun
from schedlab.slurm.replay import history_of
from schedlab.testing.strategies import drawn_apart, examples

MOMENTS_S = (15.0, 100.0, 330.0, 500.0)


def check_agreement(site: SlurmSite, phases: Clocks) -> None:
    """Compare why jobs wait at some moments; then let both run to their end, and compare."""
    tables = SiteTables(site)
    native, plain = native_controller(tables.made(), phases), Controller(site, phases)
    for moment_s in MOMENTS_S:
        native.run_until(moment_s)
        plain.run(moment_s)
        reasons = tables.reasons()
        waiting = sorted((job.position, job.reason) for job in plain.pending)
        assert [(job, reasons[reason]) for job, reason in native.wait_reasons()] == waiting
    while native.run(1000):
        pass
    plain.run()
    check_runs(native, plain)


def check_runs(native: NativeController, plain: Controller) -> None:
    """Compare all runs of all jobs, times to the last bit."""
    found = [
        [
            JobRun(each.start, each.end, tuple(each.nodes), each.by.name, each.how.name)
            for each in runs
        ]
        for runs in native.runs()
    ]
    assert found == [
        [
            JobRun(each.start_s, each.end_s, each.nodes, each.by, each.how.replace(" ", "_"))
            for each in job.runs
        ]
        for job in plain.jobs
    ]


@examples(150)
@given(site=twin_sites(), phases=clocks())
def test_the_core_agrees_with_the_plain_twin(site: SlurmSite, phases: Clocks) -> None:
    """Both agree on every drawn site.

    The sites have priorities, fair share, limits, preemption, arrays, dependencies, reservations
    and orders.
    """
    check_agreement(site, phases)


@examples(100)
@given(site=twin_sites(), phases=clocks(), seed=st.integers(0, 999))
def test_a_core_that_is_told_nice_values_agrees(site: SlurmSite, phases: Clocks, seed: int) -> None:
    """Both stop again and again, show the same queue, and get the same new nice values."""
    drawn = random.Random(seed)
    native, plain = native_controller(SiteTables(site).made(), phases), Controller(site, phases)
    time_s = history_of(site).begin_s
    for _ in range(30):
        time_s += drawn.choice([1, 7, 60, 1800])
        native.run_until(time_s)
        plain.run(time_s)
        seen = native.movable()
        assert seen == [(job.position, job.priority, job.nice) for job in plain.movable()]
        for at, _, nice in drawn.sample(seen, len(seen) // 2):
            other = nice + drawn.randrange(-500, 500)
            native.set_nice(at, other)
            plain.set_nice(plain.jobs[at], other)
    native.run_until(math.inf)
    plain.run()
    check_runs(native, plain)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_the_core_agrees_with_the_plain_twin_at_length(part: int) -> None:
    """The sites have more jobs, and more of them wait."""

    @drawn_apart(part)
    @examples(200)
    @given(site=twin_sites(max_jobs=40), phases=clocks())
    def agrees(site: SlurmSite, phases: Clocks) -> None:
        check_agreement(site, phases)

    agrees()
