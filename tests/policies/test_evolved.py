"""Priority files: what they mean, and the errors for wrong ones."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from schedlab import _core
from schedlab.errors import InputError, ParameterError, SchedlabError
from schedlab.policies import Order, Queue, find_policy
from schedlab.policies.evolved import Priority, read_priority, write_priority
from schedlab.policies.features import FEATURES, formula
from schedlab.sim import simulate
from schedlab.testing import check_policy
from schedlab.testing.instances import crowd, jobs

NODES = 16
COLUMNS = ("request_s", "estimate_s", "nodes", "wait_s", "start_in_s")
PRIORITY = Priority(
    "for tests",
    head={"log_estimate": 0.7, "log_nodes": -0.25, "log_wait": -0.4, "log_start_in": 1.0},
    backfill={"log_request": -0.125, "share": 1.0, "log_slowdown": -0.6},
    provenance={"metrics": ["wait"], "seed": 3, "before": {"wait:percentile=95": 1.5}},
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The priority as a file."""
    path = tmp_path / "priority.toml"
    write_priority(path, PRIORITY)
    return path


class Formula(Order):
    """An order that scores jobs by an expression in plain Python."""

    def __init__(self, expression: str) -> None:
        super().__init__()
        self.code = compile(expression, "formula", "eval")

    def score(self, queue: Queue) -> ArrayLike:
        """Evaluate the expression for each job."""
        columns = {name: getattr(queue, name).tolist() for name in COLUMNS}
        rows = zip(*columns.values(), strict=True)
        known = {"log10": math.log10, "N": NODES}
        return [eval(self.code, known | dict(zip(columns, row, strict=True))) for row in rows]


def test_the_features_are_those_of_the_core() -> None:
    """Weights are passed to the core in this order."""
    assert list(FEATURES) == _core.feature_names()


def test_the_guide_has_the_features() -> None:
    """The guide shows each feature with its expression and meaning."""
    page = Path(__file__).parents[2] / "docs" / "learn" / "evolve.md"
    rows = [f"| `{name}` | {each.expression} | {each.meaning} |" for name, each in FEATURES.items()]
    assert all(row in page.read_text(encoding="utf-8") for row in rows)


@pytest.mark.parametrize("seed", range(20))
def test_the_formula_in_plain_python_gives_the_same_schedule(seed: int) -> None:
    """The printed formula gives the same starts as the core, with every feature in use."""
    random = np.random.default_rng(seed)
    drawn = [dict(zip(FEATURES, random.normal(size=len(FEATURES)).round(3).tolist(), strict=True))
             for _ in range(2)]  # fmt: skip
    priority = Priority("drawn", *drawn)
    head, backfill = (Formula(text) for text in priority.formulas().values())
    native = simulate(crowd(count=120), NODES, priority.policy(), predict="last-two")
    plain = simulate(crowd(count=120), NODES, _core.Easy(head, None, backfill), predict="last-two")
    assert np.array_equal(native.start_s, plain.start_s)


def test_a_formula_reads_like_one() -> None:
    """Terms without weight are left out, and signs stand before their terms."""
    weights = {"log_estimate": 1.0, "share": 0.0, "log_wait": -0.5}
    assert formula(weights) == "1.0 * log10(estimate_s) - 0.5 * log10(1 + wait_s)"
    assert formula({"log_wait": -0.5}) == "-0.5 * log10(1 + wait_s)"
    assert formula({}) == "0"


def test_a_file_keeps_everything(file: Path) -> None:
    """What is read is what was written."""
    assert read_priority(file) == PRIORITY
    restrained = replace(PRIORITY, max_priority_gap=0.25)
    write_priority(file, restrained)
    assert read_priority(file) == restrained


def test_who_is_far_behind_is_held_back() -> None:
    """A job of fifty times the head's area would delay no job, but waits until it is the first."""
    workload = jobs((0, 3, 10, 10), (1, 2, 1, 1), (1, 1, 100, 100))
    weights = {"log_estimate": 1.0, "log_nodes": 1.0}
    eager = Priority("eager", weights, weights)
    assert simulate(workload, 4, eager.policy()).start_s.tolist() == [0, 10, 1]
    patient = replace(eager, max_priority_gap=1.0)
    assert simulate(workload, 4, patient.policy()).start_s.tolist() == [0, 10, 10]


def test_a_file_is_a_policy_wherever_policies_are_named(file: Path) -> None:
    """It may have a predictor, and is recorded under its name."""
    by_name = simulate(crowd(), NODES, f"evolved:{file}:predict=last-two")
    assert by_name.policy == f"evolved:{file}:predict=last-two"
    directly = simulate(crowd(), NODES, PRIORITY.policy(), predict="last-two")
    assert np.array_equal(by_name.start_s, directly.start_s)
    with pytest.raises(ParameterError, match="decides by itself"):
        find_policy(f"evolved:{file}", depth=3)


def test_it_keeps_the_rules_of_policies() -> None:
    """It does so like every policy of the table."""
    check_policy(PRIORITY.policy())


@pytest.mark.parametrize(
    ("weights", "order"),
    [
        ("log_wait=-1", "fcfs"),
        ("log_estimate=1", "sjf"),
        ("log_estimate=-1", "ljf"),
        ("log_nodes=1", "snf"),
        ("share=-1", "lnf"),
    ],
)
def test_simple_orders_are_linear_ones(weights: str, order: str) -> None:
    """The search contains the rules that it is compared with."""
    linear = simulate(crowd(), NODES, f"linear+easy:{weights}")
    assert np.array_equal(linear.start_s, simulate(crowd(), NODES, f"{order}+easy").start_s)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "not TOML"),
        ("[head]\n[backfill]\n", "name is None; must be a text"),
        ('name = "x"\n[head]\n', "[backfill] is None; must be a section of weights"),
        ('name = "x"\nhead = 3\n[backfill]\n', "[head] is 3; must be a section of weights"),
        ('name = "x"\n[heads]\n', 'unknown key or section of the priority "heads"'),
        ('name = "x"\n[head]\nlog_wayt = 1\n[backfill]\n', 'did you mean "log_wait"?'),
        ('name = "x"\n[head]\nlog_wait = "1"\n[backfill]\n', "log_wait is '1'; must be a number"),
        ('name = "x"\n[head]\nlog_wait = inf\n[backfill]\n', "must be a number"),
        ('name = "x"\nprovenance = 1\n[head]\n[backfill]\n', "provenance is 1; must be a section"),
    ],
)
def test_a_wrong_file_gets_one_clear_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    """Files are written by hand too."""
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        find_policy(f"evolved:{path}")
    assert str(caught.value).startswith(f"{path}")
    assert sentence in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The error names the missing file, as everywhere."""
    with pytest.raises(SchedlabError, match=r"nowhere\.toml: no such file"):
        find_policy(f"evolved:{tmp_path / 'nowhere.toml'}")


def test_a_weight_must_be_a_number() -> None:
    """This holds for a parameter in a policy's name, too."""
    with pytest.raises(ParameterError, match='share is "wide"; must be a number'):
        find_policy("linear+easy:share=wide")
