"""Gradient boosting: when it trains, what it learns, and what it needs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from schedlab import Workload, simulate
from schedlab.errors import MissingExtraError, ParameterError
from schedlab.predict import find_predictor
from schedlab.predict.boosting import Boosting
from schedlab.testing import check_predictor
from schedlab.testing.instances import crowd


def two_kinds(count: int = 300) -> Workload:
    """Return jobs of one user in random order: wide ones run 900 s, narrow ones 100 s."""
    draw = np.random.default_rng(3)
    nodes = 1 + draw.integers(0, 2, count)
    return Workload(
        {
            "job_id": np.arange(1, count + 1),
            "submit_s": 2000 * np.arange(count),
            "nodes": nodes,
            "request_s": np.full(count, 3600),
            "run_s": np.where(nodes == 2, 900, 100),
            "user": np.zeros(count, dtype=np.int64),
        },
        name="two kinds",
    )


def estimates(workload: Workload, predictor: str | Boosting) -> np.ndarray:
    """Return the predicted run time of each job."""
    schedule = simulate(workload, 32, "easy", predict=predictor)
    assert schedule.estimate_s is not None
    return schedule.estimate_s


def test_before_the_first_training_it_says_what_last_two_says() -> None:
    """With nothing learned yet the simplest learner is the best there is."""
    pytest.importorskip("sklearn")
    workload = two_kinds()
    boosting = estimates(workload, Boosting(retrain_every=200))
    last_two = estimates(workload, "last-two")
    assert np.array_equal(boosting[:200], last_two[:200])
    assert not np.array_equal(boosting[200:], last_two[200:])


def test_after_a_training_it_tells_the_kinds_apart() -> None:
    """Last-two mixes both kinds; trees split by nodes."""
    pytest.importorskip("sklearn")
    workload = two_kinds()
    found = estimates(workload, Boosting(retrain_every=200))[200:]
    assert found == pytest.approx(workload["run_s"][200:], rel=0.1)


def test_it_trains_on_the_window_only() -> None:
    """What was true before the window is forgotten at the next training."""
    pytest.importorskip("sklearn")
    workload = two_kinds()
    changed = workload.replace(run_s=np.where(np.arange(300) < 100, 3600, workload["run_s"]))
    found = estimates(changed, Boosting(retrain_every=100, window=100))[200:]
    assert found == pytest.approx(workload["run_s"][200:], rel=0.1)


def test_trained_it_keeps_the_rules_of_predictors() -> None:
    """It sees no future, and a second simulation finds it as the first did."""
    pytest.importorskip("sklearn")
    check_predictor(Boosting(retrain_every=4, window=8), workloads=[crowd(count=10)])


def test_it_is_the_boosting_of_the_table() -> None:
    """The name makes a predictor with the default settings."""
    pytest.importorskip("sklearn")
    made = find_predictor("boosting").make(two_kinds())
    assert isinstance(made, Boosting)
    assert (made.retrain_every, made.window) == (500, 5000)


@pytest.mark.parametrize("name", ["retrain_every", "window"])
def test_nothing_can_be_learned_from_no_jobs(name: str) -> None:
    """Both parameters are numbers of jobs, so neither may be 0."""
    with pytest.raises(ParameterError, match=f"{name} is 0; must be >= 1"):
        Boosting(**{name: 0})


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is one sentence, with the command that installs the extra."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[predict\]"'):
        simulate(two_kinds(), 32, "easy:predict=boosting")


def test_importing_the_predictors_does_not_import_scikit_learn() -> None:
    """A user who does not use boosting does not wait for the import."""
    program = "import sys, schedlab.predict.boosting; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
