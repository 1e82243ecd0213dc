"""Running: every engine gives the same tables, computes nothing twice, loses nothing by failure."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest

from schedlab.errors import InputError, OutputError
from schedlab.experiments import (
    Experiment,
    LocalEngine,
    Task,
    TaskOutcome,
    read_experiment,
    results,
    run_experiment,
)
from schedlab.experiments.engine import run_task

Describe = Callable[..., Experiment]

TABLES = ("results.csv", "results.parquet", "summary.csv", "report.md", "report.html")


class Counting:
    """An engine that computes here and counts; after ``limit`` cells it is interrupted."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit, self.computed = limit, 0

    def run(self, tasks: Sequence[Task]) -> Generator[TaskOutcome, None, None]:
        """Run the tasks one after the other, the last first."""
        for task in reversed(tasks):
            if self.computed == self.limit:
                raise KeyboardInterrupt
            self.computed += 1
            yield run_task(task)


def tables(folder: Path) -> dict[str, bytes]:
    """Return the files that the run wrote."""
    return {name: (folder / name).read_bytes() for name in TABLES}


def test_a_run_gives_a_row_per_cell(two_by_two: Path, tmp_path: Path) -> None:
    """Rows are in the order of the grid, with the values of a plain simulation."""
    from schedlab import simulate
    from schedlab.metrics import METRICS
    from schedlab.workload import apply, generate

    run_experiment(read_experiment(two_by_two), tmp_path / "out", engine=LocalEngine(1))
    frame = results(tmp_path / "out")
    assert len(frame) == 8
    first = frame.row(0, named=True)
    jobs = apply(generate("lublin:nodes=32", 60, seed=1), ["load=0.5:32"], seed=1)
    schedule = simulate(jobs, 32, "fcfs")
    assert first["wait"] == METRICS["wait"].value(schedule)
    assert first["jobs"] == 60


def test_the_number_of_workers_changes_nothing(two_by_two: Path, tmp_path: Path) -> None:
    """Cells finish in any order, but the tables are the same."""
    experiment = read_experiment(two_by_two)
    for workers in (1, 3):
        run_experiment(experiment, tmp_path / str(workers), engine=LocalEngine(workers))
    assert tables(tmp_path / "1") == tables(tmp_path / "3")


def test_finished_cells_are_not_computed_again(two_by_two: Path, tmp_path: Path) -> None:
    """A second run computes nothing and gives the same tables."""
    experiment = read_experiment(two_by_two)
    assert run_experiment(experiment, tmp_path / "out", engine=Counting()).computed == 8
    before = tables(tmp_path / "out")
    again = Counting()
    assert run_experiment(experiment, tmp_path / "out", engine=again).computed == 0
    assert again.computed == 0
    assert tables(tmp_path / "out") == before


def test_an_interrupted_run_is_taken_up(two_by_two: Path, tmp_path: Path) -> None:
    """The rest is computed, and the tables are those of an uninterrupted run."""
    experiment = read_experiment(two_by_two)
    with pytest.raises(KeyboardInterrupt):
        run_experiment(experiment, tmp_path / "halves", engine=Counting(limit=4))
    assert run_experiment(experiment, tmp_path / "halves", engine=Counting()).computed == 4
    run_experiment(experiment, tmp_path / "whole", engine=Counting())
    assert tables(tmp_path / "halves") == tables(tmp_path / "whole")


def test_a_damaged_cell_is_computed_again(two_by_two: Path, tmp_path: Path) -> None:
    """A disc that was full must not spoil the run for ever."""
    experiment = read_experiment(two_by_two)
    run_experiment(experiment, tmp_path / "out", engine=Counting())
    next((tmp_path / "out" / "cells").iterdir()).write_text('{"key": ')
    assert run_experiment(experiment, tmp_path / "out", engine=Counting()).computed == 1


def test_only_some_cells_can_be_run(two_by_two: Path, tmp_path: Path) -> None:
    """They are kept for the whole run that follows."""
    experiment = read_experiment(two_by_two)
    run_experiment(experiment, tmp_path / "out", engine=Counting(), only="heavy")
    assert results(tmp_path / "out")["variant"].unique().to_list() == ["heavy"]
    assert run_experiment(experiment, tmp_path / "out", engine=Counting()).computed == 4


def test_cells_that_differ_in_name_only_are_computed_once(
    describe: Describe, tmp_path: Path
) -> None:
    """They are in the tables under both names."""
    experiment = describe(('"easy", depth = 50', '"fcfs"'))
    run = run_experiment(experiment, tmp_path / "out", engine=Counting())
    assert (run.cells, run.finished, run.computed) == (8, 8, 4)
    assert len(results(tmp_path / "out")) == 8


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_cell_does_not_stop_the_others(
    workers: int, describe: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failed cell is reported with its reason, and computed again by the next run."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "failing_order_of_test.py").write_text(
        "from schedlab import Order\n\n"
        "class Bad(Order):\n"
        "    def score(self, queue):\n"
        "        raise RuntimeError('no score today')\n"
    )
    experiment = describe(('"easy", depth = 50', '"failing_order_of_test:Bad"'))
    run = run_experiment(experiment, tmp_path / "out", engine=LocalEngine(workers))
    assert len(run.failures) == 4
    assert "no score today" in run.failures["small/heavy/32 nodes/EASY/seed 1"]
    assert len(results(tmp_path / "out")) == 4
    assert "Failed: small/heavy/32 nodes/EASY/seed 1" in (tmp_path / "out/report.md").read_text()
    again = run_experiment(experiment, tmp_path / "out", engine=LocalEngine(1))
    assert again.computed == 4


@pytest.mark.slow
def test_a_cell_that_ends_its_process_does_not_stop_the_others(
    describe: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system may kill a process that uses too much memory; the run must not hang."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "deadly_order_of_test.py").write_text(
        "import os\nfrom schedlab import Order\n\n"
        "class Deadly(Order):\n"
        "    def score(self, queue):\n"
        "        os._exit(9)\n"
    )
    experiment = describe(('"easy", depth = 50', '"deadly_order_of_test:Deadly"'))
    run = run_experiment(experiment, tmp_path / "out", engine=LocalEngine(2))
    assert run.finished == 4
    assert len(run.failures) == 4
    assert all("its process died" in error for error in run.failures.values())


def test_missing_traces_are_told_before_anything_runs(
    describe: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the entry of the catalog to fetch."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    generated = 'generate = "lublin:nodes=32"\njobs = 60'
    experiment = describe((generated, 'catalog = "KTH-SP2-1996-2.1-cln"'))
    with pytest.raises(InputError, match=r"schedlab workload fetch KTH-SP2-1996-2\.1-cln"):
        run_experiment(experiment, tmp_path / "out", engine=Counting())
    experiment = describe((generated, 'file = "absent.swf"'))
    with pytest.raises(InputError, match=r"needs absent\.swf, which is not in .*; give with"):
        run_experiment(experiment, tmp_path / "out", data=tmp_path, engine=Counting())
    assert not (tmp_path / "out").exists()


def test_a_trace_is_found_in_the_data_folder(describe: Describe, tmp_path: Path) -> None:
    """The file has the trace's name in the catalog, packed or not."""
    data = tmp_path / "data"
    data.mkdir()
    trace = data / "KTH-SP2-1996-2.1-cln.swf"
    trace.write_text((Path(__file__).parents[1] / "data" / "ten.swf").read_text())
    experiment = describe(
        ('generate = "lublin:nodes=32"\njobs = 60', 'catalog = "KTH-SP2-1996-2.1-cln"'),
        ("nodes = 32\n\n", "nodes = 338\n\n"),
    )
    run = run_experiment(experiment, tmp_path / "out", data=data, engine=Counting())
    assert (run.computed, run.failures) == (4, {})


def test_a_file_in_place_of_the_folder_is_refused(two_by_two: Path, tmp_path: Path) -> None:
    """The error is one sentence."""
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputError, match=r"out: cannot be made a folder"):
        run_experiment(read_experiment(two_by_two), tmp_path / "out", engine=Counting())
