"""The twin in the core does what the plain twin does, to the last run of every job."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.slurm.twin_sites import clocks, twin_sites

from schedlab.slurm import SlurmSite
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.native import SiteTables, native_controller
from schedlab.slurm.plain.controller import Controller
from schedlab.slurm.plain.jobs import JobRun
from schedlab.testing.strategies import drawn_apart, examples


def check_agreement(site: SlurmSite, phases: Clocks) -> None:
    """Compare all runs of all jobs, times to the last bit."""
    native = native_controller(SiteTables(site).made(), phases)
    while native.run(1000):
        pass
    plain = Controller(site, phases)
    plain.run()
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
    """Priorities, fair share, limits, preemption, arrays, dependencies, reservations, orders."""
    check_agreement(site, phases)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_the_core_agrees_with_the_plain_twin_at_length(part: int) -> None:
    """More jobs, and more of them wait."""

    @drawn_apart(part)
    @examples(200)
    @given(site=twin_sites(max_jobs=40), phases=clocks())
    def agrees(site: SlurmSite, phases: Clocks) -> None:
        check_agreement(site, phases)

    agrees()
