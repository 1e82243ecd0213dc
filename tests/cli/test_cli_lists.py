"""schedlab policies, version and demo."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedlab import __version__
from schedlab.policies import BACKFILLS, ORDERS, POLICIES
from schedlab.sim.places import PLACES

Run = Callable[..., Any]


def test_policies_are_shown_as_orders_and_backfills(run: Run) -> None:
    """Two short tables and a rule say more than every combination."""
    shown = run("policies").stdout
    assert all(f"\n{name} " in shown for name in (*ORDERS, *BACKFILLS, *PLACES))
    assert "sjf+easy" in shown
    assert "sjf+conservative" not in shown
    assert "Lifka, JSSPP 1995" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_every_policy_is_in_the_json(run: Run) -> None:
    """A program wants the whole table."""
    listed = {each["policy"]: each for each in json.loads(run("policies", "--json").stdout)}
    assert listed.keys() == POLICIES.keys()
    assert "depth" in listed["sjf+easy"]["parameters"]


def test_version(run: Run) -> None:
    """A report of a bug needs the versions of the libraries too."""
    assert __version__ in run("version").stdout
    versions = json.loads(run("version", "--json").stdout)
    assert versions["schedlab"] == __version__
    assert versions["numpy"]


@pytest.fixture
def without_viz(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that schedlab was installed without its extra for pictures."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "bokeh", None)


@pytest.mark.usefixtures("without_viz")
def test_the_demo_runs_without_the_packages_for_pictures(run: Run, tmp_path: Path) -> None:
    """The demo says what is missing and still shows the numbers."""
    result = run("demo", "--out", tmp_path / "demo")
    assert result.exit_code == 0
    assert "sjf+easy" in result.stdout
    assert "matplotlib is not installed" in result.stdout
    assert "bokeh is not installed" in result.stdout
    assert list((tmp_path / "demo").iterdir()) == []


@pytest.mark.usefixtures("without_viz")
def test_the_demo_shows_what_it_claims(run: Run, tmp_path: Path) -> None:
    """The two sentences beneath the table hold for its seed, and the seed decides the numbers."""
    fcfs, easy, sjf, _ = json.loads(run("demo", "--out", tmp_path, "--json").stdout)
    assert fcfs["metrics"]["wait"] > 3 * easy["metrics"]["wait"]
    assert sjf["metrics"]["bounded_slowdown"] < easy["metrics"]["bounded_slowdown"]
    assert sjf["metrics"]["wait:percentile=100"] > easy["metrics"]["wait:percentile=100"]
    again = json.loads(run("demo", "--out", tmp_path, "--json", "--seed", "2").stdout)
    assert again[0]["metrics"] != fcfs["metrics"]


@pytest.mark.slow
def test_the_demo_draws(run: Run, tmp_path: Path) -> None:
    """A report to explore and a picture to look at."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("bokeh")
    result = run("demo", "--out", tmp_path / "out" / "demo")
    assert result.exit_code == 0
    assert sorted(each.name for each in (tmp_path / "out" / "demo").iterdir()) == [
        "gantt.png",
        "report.html",
    ]


def test_a_demo_that_cannot_write_says_so(run: Run, tmp_path: Path) -> None:
    """The demo checks its folder before it simulates anything."""
    (tmp_path / "file").write_text("")
    result = run("demo", "--out", tmp_path / "file" / "demo")
    assert result.exit_code == 2
    assert "cannot be made" in result.stderr


def test_the_version_can_be_had_as_an_option(run: Run) -> None:
    """Other commands of the ecosystem have this option too."""
    done = run("--version")
    assert (done.exit_code, done.stdout) == (0, f"schedlab {__version__}\n")
