"""Partitions and queues of a trace on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def two_queues(tmp_path: Path) -> Path:
    """Four nodes and two queues: no job waits on one pool; with 2 nodes each the second waits.

    The fifth field is the size of a job, the fifteenth its queue.
    """
    path = tmp_path / "two.swf"
    path.write_text(
        "; MaxNodes: 4\n; MaxProcs: 4\n; Queue: 1 day\n; Queue: 2 night\n"
        "1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 1 -1 -1 -1\n"
        "2 0 10 10 2 -1 -1 2 10 -1 1 1 1 -1 1 -1 -1 -1\n"
        "3 50 0 10 1 -1 -1 1 10 -1 1 1 1 -1 2 -1 -1 -1\n"
    )
    return path


def test_queues_that_became_one_pool_are_told(run: Run, two_queues: Path) -> None:
    """The message says how to keep them apart, which the next test does."""
    result = run("simulate", two_queues, "--policy", "easy", "--json")
    told = "the trace has 2 queues; they were one pool: --partitions trace keeps them apart\n"
    assert told in result.stderr
    assert json.loads(result.stdout)[0]["mean_wait_s"] == 0


def test_queues_are_kept_apart(run: Run, two_queues: Path) -> None:
    """The sizes come from the trace or from the option."""
    for sizes, note in (
        ("trace", "partitions: day 2, night 1 nodes, inferred"),
        ("day=2,2=2", "partitions: day 2, night 2 nodes, as given"),
    ):
        words = ("--policy", "easy", "--policy", "fcfs", "--partitions", sizes, "--json")
        result = run("simulate", two_queues, *words)
        assert result.exit_code == 0, result.stderr
        assert note in result.stderr
        assert "one pool" not in result.stderr
        easy, _, past = json.loads(result.stdout)
        assert easy["mean_wait_s"] == pytest.approx(10 / 3)
        assert past["policy"] == "as it was"


def test_a_job_wider_than_its_partition(run: Run, two_queues: Path) -> None:
    """Such a job is refused, dropped or clipped, like one wider than the machine."""
    words = ("simulate", two_queues, "--policy", "easy", "--partitions", "day=1,night=3")
    refused = run(*words)
    assert refused.exit_code == 2
    assert refused.stderr == (
        'schedlab: job 1 asks for 2 nodes of partition "day", which has 1; '
        "leave such jobs out or clip them with oversize=drop|clip\n"
    )
    for what, jobs in (("drop", 1), ("clip", 3)):
        result = run(*words, "--oversize", what, "--json")
        assert json.loads(result.stdout)[0]["jobs"] == jobs
        assert "ped 2 of 3: wider than their partition\n" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--partitions", "day=two"], 'partitions is "day=two"; must be trace, or sizes such as'),
        (["--partitions", "dya=2"], 'unknown partition "dya"; did you mean "day"?'),
        (["--partitions", "1=3,2=3"], "day=3, night=3 nodes do not fit side by side into 4 nodes"),
        (["--partitions", "trace", "--platform", "x.toml"], "exclude each other"),
    ],
)
def test_mistakes(run: Run, two_queues: Path, words: list[str], said: str) -> None:
    """One sentence, exit code 2."""
    result = run("simulate", two_queues, "--policy", "easy", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_model_has_no_partitions(run: Run, tmp_path: Path) -> None:
    """Evolution reads jobs from a trace or draws them from a model, which has no partitions."""
    words = ("--metric", "wait", "--out", tmp_path / "x.toml", "--partitions", "trace")
    result = run("learn", "evolve", "wl1", *words)
    assert (result.exit_code, result.stderr) == (
        2,
        "schedlab: --partitions needs a trace; wl1 is a model\n",
    )
