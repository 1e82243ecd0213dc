"""schedlab incentive users."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedlab.workload import generate, write_workload

Run = Callable[..., Any]

POLICIES = ("--policy", "easy-one-reserved", "--policy", "wrsa")


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """A stand-in for AAIC at twice the machine's capacity, so that users wait."""
    path = tmp_path / "busy.swf"
    write_workload(generate("aaic:load=2", 600, seed=1), path)
    return path


def ranks(values: list[float]) -> list[int]:
    """Return the place of each value in ascending order."""
    return [sorted(values).index(value) for value in values]


def test_numbers_and_users_as_json(run: Run, busy: Path) -> None:
    """Each policy has numbers per measure; wrsa promises no starts, so it has no delays."""
    one_reserved, plain = json.loads(run("incentive", "users", busy, *POLICIES, "--json").stdout)
    assert list(one_reserved["incentive"]) == ["wait", "delay", "slowdown"]
    slowdown = one_reserved["incentive"]["slowdown"]
    users = slowdown["users"]
    assert [user["jobs"] for user in users if user["jobs"] < 10] == []
    wrsa, value, scaled = ([user[key] for user in users] for key in ("wrsa", "value", "scaled"))
    assert len(users) == 8
    by_rank = np.corrcoef(ranks(wrsa), ranks(value))[0, 1]
    assert slowdown["rank_correlation"] == pytest.approx(by_rank)
    above_line = np.add(wrsa, scaled) - 1
    assert slowdown["share_above"] == (above_line > 0).mean() == 3 / 8
    assert slowdown["mean_distance"] == pytest.approx(np.abs(above_line).mean() / np.sqrt(2))
    assert plain["incentive"]["delay"]["rank_correlation"] is None
    assert plain["incentive"]["delay"]["users"] == []
    assert one_reserved["nodes"] == 256


def test_a_row_per_measure_and_policy(run: Run, busy: Path) -> None:
    """The table fits 80 columns."""
    result = run("incentive", "users", busy, *POLICIES)
    lines = result.stdout.splitlines()
    rows = [line.split()[:2] for line in lines if line.startswith(("wait", "delay", "slowdown"))]
    measures = ("wait", "delay", "slowdown")
    policies = ("easy-one-reserved", "wrsa")
    assert rows == [[measure, policy] for measure in measures for policy in policies]
    assert max(map(len, lines)) <= 80


def test_the_picture_is_drawn(run: Run, busy: Path, tmp_path: Path) -> None:
    """The suffix of the file name gives the format of the picture."""
    pytest.importorskip("matplotlib")
    figure = tmp_path / "users.svg"
    result = run("incentive", "users", busy, *POLICIES, "--figure", figure)
    assert f"written: {figure}" in result.stdout
    assert "<svg" in figure.read_text()


def test_a_bad_picture_is_refused_before_the_runs(run: Run, busy: Path) -> None:
    """Minutes of simulation must not be lost to a misspelt suffix."""
    result = run("incentive", "users", busy, *POLICIES, "--figure", "users.gif")
    assert result.exit_code == 2
    assert "must end in one of .png, .pdf, .svg" in result.stderr


def test_a_trace_without_users_is_refused(run: Run, tmp_path: Path) -> None:
    """There is no user who could get an incentive."""
    path = tmp_path / "nobody.csv"
    path.write_text("job_id,submit_s,nodes,request_s,run_s\n1,0,1,10,10\n")
    result = run("incentive", "users", path, "--nodes", "4", *POLICIES)
    assert result.exit_code == 2
    assert "nobody: has no users to compare" in result.stderr
