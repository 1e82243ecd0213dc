"""What real clusters did, compared with EASY, if the traces are at hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from schedlab.audit import Observed, audit, read_observed
from schedlab.sim import simulate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sdsc_sp2(shared_data: Path) -> Observed:
    """Two years of SDSC's IBM SP2 with 128 nodes."""
    path = shared_data / "swf" / "SDSC-SP2-1998-4.2-cln.swf.gz"
    if not path.exists():
        pytest.skip("SDSC SP2 is not at hand")
    (found,) = read_observed(path)
    return found


def test_sdsc_sp2_as_it_was(sdsc_sp2: Observed) -> None:
    """Its log over-books nodes, and its scheduler took 5 s to start the very first job."""
    verdict = audit(sdsc_sp2.schedule, "easy")
    (violation,) = verdict.violations
    assert (violation.rule, violation.time_s) == ("nodes", 914_773)
    assert violation.sentence.startswith("135 nodes are in use at 914773 and the machine has 128")
    assert verdict.departure is not None
    assert verdict.departure.sentence == (
        "job 11 could have started at 566129 (128 nodes free, needs 1; no job ahead of it had to "
        "wait) but started at 566134"
    )


def test_sdsc_sp2_with_a_tolerance(sdsc_sp2: Observed) -> None:
    """Even so it was not EASY: the second job waited 532 s beside 127 free nodes."""
    verdict = audit(sdsc_sp2.schedule, "easy", tolerance=60)
    assert verdict.departure is not None
    assert (verdict.departure.job_id, verdict.departure.observed_s) == (12, 566_822)


@pytest.mark.parametrize("policy", ["easy", "easy:backfill=sjf", "conservative", "wfp3+easy"])
def test_simulated_on_the_jobs_of_sdsc_sp2(sdsc_sp2: Observed, policy: str) -> None:
    """The same jobs under a policy pass its audit, withdrawals and overruns included."""
    workload = sdsc_sp2.schedule.workload
    schedule = simulate(workload, 128, policy, kill_at_request=False)
    verdict = audit(schedule, policy)
    assert verdict.feasible
    assert verdict.faithful


def test_one_changed_start_among_thousands_is_found(sdsc_sp2: Observed) -> None:
    """One job starts one second late in the middle of two years."""
    schedule = simulate(sdsc_sp2.schedule.workload, 128, "easy", kill_at_request=False)
    job = int(np.flatnonzero(schedule.started & (schedule.wait_s > 0))[10_000])
    start_s = schedule.start_s.copy()
    start_s[job] += 1
    late = replace(schedule, start_s=start_s, node_ranges=None)
    departure = audit(late, "easy").departure
    assert departure is not None
    assert departure.job_id == schedule.workload["job_id"][job]
    assert departure.reason in ("next in queue", "missed backfill")
