"""Failures of nodes and preemption on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

TRACE = """\
; MaxNodes: 2
1 0 -1 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
2 1 -1 5 1 -1 -1 1 5 -1 1 1 1 -1 -1 -1 -1 -1
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A job on both nodes, and a shorter one behind it."""
    path = tmp_path / "t.swf"
    path.write_text(TRACE)
    return path


def rows(run: Run, trace: Path, *options: str) -> dict[str, Any]:
    """Return the only row of the result."""
    done = run("simulate", trace, "--policy", "easy", "--json", "--no-past", *options)
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)[0]
    return found


def test_failures_come_from_a_file(run: Run, trace: Path, tmp_path: Path) -> None:
    """The first job starts again when the node is up and the second job has ended."""
    path = tmp_path / "failures.csv"
    path.write_text("node,at_s,repair_s\n0,4,5\n")
    assert rows(run, trace, "--failures", str(path))["makespan_s"] == 19


def test_failures_are_drawn(run: Run, trace: Path) -> None:
    """A seed draws the same failures again; another seed draws others."""
    ends = [
        rows(run, trace, "--failures", f"up=5s,repair=1s,seed={seed}")["makespan_s"]
        for seed in (3, 3, 1, 2)
    ]
    assert ends[0] == ends[1]
    assert len(set(ends)) > 1


def test_the_shorter_job_takes_the_nodes(run: Run, trace: Path) -> None:
    """The shorter job runs from 1 to 6; the longer one begins again, or goes on if suspended."""
    assert rows(run, trace, "--preempt", "srpt")["makespan_s"] == 16
    suspended = rows(run, trace, "--preempt", "srpt", "--when-preempted", "suspend")
    assert suspended["makespan_s"] == 15


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--failures", "up=5s"], "must have up= and repair="),
        (["--failures", "up=5s,down=1s"], '"down=1s" must be one of up=, repair=, shape=, seed='),
        (["--failures", "no.csv"], "no.csv: no such file"),
        (["--preempt", "age"], 'unknown preemption "age"'),
        (["--preempt", "qos"], "preemption by QOS needs the tiers"),
    ],
)
def test_mistakes_get_one_sentence(run: Run, trace: Path, options: list[str], said: str) -> None:
    """Exit code 2."""
    done = run("simulate", trace, "--policy", "easy", *options)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("node,at\n", "failures.csv:1: the header must be node,at_s,repair_s"),
        ("node,at_s,repair_s\n0,x,1\n", "failures.csv:2: "),
        ("node,at_s,repair_s\n7,1,1\n", "node 7 fails; must be 0 to 1"),
        ("node,at_s,repair_s\n0,1,9\n0,5,1\n", "must be up"),
    ],
)
def test_a_wrong_list_is_told(run: Run, trace: Path, tmp_path: Path, text: str, said: str) -> None:
    """The message says where the list is wrong."""
    path = tmp_path / "failures.csv"
    path.write_text(text)
    done = run("simulate", trace, "--policy", "easy", "--failures", path)
    assert done.exit_code == 2
    assert said in done.stderr
