"""Pictures beside the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from schedlab.errors import InputError
from schedlab.experiments import Experiment, LocalEngine, run_experiment

Describe = Callable[..., Experiment]
FRONT = """
[[picture]]
name = "both"
of = "front"
metric = "makespan"
against = "wait"
on = ["*"]
lines = ["fcfs", "EASY"]
"""


def test_a_front_shows_two_metrics_of_each_policy(describe: Describe, tmp_path: Path) -> None:
    """The picture names both policies, of which EASY is the better here."""
    experiment = describe(('[[variant]]\nname = "light"', f'{FRONT}\n[[variant]]\nname = "light"'))
    run_experiment(experiment, tmp_path / "out", engine=LocalEngine(1))
    picture = (tmp_path / "out" / "both.svg").read_text()
    assert ">EASY<" in picture
    assert ">fcfs<" in picture
    assert "![both](both.svg)" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('against = "wait"\n', "", "a front needs it"),
        ('of = "front"', 'of = "workloads"', "against belongs to a front"),
        ('against = "wait"', 'against = "weight"', 'did you mean "wait"'),
    ],
)
def test_a_front_needs_two_metrics(describe: Describe, old: str, new: str, sentence: str) -> None:
    """Both must be metrics of the experiment."""
    with pytest.raises(InputError, match=sentence):
        describe(
            ('[[variant]]\nname = "light"', f'{FRONT.replace(old, new)}[[variant]]\nname = "light"')
        )
