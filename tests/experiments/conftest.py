"""A small experiment that the tests run and vary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from schedlab.experiments import Experiment, read_experiment

TWO_BY_TWO = """
[experiment]
name = "two-by-two"
title = "Two policies, two loads"
policies = ["fcfs", { name = "EASY", policy = "easy", depth = 50 }]
metrics = ["wait", "makespan"]
relative_to = "fcfs"
seeds = [1, 2]

[[workload]]
name = "small"
generate = "lublin:nodes=32"
jobs = 60
nodes = 32

[[variant]]
name = "light"
transforms = ["load=0.5:32"]

[[variant]]
name = "heavy"
transforms = ["load=1.5:32"]
"""

Describe = Callable[..., Experiment]


@pytest.fixture
def two_by_two(tmp_path: Path) -> Path:
    """The file of an experiment of eight cells: 2 variants, 2 policies, 2 seeds."""
    path = tmp_path / "two.toml"
    path.write_text(TWO_BY_TWO)
    return path


@pytest.fixture
def describe(two_by_two: Path) -> Describe:
    """A function that replaces texts in the small experiment's file and reads it."""

    def changed(*pairs: tuple[str, str]) -> Experiment:
        text = TWO_BY_TWO
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        two_by_two.write_text(text)
        return read_experiment(two_by_two)

    return changed
