"""The page on steering shows what was measured on real clusters."""

from __future__ import annotations

import json
from types import ModuleType

import pytest
from benchmarks import live_faults, live_trial

PAGE = live_trial.FIGURES.with_name("live.md")


@pytest.mark.parametrize("made", [live_faults, live_trial], ids=lambda made: made.__name__)
def test_the_tables_are_those_of_the_figures(made: ModuleType) -> None:
    """The tables of the page are generated, not edited by hand."""
    assert made.table(json.loads(made.FIGURES.read_text())) in PAGE.read_text()
