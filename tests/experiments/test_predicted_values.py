"""Table 4 of the paper on predicted run times, on two draws of its workloads."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from schedlab.experiments import (
    LocalEngine,
    find_experiment,
    read_experiment,
    run_experiment,
    summary,
)

FIGURES = Path(__file__).with_name("table4_two_draws.csv")


def test_table_4_is_as_it_was(tmp_path: Path) -> None:
    """Full size, two of its twenty draws: a number that changes is a change of the simulator."""
    experiment = read_experiment(find_experiment("predicted-values"))
    two = replace(experiment, about=replace(experiment.about, seeds=(1, 2)))
    run = run_experiment(two, tmp_path, engine=LocalEngine(1))
    assert (run.cells, run.finished, run.trained) == (96, 96, 0)
    ours = {
        (row["workload"], row["variant"], row["policy"]): row["ours"]
        for row in summary(tmp_path).to_dicts()
    }
    with FIGURES.open(newline="") as file:
        before = {
            (row["workload"], row["variant"], row["policy"]): float(row["utilisation"])
            for row in csv.DictReader(file)
        }
    assert ours == pytest.approx(before, abs=1e-5)
