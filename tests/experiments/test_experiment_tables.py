"""Means, intervals, ratios and published values."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.experiments import (
    Experiment,
    LocalEngine,
    read_experiment,
    results,
    run_experiment,
    summary,
    write_report,
)
from schedlab.metrics.intervals import bootstrap_interval, student_t, t_interval

Describe = Callable[..., Experiment]


@pytest.mark.parametrize(
    ("freedom", "t"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (9, 2.2622), (19, 2.093), (100, 1.984)],
)
def test_student_s_t(freedom: int, t: float) -> None:
    """The values are those of printed tables for 95 %."""
    assert student_t(freedom) == pytest.approx(t, abs=5e-5)


@pytest.mark.parametrize("freedom", [*range(1, 31), 99, 1000])
def test_student_s_t_as_scipy_has_it(freedom: int) -> None:
    """SciPy is an independent implementation."""
    stats = pytest.importorskip("scipy.stats")
    assert student_t(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-9)


def test_an_interval_by_hand() -> None:
    """1, 2, 3: mean 2, s = 1, so 2 ± 4.3027 / √3; resamples go from 1 to 3."""
    low, high = t_interval([1, 2, 3]) or (0, 0)
    assert (low, high) == pytest.approx((2 - 2.4841, 2 + 2.4841), abs=1e-4)
    assert bootstrap_interval([1, 2, 3]) == (1, 3)


def test_one_value_has_no_interval() -> None:
    """Nothing can be said about chance from one run."""
    assert t_interval([1]) is None
    assert bootstrap_interval([1]) is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8))
def test_intervals_hold_the_mean(values: list[float]) -> None:
    """The bootstrap interval also lies within the range of the values."""
    slack = 1e-6
    for interval in (t_interval(values), bootstrap_interval(values)):
        assert interval is not None
        assert interval[0] - slack <= np.mean(values) <= interval[1] + slack
    low, high = bootstrap_interval(values) or (0, 0)
    assert min(values) - slack <= low <= high <= max(values) + slack


def published(describe: Describe, folder: Path, text: str) -> Experiment:
    """Return the small experiment with a published table."""
    (folder / "expected.csv").write_text(text)
    section = '[published]\nfile = "expected.csv"\nsource = "A paper, Table 1"\n\n[[workload]]'
    return describe(("[[workload]]", section))


def test_ours_theirs_and_the_difference(describe: Describe, tmp_path: Path) -> None:
    """Ratios are paired: divided seed by seed, then averaged; an empty field is no value."""
    table = "variant,policy,wait,relative_makespan\nheavy,EASY,100,0.5\nlight,EASY,,1.25\n"
    run_experiment(published(describe, tmp_path, table), tmp_path / "out", engine=LocalEngine(1))
    rows = {
        (row["variant"], row["policy"], row["metric"]): row
        for row in summary(tmp_path / "out").to_dicts()
    }
    assert len(rows) == 2 * 2 * 4
    cells = results(tmp_path / "out")
    fcfs, easy = cells["makespan"].to_numpy()[4::2], cells["makespan"].to_numpy()[5::2]
    ratio = rows["heavy", "EASY", "relative_makespan"]
    assert ratio["ours"] == pytest.approx(np.mean(easy / fcfs))
    assert ratio["difference"] == pytest.approx(ratio["ours"] - 0.5)
    assert ratio["difference_percent"] == pytest.approx(200 * ratio["difference"])
    assert ratio["t_low"] <= ratio["ours"] <= ratio["t_high"]
    assert rows["heavy", "EASY", "wait"]["theirs"] == 100
    assert rows["light", "EASY", "wait"]["theirs"] is None
    assert rows["light", "fcfs", "relative_wait"]["ours"] == 1


def test_signed_metrics_are_subtracted(describe: Describe, tmp_path: Path) -> None:
    """A quotient of two correlations says nothing; ratios and differences are paired by seed."""
    experiment = describe(
        ('generate = "lublin:nodes=32"', 'generate = "aaic"'),
        ("jobs = 60\nnodes = 32", "jobs = 1000\nnodes = 256"),
        ("load=0.5:32", "load=1.5:256"),
        ("load=1.5:32", "load=3:256"),
        ('metrics = ["wait", "makespan"]', 'metrics = ["incentive_wait", "makespan"]'),
    )
    run_experiment(experiment, tmp_path / "out", engine=LocalEngine(1))
    values = results(tmp_path / "out")["incentive_wait"].to_numpy()
    fcfs, easy = values[4::2], values[5::2]
    [row] = (
        row
        for row in summary(tmp_path / "out").to_dicts()
        if (row["variant"], row["policy"]) == ("heavy", "EASY")
        and row["metric"] == "relative_incentive_wait"
    )
    assert row["ours"] == pytest.approx(np.mean(easy - fcfs))
    assert "incentive wait minus that of fcfs" in (tmp_path / "out" / "report.md").read_text()


BAD_TABLES = {
    "column": ("variant,policy,wate\n", 'expected.csv:1: unknown column "wate"; did you mean'),
    "name": ("policy,wait\nEAZY,1\n", 'expected.csv:2: unknown policy "EAZY"; did you mean "EASY"'),
    "number": ("policy,wait\nEASY,many\n", 'expected.csv:2: wait is "many"; must be a number'),
    "fields": ("policy,wait\nEASY\n", "expected.csv:2: 1 fields; must have 2"),
    "twice": ("policy,wait\nEASY,1\nEASY,2\n", "expected.csv:3: names the same cells"),
    "empty": ("", "expected.csv: is empty"),
}


@pytest.mark.parametrize("what", BAD_TABLES)
def test_a_published_table_that_speaks_of_nothing_is_refused(
    what: str, describe: Describe, tmp_path: Path
) -> None:
    """A misspelt policy would otherwise just have no published value."""
    table, sentence = BAD_TABLES[what]
    experiment = published(describe, tmp_path, table)
    with pytest.raises(InputError) as caught:
        run_experiment(experiment, tmp_path / "out", engine=LocalEngine(1))
    assert sentence in str(caught.value)
    assert not (tmp_path / "out").exists()


class Tags(HTMLParser):
    """A parser that counts tables and checks that every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tables = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Remember what must be closed."""
        self.tables += tag == "table"
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened last."""
        assert self.open.pop() == tag


def test_the_report_has_the_tables_and_what_was_run(describe: Describe, tmp_path: Path) -> None:
    """Later readers need the configuration, the seeds and the versions."""
    table = "policy,makespan\nEASY,12345\n"
    experiment = published(describe, tmp_path, table)
    run_experiment(experiment, tmp_path / "out", engine=LocalEngine(1))
    markdown = (tmp_path / "out" / "report.md").read_text()
    for text in (
        "## makespan (s)",
        "(12,345)",
        "A paper, Table 1",
        "Student's t",
        "seeds = [1, 2]",
    ):
        assert text in markdown
    page = (tmp_path / "out" / "report.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert (tags.open, tags.tables) == ([], 8)
    assert "http" not in page


def test_a_report_can_be_made_of_a_part(two_by_two: Path, tmp_path: Path) -> None:
    """The run may have been interrupted, for example."""
    run_experiment(read_experiment(two_by_two), tmp_path / "out", engine=LocalEngine(1))
    next((tmp_path / "out" / "cells").iterdir()).unlink()
    write_report(tmp_path / "out")
    assert len(results(tmp_path / "out")) == 7
    assert "7 of 8 cells finished" in (tmp_path / "out" / "report.md").read_text()


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    """The error is one sentence."""
    with pytest.raises(InputError, match=r"is not the folder of a run"):
        write_report(tmp_path)
