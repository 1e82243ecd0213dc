"""The drawn workloads are valid, and as nasty as they claim to be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import find, given, settings

from schedlab.testing.strategies import workloads
from schedlab.workload import Workload

NASTY: dict[str, Callable[[Workload], bool]] = {
    "equal submissions": lambda w: len(w) > 2 and w.span_s() == 0,
    "no length": lambda w: bool(np.any(w["run_s"] == 0)),
    "killed": lambda w: bool(np.any(w["run_s"] > w["request_s"])),
    "ends early": lambda w: bool(np.any(w["run_s"] < w["request_s"])),
    "whole machine": lambda w: bool(np.any(w["nodes"] == 8)),
    "chain": lambda w: bool(np.any(w.dependency_index()[w.dependency_index()] >= 0)),
    "depends on later": lambda w: bool(np.any(w.dependency_index() > np.arange(len(w)))),
    "think time": lambda w: bool(np.any((w["think_time_s"] > 0) & (w["depends_on"] >= 0))),
    "withdrawn": lambda w: bool(np.any(w["cancel_after_s"] >= 0)),
    "several users": lambda w: len(set(w["user"].tolist())) > 2,
}


@pytest.mark.parametrize("what", NASTY)
def test_every_kind_of_trouble_is_drawn(what: str) -> None:
    """A trouble that is never drawn is never tested."""
    assert len(find(workloads(8, max_jobs=10), NASTY[what])) <= 10


@settings(max_examples=50, deadline=None)
@given(workloads(max_nodes=3, max_jobs=6))
def test_workloads_fit_the_machine(workload: Workload) -> None:
    """The bounds asked for are kept."""
    assert 1 <= len(workload) <= 6
    assert workload["nodes"].max() <= 3
