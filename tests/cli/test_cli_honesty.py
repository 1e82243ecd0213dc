"""schedlab incentive honesty."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

COMMAND = ("incentive", "honesty")


@pytest.fixture
def shadow(tmp_path: Path) -> str:
    """Ann asks for 20 s and needs 8 s, and could end before Bob's wide job may start, at 10."""
    path = tmp_path / "shadow.csv"
    path.write_text(
        "job_id,submit_s,nodes,request_s,run_s,user\n"
        "1,0,2,10,10,bob\n"
        "2,0,4,5,5,bob\n"
        "3,0,2,20,8,ann\n"
        "4,100,1,100,50,cat\n"
    )
    return str(path)


def test_the_table_fits_80_columns(run: Run, shadow: str) -> None:
    """Ann starts 15 s earlier and Cat never waits, so their mean wait of 7.5 s is gone."""
    result = run(
        *COMMAND, shadow, "--nodes", "4", "--policy", "easy", "--policy", "fcfs", "--min-jobs", "1"
    )
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "2 users, times in s" in lines
    assert "easy 8 -8 -15 to +0 -100.0 % 50% +0" in lines


def test_json_is_all_there_is(run: Run, shadow: str) -> None:
    """The JSON has every user's rows; one user alone has no interval."""
    result = run(*COMMAND, shadow, "--nodes", "4", "--policy", "easy", "--user", "ann", "--json")
    found = json.loads(result.stdout)
    accurate, padded = found["summary"]
    assert (accurate["wait_change_s"], accurate["wait_change_low_s"]) == (-15, None)
    assert padded["wait_change_s"] == 0
    assert [row["user"] for row in found["changes"]] == ["ann", "ann"]


def test_the_figure_is_written(run: Run, shadow: str, tmp_path: Path) -> None:
    """The command says that it wrote the picture, and draws the same bytes again."""
    path = tmp_path / "honesty.svg"
    options = ("--nodes", "4", "--policy", "easy", "--min-jobs", "1", "--figure", path)
    result = run(*COMMAND, shadow, *options)
    assert result.exit_code == 0
    assert f"written: {path}" in result.stdout
    picture = path.read_text(encoding="utf-8")
    assert "1 gain, 0 lose" in picture
    run(*COMMAND, shadow, *options)
    assert path.read_text(encoding="utf-8") == picture


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--user", "dan"], 'unknown user "dan"; did you mean "ann"?'),
        ([], 'workload "shadow" has no user with 10 jobs'),
        (["--policy", "eazy"], 'unknown policy "eazy"'),
        (["--policy", "easy"], 'policy "easy" is given twice'),
        (["--figure", "honesty.gif"], "the name of a picture must end in one of"),
        (["--figure", "no/such/folder.png"], "folder no/such does not exist"),
        (["--nodes", "2", "--user", "ann"], "4 nodes"),
        (["--users", "0"], "--users"),
    ],
)
def test_mistakes_are_one_line(run: Run, shadow: str, options: list[str], sentence: str) -> None:
    """The exit code is 2."""
    result = run(*COMMAND, shadow, "--nodes", "4", "--policy", "easy", *options)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_a_trace_without_users_is_one_line(run: Run, tmp_path: Path) -> None:
    """There is no user whose requests could be changed."""
    path = tmp_path / "nobody.csv"
    path.write_text("job_id,submit_s,nodes,request_s,run_s\n1,0,1,9,5\n")
    result = run(*COMMAND, path, "--nodes", "1", "--policy", "easy")
    assert (result.exit_code, result.stderr) == (
        2,
        'schedlab: workload "nobody" has no column user\n',
    )
