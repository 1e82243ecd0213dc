"""The HTML page on a trace: one file, complete, offline, and honest."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from schedlab import Workload
from schedlab.analysis import analyse
from schedlab.analysis.requests import Requests
from schedlab.errors import MissingExtraError, OutputError
from schedlab.viz.analysis import write_analysis
from schedlab.viz.analysis.requests import spikes_figure

HOUR = 3600
HEADER = {"UnixStartTime": ["1272639895"], "TimeZoneString": ["Asia/Tokyo"]}


def trace(header: dict[str, list[str]], **more: list[int]) -> Workload:
    """Return four jobs with round requests."""
    columns = {
        "job_id": [1, 2, 3, 4],
        "submit_s": [0, 10, 20, 30],
        "nodes": [1, 2, 4, 8],
        "request_s": [HOUR, 24 * HOUR, 24 * HOUR, 72 * HOUR],
        "run_s": [100, 10000, 20000, 30000],
    }
    labels = {"user": ["ann", "<eve>"]} if "user" in more else None
    return Workload({**columns, **more}, name="four", header=header, labels=labels)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page on a trace that has all data."""
    path = tmp_path_factory.mktemp("page") / "trace.html"
    workload = trace(HEADER, user=[0, 1, 1, 0], status=[1] * 4, wait_s=[0] * 4)
    write_analysis(analyse(workload), path)
    return path.read_text(encoding="utf-8")


def test_page_loads_nothing_from_elsewhere(page: str) -> None:
    """It opens on a machine without a network."""
    assert not re.search(r"<(script|img|iframe)[^>]+src=", page)
    assert not re.search(r"<link[^>]+href=", page)


def test_page_has_all_its_parts(page: str) -> None:
    """The page has the sections that the navigation names, and a figure per placeholder."""
    named = re.findall(r'href="#(\w+)"', page)
    assert named == re.findall(r'<section id="(\w+)"', page)
    assert named == ["summary", "accuracy", "requests", "users", "arrivals", "jobs"]
    assert len(re.findall(r'data-root-id="', page)) == 9


def test_names_are_escaped(page: str) -> None:
    """A user may be called anything."""
    assert "<td>&lt;eve&gt;</td>" in page
    assert "<eve>" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_what_the_trace_does_not_tell_is_left_out(tmp_path: Path) -> None:
    """A sentence stands in place of each missing part."""
    path = tmp_path / "trace.html"
    write_analysis(analyse(trace({})), path)
    page = path.read_text(encoding="utf-8")
    assert re.findall(r'<section id="(\w+)"', page) == ["summary", "accuracy", "requests", "jobs"]
    assert "the trace has no users: nothing can be said about them" in page
    assert "times of day are not known" in page


def test_the_common_round_numbers_are_named() -> None:
    """The name 71 h would cross the line of 72 h; three jobs in a thousand are not common."""
    request_s = np.repeat([HOUR, 24 * HOUR, 71 * HOUR, 72 * HOUR, 1000], [50, 100, 40, 807, 3])
    plot = spikes_figure(Requests.of(request_s, np.full(1000, 0.5)))
    names = plot.renderers[-1].data_source.data["name"]
    assert names == ["72 h", "24 h", "1 h"]


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bokeh is optional."""
    monkeypatch.setitem(sys.modules, "bokeh.embed", None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[viz\]"'):
        write_analysis(analyse(trace({})), tmp_path / "trace.html")


def test_an_unwritable_page_is_the_user_s_mistake(tmp_path: Path) -> None:
    """The error is one sentence."""
    with pytest.raises(OutputError, match="cannot be written"):
        write_analysis(analyse(trace({})), tmp_path / "no" / "trace.html")
