"""The page on the experiment file agrees with the program."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from schedlab.experiments import config, read_experiment
from schedlab.experiments.coallocation.measures import MEASURES
from schedlab.experiments.coallocation.section import CoallocSection, SolverSection
from schedlab.experiments.grid import grid
from schedlab.experiments.model_section import ModelSection

PAGE = Path(__file__).parents[2] / "docs" / "formats" / "experiment-toml.md"


def test_the_complete_example_is_an_experiment(tmp_path: Path) -> None:
    """Readers start by copying it: 2 variants, 3 policies, 3 windows."""
    example = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    (tmp_path / "page.toml").write_text(example[1])
    assert len(grid(read_experiment(tmp_path / "page.toml"))) == 18


@pytest.mark.parametrize(
    "section",
    [
        config.ExperimentSection,
        config.PolicySection,
        config.WorkloadSection,
        config.VariantSection,
        config.PlatformSection,
        ModelSection,
        CoallocSection,
        SolverSection,
        config.PublishedSection,
        config.QuickSection,
    ],
)
def test_every_key_is_on_the_page(section: type) -> None:
    """Users do not find a key that is not described."""
    page = PAGE.read_text(encoding="utf-8")
    assert [each.name for each in fields(section) if f"`{each.name}`" not in page] == []


def test_every_measure_of_co_allocation_is_on_the_page() -> None:
    """The page has the program's sentence and unit for each measure."""
    page = PAGE.read_text(encoding="utf-8")
    for name, measure in MEASURES.items():
        unit = "–" if measure.unit == "1" else measure.unit
        assert f"| `{name}` | {measure.sentence} | {unit} |" in page
