"""The keys of the queue's orders against figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from schedlab.testing import ORDERS
from schedlab.testing.reference.job import Job

WIDE = Job(0, submit_s=100, nodes=4, request_s=100, run_s=7, cancel_after_s=-1,
           estimate_s=100, eligible_s=150, arrival=3)  # fmt: skip
NARROW = Job(1, submit_s=0, nodes=1, request_s=100, run_s=7, cancel_after_s=-1,
             estimate_s=100, eligible_s=0, arrival=4)  # fmt: skip
NOW = 200


@pytest.mark.parametrize(
    ("order", "wide", "narrow"),
    [
        ("fcfs", 0, 0),
        ("lcfs", -3, -4),
        ("sjf", 100, 100),
        ("ljf", -100, -100),
        ("saf", 400, 100),
        ("laf", -400, -100),
        ("snf", 4, 1),
        ("lnf", -4, -1),
        ("wfp3", -0.5, -8),
        ("unicef", -0.25, -math.inf),
        ("f1", 2 * 4 + 870 * 2, 2),
        ("f2", 10 * 4 + 25600 * 2, 10),
        ("f3", 400 + 6860000 * 2, 100),
        ("f4", 100 * 2 + 530000 * 2, 100),
    ],
)
def test_key(order: str, wide: float, narrow: float) -> None:
    """Waiting counts from eligibility; a submission at 0 counts as 1; run times are unknown."""
    assert ORDERS[order](WIDE, NOW) == pytest.approx(wide)
    assert ORDERS[order](NARROW, NOW) == pytest.approx(narrow)
