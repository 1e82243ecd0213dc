"""What a user imports from the top, and what a notebook shows of it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import schedlab
from schedlab import Platform, Workload, compare, generate, read_workload, simulate, table
from schedlab.errors import MissingExtraError

PACKAGE = Path(schedlab.__file__).parent
JOBS = generate("lublin:nodes=64", 200, seed=1)
DONE = simulate(JOBS, 64, "easy")


def test_what_is_offered_at_the_top_is_there() -> None:
    """Type checkers read one list, Python the other: they must not drift apart."""
    home = {name: getattr(schedlab, name) for name in schedlab.__all__}
    assert home["simulate"] is simulate
    assert all(home.values())
    assert set(schedlab.__all__) <= set(dir(schedlab))


def test_importing_schedlab_loads_nothing_large() -> None:
    """Help and completion on the command line import it each time."""
    seen = "import sys, schedlab; print([m for m in ('numpy', 'polars') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_within_the_package_names_come_from_where_they_are_defined() -> None:
    """An import from the top would load half the package, and hide a circle from the layers."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "schedlab":
                names = {alias.name for alias in node.names} - {"_core"}
                found += [f"{path.relative_to(PACKAGE)}: {name}" for name in sorted(names)]
    assert not found


def test_a_schedule_goes_to_pandas() -> None:
    """Those who know pandas need not learn Polars first."""
    frame = DONE.to_pandas()
    assert frame["wait_s"].tolist() == DONE.wait_s.tolist()
    assert JOBS.to_pandas()["nodes"].tolist() == JOBS["nodes"].tolist()


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an extra installs pandas."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pandas is not installed"):
        DONE.to_pandas()


def test_size_classes_sort_in_their_order() -> None:
    """As text 17-32 would come before 2."""
    sizes = ["1", "2", "3-4", "5-8", "9-16", "17-32", "33-64"]
    waits = table(DONE, "wait", "size").sort("mean").sort("size")
    assert waits["size"].to_list() == sizes
    both = compare([DONE, simulate(JOBS, 64, "fcfs")], ["wait"], by="size")
    assert both["size"].unique().sort().to_list() == sizes


def test_run_time_classes_sort_in_their_order() -> None:
    """As text 10-60 min would come before 6-24 h, and under 1 min last."""
    found = table(DONE, "wait", "run_time").sort("run_time")["run_time"].to_list()
    order = ["under 1 min", "1-10 min", "10-60 min", "1-6 h", "6-24 h", "1 d and over"]
    assert found == [each for each in order if each in found]


def test_what_a_session_prints_is_short() -> None:
    """A dataclass of columns would fill the screen."""
    assert repr(JOBS) == "Workload('lublin', 200 jobs)"
    assert repr(DONE) == "Schedule('easy', 200 jobs of 'lublin' on 64 nodes)"
    assert repr(DONE.platform) == "Platform('platform', 64 nodes in 1 cluster)"


@pytest.mark.parametrize("shown", [JOBS, DONE, DONE.platform], ids=lambda each: type(each).__name__)
def test_a_notebook_shows_a_title_and_a_few_rows(
    shown: Workload | schedlab.Schedule | Platform,
) -> None:
    """Two hundred rows would push everything else away."""
    html = shown._repr_html_()
    assert type(shown).__name__ in html
    assert 1 <= html.count("<tr>") <= 7


def test_html_of_names_is_escaped() -> None:
    """A trace may have any name."""
    named = Workload({name: JOBS[name] for name in JOBS.columns}, name="<script>")
    assert "<script>" not in named._repr_html_()


def test_an_empty_workload_is_shown_too() -> None:
    """A filter may leave nothing."""
    assert "0 jobs" in JOBS.take(JOBS["nodes"] > 1000)._repr_html_()


def test_a_figure_shows_once_in_a_notebook() -> None:
    """It is a picture by itself, without pyplot, which would show it a second time."""
    viz = pytest.importorskip("schedlab.viz")
    figure = viz.draw_gantt([DONE])
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert not (getattr(figure, "_repr_html_", lambda: None)())
    assert (
        "matplotlib.pyplot" not in sys.modules
        or sys.modules["matplotlib.pyplot"].get_fignums() == []
    )


def test_columns_of_a_foreign_table_are_named_in_python(tmp_path: Path) -> None:
    """The argument works like --rename on the command line."""
    path = tmp_path / "theirs.csv"
    path.write_text("Job,Submitted,Hosts,Limit_min,Ran\n1,0,2,10,500\n2,5,1,20,90\n")
    ours = {"Job": "job_id", "Submitted": "submit_s", "Hosts": "nodes"}
    found = read_workload(
        path, format="csv", rename={**ours, "Limit_min": "request_s*60", "Ran": "run_s"}
    )
    assert found["request_s"].tolist() == [600, 1200]
    assert found["nodes"].tolist() == [2, 1]
