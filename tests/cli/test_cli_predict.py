"""schedlab predict."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedlab.workload import generate, write_workload

Run = Callable[..., Any]

TWO = ("--predictor", "request", "--predictor", "last-two")


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """A trace of some weeks with many users."""
    path = tmp_path / "busy.swf"
    write_workload(generate("aaic:load=1", 600, seed=1), path)
    return path


def test_a_row_per_predictor(run: Run, busy: Path) -> None:
    """Rows come in the order given, within 80 columns: first the errors, then the intervals."""
    lines = run("predict", busy, *TWO).stdout.splitlines()
    rows = [line.split() for line in lines if line.startswith(("request", "last-two"))]
    assert [row[:2] for row in rows] == 2 * [["request", "600"], ["last-two", "600"]]
    assert max(map(len, lines[:15])) <= 80


def test_numbers_as_json(run: Run, head_blocked: str) -> None:
    """Requests of 100, 100 and 90 s for jobs of 100, 50 and 90 s."""
    done = run("predict", head_blocked, "--nodes", "4", "--predictor", "request", "--json")
    (row,) = json.loads(done.stdout)
    assert (row["predictor"], row["policy"], row["nodes"]) == ("request", "easy", 4)
    assert row["prediction"] == {
        "jobs": 3,
        "mean_absolute_error_s": pytest.approx(50 / 3),
        "mean_error_s": pytest.approx(50 / 3),
        "underestimated": 0.0,
        "accuracy": pytest.approx(2.5 / 3),
    }
    assert "groups" not in row


def test_by_user(run: Run, head_blocked: str) -> None:
    """Users appear under their names; only bob asked for too much."""
    options = ("--nodes", "4", "--policy", "sjf+easy", *TWO, "--by", "user")
    for row in json.loads(run("predict", head_blocked, *options, "--json").stdout):
        assert [(user["user"], user["jobs"]) for user in row["groups"]] == [("ann", 2), ("bob", 1)]
    shown = run("predict", head_blocked, *options).stdout
    assert shown.count("ann") == shown.count("bob") == 4  # errors and intervals of both


def test_of_many_users_those_with_most_jobs_are_shown(run: Run, busy: Path) -> None:
    """A terminal cannot show a hundred users; JSON has all."""
    options = ("--predictor", "nearest", "--by", "user")
    (row,) = json.loads(run("predict", busy, *options, "--json").stdout)
    left = len(row["groups"]) - 20
    assert f"and {left} more; --json has all" in run("predict", busy, *options).stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--predictor", "lasttwo"), 'unknown predictor "lasttwo"; did you mean "last-two"?'),
        ((*TWO, *TWO), 'predictor "request" is given twice'),
        (("--policy", "easy:predict=actual", *TWO), "names a predictor; give it with --predictor"),
        (("--policy", "eazy", *TWO), 'unknown policy "eazy"'),
        ((*TWO, "--levels", "0.1,1"), "--levels: 1; a level must be above 0 and below 1"),
        ((*TWO, "--levels", "high"), '--levels: "high" is not a number'),
        ((*TWO, "--levels", "0.1,"), '--levels: "" is not a number'),
        ((*TWO, "--elapsed", "soon"), '"soon" is not a duration'),
        ((*TWO, "--by", "usr"), 'unknown grouping "usr"; did you mean "user"?'),
        (("--predictor", "nearest-quantile"), 'did you mean "nearest-quantiles"?'),
        (("--predictor", "past:calibrate=2"), '"2" is neither true nor false'),
        ((), "missing option '--predictor'"),
    ],
)
def test_mistakes(run: Run, tmp_path: Path, options: tuple[str, ...], sentence: str) -> None:
    """One sentence, before the trace is read."""
    result = run("predict", tmp_path / "absent.swf", *options)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_the_quantiles_of_the_requests(run: Run, head_blocked: str) -> None:
    """Errors of 0, 50 and 0 s: at each level p a share 1 − p of 50 s, divided by three jobs."""
    options = ("--nodes", "4", "--predictor", "request", "--levels", "0.2,0.8", "--json")
    (row,) = json.loads(run("predict", head_blocked, *options).stdout)
    assert row["quantiles"] == {
        "jobs": 3,
        "pinball_loss_s": pytest.approx(50 * (0.8 + 0.2) / 2 / 3),
        "mean_error_s": pytest.approx(50 / 3),
        "within_50": pytest.approx(2 / 3),
        "within_80": pytest.approx(2 / 3),
        "width_80_s": 0.0,
    }
    assert [each["at_or_below"] for each in row["levels"]] == [1.0, 1.0]


def test_only_jobs_that_ran_longer_are_judged(run: Run, head_blocked: str) -> None:
    """Of 100, 50 and 90 s two exceed a minute; none exceeds an hour, so there is no loss."""
    options = ("--nodes", "4", "--predictor", "past", "--json", "--elapsed")
    (row,) = json.loads(run("predict", head_blocked, *options, "60s").stdout)
    assert (row["elapsed_s"], row["quantiles"]["jobs"]) == (60, 2)
    (row,) = json.loads(run("predict", head_blocked, *options, "1h", "--levels", "0.5").stdout)
    assert row["quantiles"]["jobs"] == 0
    assert row["quantiles"]["pinball_loss_s"] is None
    assert run("predict", head_blocked, *options[:4], "--elapsed", "1h").exit_code == 0


def test_distributions_beside_points(run: Run, busy: Path) -> None:
    """A point's interval has no width; quantiles of similar jobs have one, and lose less."""
    options = ("--predictor", "last-two", "--predictor", "nearest-quantiles", "--json")
    point, spread = json.loads(run("predict", busy, *options).stdout)
    assert point["quantiles"]["width_80_s"] == 0 < spread["quantiles"]["width_80_s"]
    assert spread["quantiles"]["pinball_loss_s"] < point["quantiles"]["pinball_loss_s"]
    assert spread["policy"] == "easy:predict=nearest-quantiles"
    lines = run("predict", busy, *options[:-1], "--levels", "0.1,0.9").stdout.splitlines()
    assert any(line.startswith("at or below") for line in lines)


def test_a_missing_extra_is_named(
    run: Run, head_blocked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boosting needs scikit-learn."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    result = run("predict", head_blocked, "--nodes", "4", "--predictor", "boosting")
    assert result.exit_code == 2
    assert "scikit-learn is not installed" in result.stderr
