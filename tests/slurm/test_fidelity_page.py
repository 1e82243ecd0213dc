"""The page on fidelity shows what was measured."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from benchmarks import slurm_fidelity, slurm_forecasts, slurm_reasons

PAGE = slurm_fidelity.FIGURES.with_suffix(".md")
MEASURED = [slurm_fidelity, slurm_reasons]


@pytest.mark.parametrize("made", [*MEASURED, slurm_forecasts], ids=lambda made: made.__name__)
def test_the_tables_are_those_of_the_figures(made: ModuleType) -> None:
    """The tables of the page are generated, not edited by hand."""
    assert made.table(json.loads(made.FIGURES.read_text())) in PAGE.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("run", ["half-r2", "half-r3", "A-r1"])
@pytest.mark.parametrize("made", MEASURED, ids=lambda made: made.__name__)
def test_the_figures_are_those_of_the_twin(
    made: ModuleType, run: str, shared_data: Path, tmp_path: Path
) -> None:
    """The figures are computed again from the runs, where these are at hand."""
    figures = json.loads(made.FIGURES.read_text())["runs"][run]
    assert made.measured(shared_data / "slurm" / "runs" / run, tmp_path) == figures
