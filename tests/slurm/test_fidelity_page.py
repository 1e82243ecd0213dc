"""The page on fidelity tells what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.slurm_fidelity import FIGURES, measured, table

PAGE = FIGURES.with_suffix(".md")


def test_the_table_is_that_of_the_figures() -> None:
    """Nobody edits it by hand."""
    assert table(json.loads(FIGURES.read_text())) in PAGE.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("run", ["half-r2", "A-r1"])
def test_the_figures_are_those_of_the_twin(run: str, shared_data: Path, tmp_path: Path) -> None:
    """They are made again from the runs, where these are at hand."""
    figures = json.loads(FIGURES.read_text())["runs"][run]
    assert measured(shared_data / "slurm" / "runs" / run, tmp_path) == figures
