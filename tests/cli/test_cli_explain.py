"""schedlab learn explain: what a model decides by, for people and for programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib")
pytest.importorskip("captum")

from schedlab.rl.model_file import write_model
from schedlab.rl.train import Training
from schedlab.rl.training_config import training_config

pytestmark = pytest.mark.slow

Run = Callable[..., Any]

LITTLE = ("--episodes", "2", "--states", "10", "--seed", "1")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A network that has learnt nothing yet."""
    config = training_config(
        {
            "environment": {
                **{"nodes": 8, "visible_jobs": 4, "sim_step_s": 1, "max_steps": 200},
                **{"mode": "order+guard", "observation": "proposal"},
            },
            "episodes": {
                **{"workload": "lublin:nodes=8", "jobs": 20},
                "transforms": ["set_run=random:0.5", "interarrival=0.01"],
            },
            "train": {"algorithm": "maskable-ppo", "network": [8]},
            "ppo": {"n_steps": 64},
        }
    )
    path = tmp_path / "model.zip"
    write_model(path, Training(config, tmp_path, None).model())
    return path


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(path.read_text().splitlines()))


def test_the_answer_comes_first(run: Run, model: Path) -> None:
    """A row per group follows, and a check says how far to trust the answer."""
    shown = run("learn", "explain", model, *LITTLE)
    assert shown.exit_code == 0
    assert shown.stdout.startswith("The policy uses the prediction (here the request itself): ")
    for text in ("job estimate", "position", "check: gradients add up to within "):
        assert text in shown.stdout


def test_everything_for_programs(run: Run, model: Path, tmp_path: Path) -> None:
    """JSON on stdout; the table and the picture in files."""
    files = ("--csv", tmp_path / "groups.csv", "--figure", tmp_path / "groups.png")
    told = run("learn", "explain", model, *LITTLE, *files, "--json")
    found = json.loads(told.stdout)
    assert found["seed"] == 1
    assert set(found["checks"]) == {"completeness_error", "rank_agreement", "randomised_agreement"}
    rows = table(tmp_path / "groups.csv")
    assert [row["group"] for row in rows] == [group["group"] for group in found["groups"]]
    assert float(rows[0]["decisions"]) == found["groups"][0]["decisions"]["mean"]
    assert rows[-1]["score"] == ""
    assert (tmp_path / "groups.png").read_bytes().startswith(b"\x89PNG")


def test_with_other_predictors(run: Run, model: Path, tmp_path: Path) -> None:
    """The sweep goes from the truth through noise and predictors to the request, also for easy."""
    files = ("--csv", tmp_path / "errors.csv", "--figure", tmp_path / "errors.svg")
    few = ("--error-sweep", "--policy", "easy", "--episodes", "2")
    shown = run("learn", "explain", model, *few, *files)
    assert shown.exit_code == 0
    rows = table(tmp_path / "errors.csv")
    assert len(rows) == 22
    assert (rows[0]["policy"], rows[0]["predictor"]) == ("learned", "actual")
    assert (rows[-1]["policy"], rows[-1]["predictor"]) == ("easy", "request")
    assert float(rows[0]["relative_error"]) == 0
    assert (tmp_path / "errors.svg").read_text().startswith("<?xml")


def test_mistakes_take_one_line(schedlab: Run, tmp_path: Path) -> None:
    """Mistakes are reported before anything is computed."""
    nothing = tmp_path / "nothing.zip"
    for arguments, sentence in {
        (nothing,): f"{nothing}: no such file",
        (nothing, "--policy", "easy"): "--policy needs --error-sweep",
        (nothing, "--figure", "a.bmp"): "a.bmp: the name of a picture must end in one of .png, ",
    }.items():
        done = schedlab("learn", "explain", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1
