"""Which jobs wait for which, and for what event."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import WorkloadError
from schedlab.workload import Workload
from schedlab.workload.counts import parse_licences, parse_resources
from schedlab.workload.dependencies import (
    KINDS,
    Dependency,
    dependencies_text,
    dependency_table,
    parse_dependencies,
)


def waiting(*texts: str, **columns: Any) -> Workload:
    """Return jobs 10, 11, ... with these dependencies; an empty text is none."""
    names = [text for text in texts if text]
    count = len(texts)
    return Workload(
        {
            "job_id": range(10, 10 + count),
            **{name: [1] * count for name in ("submit_s", "nodes", "request_s", "run_s")},
            "dependencies": [names.index(text) if text else -1 for text in texts],
            **columns,
        },
        labels={"dependencies": names},
    )


def test_dependencies_are_written_as_in_slurm() -> None:
    """A text may have several jobs of one kind, several kinds, and minutes after a plus."""
    assert parse_dependencies("afterok:12:13,after:14+10,singleton") == (
        Dependency("afterok", 12),
        Dependency("afterok", 13),
        Dependency("after", 14, 600),
        Dependency("singleton"),
    )


@given(
    st.lists(
        st.builds(
            Dependency,
            st.sampled_from(KINDS[:-1]),
            st.integers(0, 10**9),
            st.integers(0, 99).map(lambda minutes: 60 * minutes),
        )
        | st.just(Dependency("singleton")),
        min_size=1,
    )
)
def test_what_is_written_is_read_back(dependencies: list[Dependency]) -> None:
    """This holds for all kinds and delays."""
    assert list(parse_dependencies(dependencies_text(dependencies))) == dependencies


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", 'unknown kind ""'),
        ("12", 'unknown kind "12"'),
        ("afterokay:12", 'did you mean "afterok"'),
        ("afterok", "afterok names no job"),
        ("afterok:x", "must look like afterok:12:13"),
        ("after:1+soon", "must look like"),
        ("singleton:12", "singleton names no job"),
        ("afterok:1?afterok:2", "any of. is not supported"),
    ],
)
def test_a_dependency_that_says_nothing(text: str, reason: str) -> None:
    """The error is one sentence with the value and what is allowed."""
    with pytest.raises(WorkloadError, match=reason):
        parse_dependencies(text)


def test_both_columns_make_one_table() -> None:
    """``depends_on`` waits for an end; a job that is not there delays no other."""
    workload = waiting(
        "", "afterok:10,afterany:99", "singleton", depends_on=[-1, -1, 11], think_time_s=[-1, -1, 5]
    )
    table = dependency_table(workload)
    found = zip(*(each.tolist() for each in vars(table).values()), strict=True)
    kinds = {kind: place for place, kind in enumerate(KINDS)}
    assert sorted(found) == [
        (1, 0, kinds["afterok"], 0),
        (2, -1, kinds["singleton"], 0),
        (2, 1, kinds["afterany"], 5),
    ]


@pytest.mark.parametrize("texts", [("after:10",), ("after:11", "afterok:12", "afterany:10")])
def test_jobs_that_wait_for_each_other_are_refused(texts: tuple[str, ...]) -> None:
    """They would wait for ever."""
    with pytest.raises(WorkloadError, match="job 10 can never start: its dependencies form a cyc"):
        dependency_table(waiting(*texts))


def test_a_job_is_named_whose_dependency_cannot_be_understood() -> None:
    """The error names the job with the wrong dependency."""
    with pytest.raises(WorkloadError, match='job 11: dependencies is "later:10"'):
        dependency_table(waiting("", "later:10"))


def test_resources_and_licences_are_names_with_numbers() -> None:
    """The texts have the form in which jobs write what they need of clusters."""
    assert parse_resources("fpga:1+nvme:2") == {"fpga": 1, "nvme": 2}
    with pytest.raises(WorkloadError, match='licences is "matlab"; must be licences with their'):
        parse_licences("matlab")
    with pytest.raises(WorkloadError, match='resource "fpga" comes twice'):
        parse_resources("fpga:1+fpga:2")
