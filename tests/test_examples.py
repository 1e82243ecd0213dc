"""The examples print what is written beside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PICTURE = ROOT / "docs" / "assets" / "three-policies.png"


def output_of(example: Path, *arguments: str) -> str:
    """Return what the example prints, run in its own folder as a reader would."""
    command = [sys.executable, "-W", "error", example.name, *arguments]
    done = subprocess.run(command, cwd=example.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_is_written_beside_it(example: Path) -> None:
    """An example that no longer does what it says misleads."""
    assert output_of(example) == example.with_suffix(".out").read_text(encoding="utf-8")


def test_there_are_examples_and_no_stray_outputs() -> None:
    """An output without its program cannot be checked."""
    outputs = (ROOT / "examples").glob("*.out")
    assert [path.stem for path in EXAMPLES] == sorted(path.stem for path in outputs)
    assert EXAMPLES


def test_the_picture_of_the_readme_is_drawn_by_its_example(tmp_path: Path) -> None:
    """A reader can draw the picture again; letters may differ between versions of Matplotlib."""
    image = pytest.importorskip("matplotlib.image")
    drawn = tmp_path / "again.png"
    output_of(ROOT / "examples" / "draw_policies.py", str(drawn))
    ours, committed = (image.imread(path) for path in (drawn, PICTURE))
    assert ours.shape == committed.shape
    different = np.abs(ours - committed).max(axis=2) > 0.1
    assert different.mean() < 0.02  # a job that starts elsewhere changes more
    assert PICTURE.stat().st_size < 300_000
