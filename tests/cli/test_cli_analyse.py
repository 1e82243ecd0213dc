"""schedlab analyse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.services.processor_time import processor_time_below

Run = Callable[..., Any]


def test_the_page_fits_80_columns(run: Run, ten_jobs: str) -> None:
    """Two jobs of at least 90 s completed: 120 s of 100 s, and 100 s of 200 s."""
    result = run("analyse", ten_jobs)
    assert result.exit_code == 0
    page, _, notes = result.stdout.partition("reader: ")
    assert max(map(len, page.splitlines())) <= 80
    for text in (
        "2 of 8 (at least 90 s, status 1)",
        "0.850, run time / request",
        "WRSA after last",
    ):
        assert text in page
    assert "with a WRA above 1: 1" in page
    assert "never ran" in notes


def test_json_is_all_there_is(run: Run, ten_jobs: str) -> None:
    """Remarks go to stderr."""
    result = run("analyse", ten_jobs, "--min-run", "2m", "--beta", "0", "--json")
    found = json.loads(result.stdout)
    assert found["table_row"] == {"users": 1, "jobs": 1, "max_request_h": 0.03, "mean_wra": 1.2}
    assert found["rule"] == {"min_run_s": 120, "statuses": [1], "beta": 0}
    assert found["accuracy_of_users"]["wrsa"]["median"] == 1.2
    assert "reader: " in result.stderr


def test_statuses_can_be_chosen(run: Run, ten_jobs: str) -> None:
    """With all three statuses, every job that ran counts, however it ended."""
    options = ("--status", "0", "--status", "1", "--status", "5", "--min-run", "0", "--json")
    assert json.loads(run("analyse", ten_jobs, *options).stdout)["table_row"]["jobs"] == 8


def test_the_report_is_written(run: Run, ten_jobs: str, tmp_path: Path) -> None:
    """The command writes one HTML file and says so in a line."""
    path = tmp_path / "trace.html"
    result = run("analyse", ten_jobs, "--report", path)
    assert result.exit_code == 0
    assert f"written: {path}" in result.stdout
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_a_trace_does_not_tell_is_said(run: Run, head_blocked: str) -> None:
    """The page names what the trace lacks: status, waits and date.

    It has users and requests: 100 s of 100 s, 90 s of 90 s.
    """
    result = run("analyse", head_blocked)
    assert result.exit_code == 0
    assert "1.000, run time / request" in result.stdout
    for text in ("does not say how jobs ended", "no waits", "times of day are not known"):
        assert text in result.stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--min-run", "soon"], '"soon" is not a duration'),
        (["--min-run", "1w"], "none of 8 jobs ran at least 604800 s and has status 1"),
        (["--transform", "head=0"], 'transform "head=0" keeps none of 8 jobs'),
        (["--beta", "1"], "beta is 1; must be at least 0 and below 1"),
        (["--report", "no/such/folder.html"], "folder no/such does not exist"),
    ],
)
def test_mistakes_are_one_line(run: Run, ten_jobs: str, options: list[str], sentence: str) -> None:
    """The exit code is 2."""
    result = run("analyse", ten_jobs, *options)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_a_missing_trace_is_one_line(run: Run) -> None:
    """The exit code is 2."""
    result = run("analyse", "nowhere.swf")
    assert (result.exit_code, result.stderr) == (2, "schedlab: nowhere.swf: no such file\n")


@pytest.mark.slow
def test_a_large_trace_is_analysed_quickly(run: Run, shared_data: Path) -> None:
    """RICC has 447,794 jobs; 1.5 s when nothing else runs."""
    with processor_time_below(60):
        result = run("analyse", shared_data / "swf" / "RICC-2010-2.swf.gz")
    assert "337,272 of 447,794" in result.stdout
