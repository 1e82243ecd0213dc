"""``schedlab audit`` as people and programs use it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from schedlab.cli.app import app
from schedlab.sim import save_schedules, simulate
from schedlab.testing.instances import head_blocked, second_in_queue_at_risk

Audit = Callable[..., Result]


@pytest.fixture
def audit_command(monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Run the command within this process."""
    monkeypatch.setenv("COLUMNS", "60")
    return lambda *words: CliRunner().invoke(app, ["audit", *map(str, words)])


@pytest.fixture
def schedules(tmp_path: Path) -> Path:
    """A file with the schedules of FCFS and EASY for the same four jobs."""
    path = tmp_path / "two.csv"
    save_schedules([simulate(head_blocked(), 4, name) for name in ("fcfs", "easy")], path)
    return path


def test_a_faithful_schedule(audit_command: Audit, schedules: Path) -> None:
    """The exit code is 0; ``--policy`` also chooses the schedule of that name in the file."""
    result = audit_command(schedules, "--policy", "easy")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "two.csv: 4 jobs on 4 nodes against easy",
        "feasible: yes",
        "faithful: yes",
    ]


def test_a_departure_is_a_verdict_and_no_error(audit_command: Audit, schedules: Path) -> None:
    """The exit code is 1, the sentence is whole in a terminal of any width, and stderr is empty."""
    result = audit_command(schedules, "--policy", "easy", "--schedule", "fcfs")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[2:] == [
        "faithful: no, first at 0",
        "  job 4 could have started at 0 (2 nodes free, needs 2; it asks until 5 and the head, "
        "job 2, is promised 6) but started at 9",
        "  in all 1 of 4 jobs start elsewhere than under easy; mean wait 6.0 s instead of 3.8 s",
    ]
    assert result.stderr == ""


def test_json_for_programs(audit_command: Audit, schedules: Path) -> None:
    """The JSON has the verdict and everything it rests on."""
    result = audit_command(schedules, "--policy", "easy", "--schedule", "fcfs", "--json")
    assert result.exit_code == 1
    verdict = json.loads(result.stdout)
    assert (verdict["feasible"], verdict["faithful"]) == (True, False)
    assert verdict["departure"]["details"]["head_job_id"] == 2
    assert verdict["comparison"]["jobs_elsewhere"] == 1


def test_an_infeasible_schedule(audit_command: Audit, schedules: Path) -> None:
    """On three nodes even FCFS's schedule of these jobs is impossible."""
    result = audit_command(
        schedules, "--policy", "fcfs", "--schedule", "fcfs", "--nodes", "3", "--json"
    )
    assert result.exit_code == 1
    (violation,) = json.loads(result.stdout)["violations"]
    assert violation["rule"] == "width"


def test_options_reach_the_audit(audit_command: Audit, tmp_path: Path) -> None:
    """The audit takes tick, tolerance and format from the command line."""
    path = tmp_path / "cluster.log.csv"
    save_schedules(simulate(second_in_queue_at_risk(), 4, "easy", tick=10), path, format="swf")
    options = ("--format", "swf", "--policy", "easy")
    assert audit_command(path, *options, "--tick", "10").exit_code == 0
    assert audit_command(path, *options).exit_code == 1
    assert audit_command(path, *options, "--tolerance", "20").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("missing.csv", "--policy", "easy"), "schedlab: missing.csv: no such file"),
        (("two.csv", "--policy", "eazy"), 'schedlab: unknown policy "eazy"; did you mean "easy"?'),
        (("two.csv", "--policy", "sjf"), "holds schedules of fcfs, easy; choose one to audit"),
        (("two.csv",), "missing option '--policy'"),
        (("two.csv", "--policy", "easy", "--tolerance", "-1"), "--tolerance"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    audit_command: Audit,
    schedules: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    """A mistake is not a verdict."""
    monkeypatch.chdir(schedules.parent)
    result = audit_command(*words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
