"""schedlab simulate: policies beside the best, by group, and drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedlab.cli.comparison import PolicyComparison

Run = Callable[..., Any]

POLICIES = ("--nodes", "4", "--policy", "fcfs", "--policy", "easy")


def test_each_policy_stands_beside_the_best(run: Run, head_blocked: str) -> None:
    """The makespan is 240 s under fcfs and 150 s under easy."""
    options = ("--metric", "makespan", "--metric", "utilisation", "--json")
    fcfs, easy = json.loads(run("simulate", head_blocked, *POLICIES, *options).stdout)
    assert fcfs["metrics"]["makespan"] == fcfs["makespan_s"] == 240
    assert fcfs["relative"] == {"makespan": 1.6, "utilisation": pytest.approx(150 / 240)}
    assert easy["relative"] == {"makespan": 1, "utilisation": 1}


def test_the_table_names_the_best_without_colours(run: Run, head_blocked: str) -> None:
    """A table in a file, without colours, must still say which value is best."""
    result = run("simulate", head_blocked, *POLICIES, "--metric", "makespan")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["fcfs", "easy"] in lines
    assert ["makespan", "4.00", "min", "×1.60", "2.50", "min", "best"] in lines


def test_many_policies_turn_the_table(run: Run, head_blocked: str) -> None:
    """80 columns hold few policies side by side; with more, each policy has its own rows."""
    names = ("fcfs", "sjf", "saf", "lnf", "wfp3", "unicef", "f1")
    more = [word for name in names for word in ("--policy", f"{name}+conservative")]
    result = run("simulate", head_blocked, "--nodes", "4", *more)
    table = result.stdout.partition("simulated")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert all(f"{name}+" in table for name in names[1:])
    assert "…" not in table


def test_a_value_beside_a_best_of_0_has_no_ratio() -> None:
    """A wait of 5 s is no multiple of a wait of 0 s."""
    comparison = PolicyComparison(["a", "b"], {"wait": [0.0, 5.0]})
    assert comparison.relative("wait")[0] == 1
    assert comparison.rows()[1] == {"metrics": {"wait": 5.0}, "relative": {"wait": None}}


def test_correlations_have_no_ratio() -> None:
    """Twice a correlation of -0.2 is not twice as good."""
    comparison = PolicyComparison(["a", "b"], {"incentive_wait": [-0.4, -0.2]})
    assert comparison.rows()[0]["relative"] == {"incentive_wait": 1}
    assert comparison.rows()[1]["relative"] == {"incentive_wait": None}


def test_unknown_values_are_null() -> None:
    """JSON has no NaN."""
    nothing = PolicyComparison(["a"], {"wait": [float("nan")]})
    assert nothing.rows() == [{"metrics": {"wait": None}, "relative": {"wait": None}}]


@pytest.mark.parametrize("picture", ["comparison", "gantt", "over-time", "cdf", "incentive"])
def test_every_picture_is_drawn(run: Run, head_blocked: str, tmp_path: Path, picture: str) -> None:
    """The names of the option are those of the table of pictures."""
    pytest.importorskip("matplotlib")
    from schedlab.viz import PICTURES

    assert picture in PICTURES
    figure = tmp_path / "figure.svg"
    result = run("simulate", head_blocked, *POLICIES, "--figure", figure, "--figure-kind", picture)
    assert result.exit_code == 0
    assert "<svg" in figure.read_text()


def test_the_report_is_written(run: Run, head_blocked: str, tmp_path: Path) -> None:
    """One file, with nothing to load from elsewhere."""
    pytest.importorskip("bokeh")
    report = tmp_path / "report.html"
    result = run("simulate", head_blocked, *POLICIES, "--report", report)
    assert f"written: {report}" in result.stdout
    assert "head_blocked" in report.read_text(encoding="utf-8")


def test_a_missing_package_is_named_before_the_run(
    run: Run, head_blocked: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The message also names the extra that installs it."""
    monkeypatch.setitem(__import__("sys").modules, "bokeh", None)
    result = run("simulate", "absent.swf", *POLICIES, "--report", tmp_path / "report.html")
    assert result.exit_code == 2
    assert 'pip install ".[viz]"' in result.stderr


RECORDED = """; UnixStartTime: 1272639895
; TimeZoneString: Asia/Tokyo
; MaxNodes: 4
1 0   0 100 2 -1 -1 2 100 -1 1 1 1 -1 -1 -1 -1 -1
2 1 200  50 4 -1 -1 4 100 -1 1 2 1 -1 -1 -1 -1 -1
3 2   8  90 2 -1 -1 2  90 -1 1 1 1 -1 -1 -1 -1 -1
"""


def test_what_really_happened_stands_beside_the_policies(run: Run, tmp_path: Path) -> None:
    """The past comes last in the table and in the JSON; text, report and picture show dates."""
    trace, report, figure = (tmp_path / name for name in ("real.swf", "r.html", "gantt.svg"))
    trace.write_text(RECORDED)
    command = ("simulate", str(trace), "--policy", "easy")
    drawn = run(
        *command, "--report", str(report), "--figure", str(figure), "--figure-kind", "gantt"
    )
    assert drawn.exit_code == 0
    assert "real: 3 jobs on 4 nodes, 2010-05-01" in drawn.stdout
    assert "simulated 3 jobs in" in drawn.stdout
    page = report.read_text()
    assert "real starts of 3 of 3 jobs" in page
    assert "DatetimeAxis" in page
    assert "date (UTC+09:00)" in figure.read_text()
    easy, past = json.loads(run(*command, "--json").stdout)
    assert (easy["policy"], past["policy"]) == ("easy", "as it was")
    assert past["mean_wait_s"] == pytest.approx(208 / 3)
    assert len(json.loads(run(*command, "--json", "--no-past").stdout)) == 1


def test_a_past_of_shared_nodes_is_drawn_without_gantt(run: Run, tmp_path: Path) -> None:
    """The trace does not say which jobs shared a node; a remark says why the chart is missing.

    All other parts of the past are shown.
    """
    trace, report = tmp_path / "shared.swf", tmp_path / "r.html"
    trace.write_text(RECORDED.replace("2 1 200", "2 1   0"))
    result = run("simulate", str(trace), "--policy", "easy", "--report", str(report))
    assert result.exit_code == 0
    assert "up to 8 nodes were in use at a time, of 4" in " ".join(result.stdout.split())
    assert "<h3>easy</h3>" in report.read_text()
    assert "<h3>as it was</h3>" not in report.read_text()


def test_by_group(run: Run, head_blocked: str) -> None:
    """Each metric of jobs has a table; in JSON each row has a list."""
    command = ("simulate", head_blocked, *POLICIES, "--metric", "wait", "--metric", "makespan")
    result = run(*command, "--by", "user")
    assert result.exit_code == 0
    assert "mean wait by user" in result.stdout
    assert "makespan by user" not in result.stdout
    fcfs, easy = json.loads(run(*command, "--by", "user", "--json").stdout)
    assert fcfs["by_user"] == [
        {"user": "ann", "jobs": 2, "wait": 74.0},
        {"user": "bob", "jobs": 1, "wait": 99.0},
    ]
    assert easy["by_user"][0]["wait"] == 0


def test_by_group_refuses_before_it_runs(run: Run, head_blocked: str) -> None:
    """Each mistake gets one sentence."""
    wrong = run("simulate", head_blocked, *POLICIES, "--by", "partitions")
    assert wrong.exit_code == 2
    assert 'unknown grouping "partitions"; did you mean "partition"?' in wrong.stderr
    whole = run("simulate", head_blocked, *POLICIES, "--by", "user", "--metric", "makespan")
    assert whole.exit_code == 2
    assert "--by user needs a metric with a value for each job" in whole.stderr


def test_many_groups_are_cut_and_told(run: Run) -> None:
    """The table shows the groups with most jobs; JSON has all."""
    command = ("simulate", "shared:nodes=8", "--jobs", "200", "--policy", "easy", "--by", "user")
    result = run(*command, "--metric", "wait")
    assert "the 20 of" in result.stdout
    (row,) = json.loads(run(*command, "--metric", "wait", "--json").stdout)
    assert len(row["by_user"]) > 20
