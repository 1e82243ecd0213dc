"""EASY in Batsim: the model gives the published figures, and differs from EASY only in ties."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab import simulate
from schedlab.errors import WorkloadError
from schedlab.testing.batsim import batsim_easy
from schedlab.testing.instances import jobs, withdrawn
from schedlab.workload import Workload, read_workload

NAMED = "easy:reserve=nodes"
PUBLISHED = {10: 1.00, 40: 1.78, 70: 2.73, 100: 3.30, 130: 8.82, 160: 9.42, 190: 16.15}


@pytest.mark.parametrize("load", PUBLISHED)
def test_the_published_slowdowns_of_easy_are_reproduced(shared_data: Path, load: int) -> None:
    """Casagrande and Pillon ran easy_bf in Batsim on these workloads: equal in every digit."""
    schedule = batsim_easy(read_workload(shared_data / "grid" / f"load_{load}.json"), 10)
    slowdown = (schedule.wait_s + schedule.ran_s) / schedule.ran_s
    assert round(float(slowdown.mean()), 2) == PUBLISHED[load]


def test_a_job_that_would_end_as_the_head_starts_is_not_backfilled() -> None:
    """Batsim decides on it a few microseconds later in its second than on the job that runs."""
    three = jobs((0, 2, 4, 4), (1, 3, 2, 2), (2, 1, 2, 2))
    assert simulate(three, 3, NAMED).start_s.tolist() == [0, 4, 2]
    assert batsim_easy(three, 3).start_s.tolist() == [0, 4, 6]


@st.composite
def without_coincidences(draw: st.DrawFn) -> Workload:
    """Draw gaps and run times that are different powers of two: no two sums of them are equal."""
    count = draw(st.integers(1, 8))
    powers = draw(st.permutations([1 << power for power in range(2 * count)]))
    widths = draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    rows = zip(accumulate(powers[:count]), widths, powers[count:], powers[count:], strict=True)
    return jobs(*rows)


@given(without_coincidences())
def test_where_no_two_times_coincide_it_is_easy_on_named_nodes(workload: Workload) -> None:
    """Any difference to ``easy:reserve=nodes`` lies in what happens in the same second."""
    starts = batsim_easy(workload, 4).start_s
    np.testing.assert_array_equal(starts, simulate(workload, 4, NAMED).start_s)


def test_what_the_model_does_not_have_is_refused() -> None:
    """The model refuses such workloads rather than simulate them wrongly."""
    with pytest.raises(WorkloadError, match="neither dependencies nor withdrawals"):
        batsim_easy(withdrawn(), 9)
    with pytest.raises(WorkloadError, match="needs 3 nodes but the cluster has 2"):
        batsim_easy(jobs((0, 3, 1, 1)), 2)
