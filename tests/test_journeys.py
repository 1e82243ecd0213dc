"""The three first days with schedlab, as scripts of commands: researcher, operator, learner."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "journeys"
WRITTEN = {
    "researcher": ("gantt.png", "report.html", "schedule.parquet"),
    "operator": ("site/site.toml", "jobs.jsonl", "mysite/import.md", "mysite/machine.toml"),
    "learner": ("little/model.zip", "formula.toml"),
}
PRINTED = {
    "researcher": ("conservative", "mine:HRRN+easy", "33-64"),
    "operator": ("one of 106", "wait s", "difference"),
    "learner": ("learned:little/model.zip", "evolved:formula.toml"),
}


@pytest.mark.slow
@pytest.mark.parametrize("who", sorted(WRITTEN))
def test_a_journey_goes_through(who: str, tmp_path: Path) -> None:
    """Each command runs as a newcomer types it: in an empty folder, by the program on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", str(FOLDER / f"{who}.sh")],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "COLUMNS": "120"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for name in WRITTEN[who]:
        assert (tmp_path / name).stat().st_size > 0, name
    for text in PRINTED[who]:
        assert text in done.stdout, f"{text} is not in\n{done.stdout}"


def test_each_journey_has_its_test() -> None:
    """A script that no test runs does not stay true."""
    assert {path.stem for path in FOLDER.glob("*.sh")} == WRITTEN.keys() == PRINTED.keys()
