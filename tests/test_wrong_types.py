"""Arguments of another type than the function takes are refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from schedlab import simulate
from schedlab.errors import SchedlabError
from schedlab.metrics import METRICS, compare, over_time, table
from schedlab.viz import draw_cdf, draw_gantt
from schedlab.workload import Workload, apply, read_workload, write_workload

JOBS = Workload({"job_id": [1], "submit_s": [0], "nodes": [2], "request_s": [9], "run_s": [5]})
DONE = simulate(JOBS, 4, "easy")
WAIT: Any = METRICS["wait"]
A_PATH: Any = "trace.swf"
COLUMNS: Any = {"nodes": [1]}
ONE: Any = DONE

WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "a fraction of nodes": (lambda: simulate(JOBS, 64.0, "easy"), "platform is 64.0; must be a "),  # type: ignore[arg-type]
    "no platform": (lambda: simulate(JOBS, None, "easy"), "platform is None; must be a Platform"),  # type: ignore[arg-type]
    "a path as workload": (lambda: simulate(A_PATH, 4, "easy"), "the jobs are a str; must be a"),
    "columns as workload": (lambda: simulate(COLUMNS, 4, "easy"), "the jobs are a dict; must be"),
    "a fraction as tick": (lambda: simulate(JOBS, 4, "easy", tick=1.5), "tick is 1.5; must be a"),  # type: ignore[arg-type]
    "a huge tick": (lambda: simulate(JOBS, 4, "easy", tick=2**63), "tick is 9223372036854775808"),
    "a depth of 0": (lambda: simulate(JOBS, 4, "easy", depth=0), "depth is 0; must be >= 1"),
    "a metric": (lambda: compare([DONE], [WAIT]), "a metric is a JobMetric; must be a name"),
    "one name": (lambda: compare([DONE], "wait"), 'metrics is a text; must be a list, as in \\["'),
    "one schedule": (lambda: compare(ONE, ["wait"]), "are one Schedule; must be a list"),
    "one in a picture": (lambda: draw_cdf(ONE), "are one Schedule; must be a list"),
    "one in a chart": (lambda: draw_gantt(ONE), "are one Schedule; must be a list"),
    "many in a table": (lambda: table([ONE], "wait"), "a schedule is a list; must be a Schedule"),  # type: ignore[arg-type]
    "of the schedule": (lambda: table(DONE, METRICS["makespan"]), "a metric is a Metric; must be"),  # type: ignore[arg-type]
    "no schedule": (lambda: over_time(None), "a schedule is a NoneType; must be a Schedule"),  # type: ignore[arg-type]
    "a path to write": (lambda: write_workload(A_PATH, "b.swf"), "the jobs are a str; must be a"),
    "a path to shape": (lambda: apply(A_PATH, ["head=1"]), "the jobs are a str; must be a"),
    "one renaming": (
        lambda: read_workload("a.csv", rename="Cores=cores"),  # type: ignore[arg-type]
        'rename is a str; must be a mapping, as in {"Cores": "cores"}',
    ),
    "no such grouping": (lambda: compare([DONE], ["wait"], by="sizes"), 'did you mean "size"'),
    "one transform": (lambda: apply(JOBS, "head=1"), "transforms is a text; must be a list"),
}


@pytest.mark.parametrize("what", WRONG)
def test_another_type_is_one_sentence(what: str) -> None:
    """It says what is wrong and what is allowed; it is no AttributeError from within."""
    call, sentence = WRONG[what]
    with pytest.raises(SchedlabError, match=sentence):
        call()


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_numpy_s_integers_are_integers(kind: type[np.integer[Any]]) -> None:
    """Every computation with columns returns them."""
    found = simulate(JOBS, kind(4), "easy", tick=kind(60), depth=kind(5))  # type: ignore[arg-type]
    assert found == simulate(JOBS, 4, "easy", tick=60, depth=5)


def test_a_misspelt_rule_of_an_environment_is_told_with_the_right_one() -> None:
    """The same holds for gymnasium.make, which passes its keywords on."""
    rl = pytest.importorskip("schedlab.rl")
    gymnasium = pytest.importorskip("gymnasium")
    for make in (
        rl.QueueEnv,
        partial(rl.QueueVectorEnv, 2),
        partial(gymnasium.make, "schedlab/Queue-v0"),
    ):
        with pytest.raises(SchedlabError, match='visible_job"; did you mean "visible_jobs"'):
            make(visible_job=3)
