"""schedlab workload info."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.services.processor_time import processor_time_below

from schedlab import Workload
from schedlab.cli.workload.facts import facts

Run = Callable[..., Any]

COLUMNS = {"job_id": [1, 2], "submit_s": [0, 100], "nodes": [1, 3], "request_s": [40, 80]}


def two_jobs(header: dict[str, list[str]] | None = None, **columns: list[int]) -> Workload:
    """Return two jobs with 20 + 180 node-seconds of work, submitted within 100 s."""
    return Workload({**COLUMNS, "run_s": [20, 60], **columns}, header=header)


def test_facts_are_plain_numbers() -> None:
    """Offered load 200 / (4 x 100); accuracies 20/40 and 60/80."""
    found = facts(two_jobs({"MaxNodes": ["4"]}, user=[7, 7], status=[1, 5]))
    assert (found["jobs"], found["users"], found["nodes"]) == (2, 1, 4)
    assert found["offered_load"] == 0.5
    assert found["mean_accuracy"] == 0.625
    assert found["quantiles"]["run_s"]["median"] == 40
    assert found["quantiles"]["gap_s"]["max"] == 100
    assert found["status"] == {"completed": 1, "cancelled": 1}


def test_what_is_not_known_is_none() -> None:
    """A workload without header, users, status and waits is still described."""
    found = facts(two_jobs())
    for key in ("users", "nodes", "offered_load", "status", "first_submit", "last_submit"):
        assert found[key] is None
    assert found["quantiles"]["wait_s"] is None
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("zone", "first"),
    [
        ({"TimeZoneString": ["Asia/Tokyo"]}, "2010-05-01T00:04:55+09:00"),
        ({"TimeZone": ["3600"]}, "2010-04-30T16:04:55+01:00"),
        ({"TimeZoneString": ["Nowhere/At_All"]}, "2010-04-30T15:04:55+00:00"),
        ({}, "2010-04-30T15:04:55+00:00"),
    ],
)
def test_submissions_have_dates(zone: dict[str, list[str]], first: str) -> None:
    """Dates are in the cluster's time zone if the header names it, else in UTC."""
    assert facts(two_jobs({"UnixStartTime": ["1272639895"], **zone}))["first_submit"] == first


@pytest.mark.parametrize("begin", ["0", "-1", "99999999999999999"])
def test_an_impossible_beginning_gives_no_dates(begin: str) -> None:
    """Generators write 0, and some headers are damaged."""
    assert facts(two_jobs({"UnixStartTime": [begin]}))["first_submit"] is None


def test_the_page_fits_80_columns(run: Run, ten_jobs: str) -> None:
    """The reader's repairs, dropped jobs and remarks stand below the page."""
    result = run("workload", "info", ten_jobs)
    assert result.exit_code == 0
    page, _, notes = result.stdout.partition("reader: ")
    assert max(map(len, page.splitlines())) <= 80
    for text in (
        "8 of 10 records",
        "338 nodes",
        "mean accuracy",
        "completed 87.5 %",
        "arrival gap",
    ):
        assert text in page
    assert "never ran" in notes


def test_json_is_all_there_is(run: Run, ten_jobs: str) -> None:
    """The reader's report is part of it."""
    result = run("workload", "info", ten_jobs, "--transform", "head=3", "--json")
    found = json.loads(result.stdout)
    assert (found["jobs"], found["report"]["records"]) == (3, 10)
    assert result.stderr == ""


@pytest.mark.slow
def test_a_large_trace_is_described_quickly(run: Run, shared_data: Path) -> None:
    """RICC has 447,794 jobs; 1.1 s when nothing else runs."""
    with processor_time_below(60):
        result = run("workload", "info", shared_data / "swf" / "RICC-2010-2.swf.gz")
    assert "2010-05-01 00:04 to 2010-09-30 23:15 local time" in result.stdout
