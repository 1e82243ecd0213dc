"""Bootstrapping one workload, and making one of several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from schedlab.errors import ParameterError, WorkloadError
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload, merge
from schedlab.workload.transforms import resample

WEEK_S = 7 * 86400


def jobs_at(*submit_s: int, first_id: int = 1, **columns: Any) -> Workload:
    """Return one-node jobs submitted at these times; each takes as long as its number says."""
    count = len(submit_s)
    numbers = np.arange(first_id, first_id + count)
    table: dict[str, Any] = {
        "job_id": numbers,
        "submit_s": submit_s,
        "nodes": np.ones(count),
        "request_s": numbers,
        "run_s": numbers,
    }
    return Workload({**table, **columns})


def test_resampled_jobs_bring_their_gaps() -> None:
    """Job 2 came 10 s after its predecessor and job 3 came 30 s after; so do their copies."""
    drawn = resample(jobs_at(100, 110, 140), 500, seed=1)
    gap_of_run = {1: 0, 2: 10, 3: 30}
    gaps = np.diff(drawn["submit_s"])
    assert gaps.tolist() == [gap_of_run[run] for run in drawn["run_s"][1:].tolist()]
    assert set(drawn["run_s"]) == {1, 2, 3}


def test_resampled_jobs_are_numbered_anew_and_depend_on_nothing() -> None:
    """A job drawn twice would give two of one number, and its predecessor may be missing."""
    drawn = resample(jobs_at(0, 1, 2, depends_on=[-1, 1, 2], think_time_s=[-1, 5, 5]), 10)
    assert drawn["job_id"].tolist() == list(range(1, 11))
    assert "depends_on" not in drawn
    assert "think_time_s" not in drawn


def test_resampled_weeks_keep_the_hour_of_the_week() -> None:
    """Week 1 has a job at 5 s and week 2 at 9 s; every copy is at 5 s or 9 s of some week."""
    three_weeks = jobs_at(0, 5, WEEK_S + 9, 2 * WEEK_S)
    drawn = resample(three_weeks, 200, "weeks", seed=3)
    assert len(drawn) == 200
    since_s, run_s = drawn["submit_s"] % WEEK_S, drawn["run_s"]
    assert {(int(s), int(r)) for s, r in zip(since_s, run_s, strict=True)} == {
        (0, 1),
        (5, 2),
        (9, 3),
    }


def test_resampling_weeks_needs_a_week() -> None:
    """A trace of two days has no whole week to draw."""
    with pytest.raises(WorkloadError, match="less than a week"):
        resample(jobs_at(0, 86400), 10, "weeks")
    with pytest.raises(ParameterError, match="use jobs or weeks"):
        resample(jobs_at(0, 86400), 10, "months")


def test_the_same_seed_draws_the_same_jobs() -> None:
    """Another seed draws other jobs."""
    source = jobs_at(*range(0, 1000, 7))
    assert resample(source, 50, seed=1) == resample(source, 50, seed=1)
    assert resample(source, 50, seed=1) != resample(source, 50, seed=2)


def test_merge_renumbers_only_what_collides() -> None:
    """Job 3 is free and keeps its number; jobs 1 and 2 of the second workload become 4 and 5."""
    merged = merge(jobs_at(0, 20), jobs_at(10, 30, 40))
    assert merged["submit_s"].tolist() == [0, 10, 20, 30, 40]
    assert merged["job_id"].tolist() == [1, 4, 2, 5, 3]


def test_merge_keeps_dependencies_within_their_workload() -> None:
    """Dependencies follow new numbers; one on an unknown job must not find another's job."""
    first = jobs_at(0, 20)
    second = jobs_at(10, 30, depends_on=[-1, 1])
    dangling = jobs_at(50, first_id=9, depends_on=[2])
    merged = merge(first, second, dangling)
    assert merged["submit_s"].tolist() == [0, 10, 20, 30, 50]
    assert merged.dependency_index().tolist() == [-1, -1, -1, 1, -1]


def test_merge_unites_labels() -> None:
    """Bob has code 1 here and code 0 there, and is one person."""
    left = Workload({**columns_of(jobs_at(0, 10)), "user": [0, 1]}, labels={"user": ["ada", "bob"]})
    right = Workload({**columns_of(jobs_at(5, 15)), "user": [0, -1]}, labels={"user": ["bob"]})
    merged = merge(left, right)
    assert merged.labelled("user").tolist() == ["ada", "bob", "bob", ""]


def test_merge_gives_bare_numbers_a_label_where_others_have_one() -> None:
    """User 1 of an unlabelled workload is not code 1 of the other workload."""
    left = Workload({**columns_of(jobs_at(0)), "user": [0]}, labels={"user": ["ada"]})
    right = Workload({**columns_of(jobs_at(5)), "user": [1]})
    assert merge(left, right).labelled("user").tolist() == ["ada", "1"]


def test_merge_fills_columns_only_one_side_has() -> None:
    """A value that a source did not give is missing, not invented."""
    merged = merge(jobs_at(0, user=[3]), jobs_at(5))
    assert merged["user"].tolist() == [3, -1]


def test_merge_renumbers_conditions_and_arrays() -> None:
    """Job 1 of the second workload is another job, and its array is another array."""
    labels = {"dependencies": ["afterok:1,afterany:77", "singleton"]}
    ties = {"dependencies": [1, 0], "array": [1, 1]}
    part = Workload({**columns_of(jobs_at(0, 10)), **ties, "job_id": [1, 2]}, labels=labels)
    merged = merge(part, part)
    order = np.argsort(merged["job_id"])
    assert merged["job_id"][order].tolist() == [1, 2, 3, 4]
    told = merged.labelled("dependencies")[order].tolist()
    assert told == ["singleton", "afterok:1", "singleton", "afterok:3"]
    assert merged["array"][order].tolist() == [1, 1, 3, 3]


def test_merge_of_nothing_is_a_mistake() -> None:
    """Without workloads there is nothing to merge."""
    with pytest.raises(ParameterError, match="nothing to merge"):
        merge()


@given(workloads(), workloads())
def test_merge_keeps_every_job_and_every_tie(left: Workload, right: Workload) -> None:
    """The merged workload has both sets of jobs, and as many dependencies as both had."""
    merged = merge(left, right)
    assert len(merged) == len(left) + len(right)
    assert sorted(merged["run_s"]) == sorted([*left["run_s"], *right["run_s"]])
    ties = (merged.dependency_index() >= 0).sum()
    assert ties == (left.dependency_index() >= 0).sum() + (right.dependency_index() >= 0).sum()


def columns_of(workload: Workload) -> dict[str, Any]:
    """Return the columns as a dictionary, to build another workload from."""
    return {name: workload[name] for name in workload.columns}
