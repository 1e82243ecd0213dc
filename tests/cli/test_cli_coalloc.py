"""schedlab coalloc: from a generated problem to answers, tables and pictures."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

pytest.importorskip("ortools")


@pytest.fixture
def tight(run: Run, tmp_path: Path) -> Path:
    """Thirty jobs that do not all fit into eight slots."""
    path = tmp_path / "tight.toml"
    run("coalloc", "generate", "--jobs", "30", "--slots", "8", "--seed", "1", "--out", path)
    return path


@pytest.fixture
def roomy(run: Run, tmp_path: Path) -> Path:
    """Twelve jobs in forty slots, as JSON."""
    path = tmp_path / "roomy.json"
    run("coalloc", "generate", "--jobs", "12", "--slots", "40", "--out", path)
    return path


def test_what_was_generated_is_said(run: Run, tmp_path: Path) -> None:
    """People get one line; programs also get the seed."""
    out = tmp_path / "a.toml"
    arguments = ("coalloc", "generate", "--jobs", "20", "--seed", "3", "--out", out)
    assert run(*arguments).stdout == f"{out}: 20 jobs on 15 resources in 20 slots\n"
    assert json.loads(run(*arguments, "--json").stdout)["seed"] == 3


@pytest.mark.parametrize("solver", ["dpop", "wd", "split", "lns:moves=50", "greedy", "cpsat"])
def test_every_solver_answers_with_the_same_keys(run: Run, roomy: Path, solver: str) -> None:
    """Programs can compare the answers; here all jobs fit."""
    result = run("coalloc", "solve", roomy, "--solver", solver, "--seed", "5", "--json")
    answer = json.loads(result.stdout)
    assert answer["feasible"]
    assert answer["solver"] == solver
    assert set(answer["starts"]) == {f"E{at}" for at in range(1, 13)}
    assert answer["value"] <= answer["bound"]
    assert 0 <= answer["gap"] < 1
    assert answer["makespan"] >= 1
    assert answer["seed"] == 5
    assert answer["versions"]["ortools"]
    assert answer["messages"] is None or answer["messages"]["largest_bytes"] > 0


def test_an_answer_for_people(run: Run, tight: Path) -> None:
    """The answer shows the verdict, the jobs left out and the schedule in 80 columns."""
    result = run("coalloc", "solve", tight)
    assert result.exit_code == 0
    assert "cpsat, value: optimal" in result.stdout
    assert "left out: " in result.stdout
    assert max(len(line) for line in result.stdout.splitlines() if "left out" not in line) <= 80


@pytest.mark.parametrize("solver", ["cpsat", "greedy"])
def test_infeasible_is_a_result_with_exit_code_1(run: Run, tight: Path, solver: str) -> None:
    """The input is right, so the exit code is not 2."""
    result = run("coalloc", "solve", tight, "--solver", solver, "--objective", "makespan")
    assert result.exit_code == 1
    assert "infeasible: it is proven that not all jobs fit" in " ".join(result.stdout.split())


def test_criteria_decide_one_after_the_other(run: Run, tight: Path) -> None:
    """The second criterion keeps the value and does not raise the sum of starts."""
    plain, both = (
        json.loads(run("coalloc", "solve", tight, "--objective", each, "--json").stdout)
        for each in ("value", "value,sum-of-starts")
    )
    assert both["value"] == plain["value"]
    assert both["sum_of_starts"] <= plain["sum_of_starts"]


def test_a_tree_too_wide_for_the_memory_is_refused(run: Run, tight: Path) -> None:
    """DPOP refuses before it computes anything, and says how much memory it would need."""
    result = run("coalloc", "solve", tight, "--solver", "dpop", "--memory", "1MB")
    assert result.exit_code == 2
    assert "memory limit is 977 KiB" in result.stderr


def test_the_control_stands_in_every_comparison(run: Run, tight: Path, roomy: Path) -> None:
    """Each solver has one row over all problems; restart greedy comes first without being named."""
    result = run("coalloc", "compare", tight, roomy, "--solver", "greedy", "--solver", "cpsat")
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines() if " of 2" in line]
    assert [row[0] for row in rows] == ["restart-greedy", "greedy", "cpsat"]
    assert all(row[1:4] == ["2", "of", "2"] for row in rows)
    assert rows[2][6:8] == ["1.000", "0.00%"]


def test_a_comparison_as_json_holds_every_answer(run: Run, tight: Path) -> None:
    """The JSON has every answer, and the solvers that refused."""
    arguments = ("coalloc", "compare", tight, "--solver", "dpop", "--memory", "1MB", "--json")
    found = json.loads(run(*arguments).stdout)
    assert [answer["solver"] for answer in found["answers"]] == ["restart-greedy"]
    assert found["refusals"][0].startswith("dpop refuses uniform-30-1")


def test_a_problem_is_shown(run: Run, tight: Path, tmp_path: Path) -> None:
    """The command shows the graph, bounds and trees, in numbers and in pictures."""
    pytest.importorskip("matplotlib")
    graph, tree = tmp_path / "graph.svg", tmp_path / "tree.svg"
    drawn = run("coalloc", "show", tight, "--figure", tree, "--figure-kind", "tree")
    assert drawn.exit_code == 0
    result = run("coalloc", "show", tight, "--figure", graph)
    assert result.exit_code == 0
    assert "uniform-30-1: 30 jobs on 15 resources in 8 slots" in result.stdout
    assert "min-fill" in result.stdout
    assert "<svg" in graph.read_text()
    assert "pseudo tree of width" in tree.read_text()
    facts = json.loads(run("coalloc", "show", tight, "--json").stdout)
    assert facts["bounds"]["value"]["lp"] <= facts["bounds"]["value"]["load"]


def test_the_schedule_is_drawn(run: Run, roomy: Path, tmp_path: Path) -> None:
    """The suffix of the file name gives the format of the picture."""
    pytest.importorskip("matplotlib")
    gantt = tmp_path / "gantt.svg"
    result = run("coalloc", "solve", roomy, "--figure", gantt)
    assert f"written: {gantt}" in " ".join(result.stdout.split())
    assert "<svg" in gantt.read_text()


BAD: dict[str, tuple[list[str], str]] = {
    "unknown solver": (["--solver", "cp-sat"], 'did you mean "cpsat"?'),
    "unknown parameter": (["--solver", "wd:widht=3"], 'did you mean "width"?'),
    "bad parameter": (["--solver", "wd:width=big"], "is not a whole number"),
    "unknown objective": (["--objective", "maximum"], "unknown objective"),
    "bad memory": (["--memory", "much"], "is not an amount of memory"),
    "no memory": (["--memory", "0"], "must be above 0"),
    "bad time": (["--time-limit", "soon"], "is not a duration"),
    "no time": (["--time-limit", "0s"], "must be above 0"),
    "bad picture": (["--figure", "a.gif"], "must end in one of"),
    "picture nowhere": (["--figure", "absent/a.png"], "folder absent does not exist"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_mistake_is_answered_with_one_line(what: str, run: Run, roomy: Path) -> None:
    """The exit code is 2."""
    options, sentence = BAD[what]
    result = run("coalloc", "solve", roomy, *options)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert result.stderr.count("\n") == 1


def test_an_interrupt_before_there_is_an_answer(
    run: Run, roomy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver that has nothing yet ends as any command does: exit code 130, no traceback."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slow_solver.py").write_text(
        "class Slow:\n"
        "    name = 'slow'\n"
        "    def solve(self, problem, objective, limits):\n"
        "        raise KeyboardInterrupt\n"
    )
    result = run("coalloc", "solve", roomy, "--solver", "slow_solver:Slow")
    assert result.exit_code == 130
    assert result.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["lns", "cpsat", "restart-greedy"])
def test_an_interrupt_gives_the_best_so_far(run: Run, tmp_path: Path, solver: str) -> None:
    """Ctrl-C ends a search that would take minutes; its best answer is printed."""
    path = tmp_path / "large.toml"
    run("coalloc", "generate", "--jobs", "200", "--out", path)
    before_the_search = (130, -signal.SIGINT)  # schedlab's, and that of a Python that is starting
    for patience_s in (3, 9, 27, 81):  # a busier machine needs more
        code, out, err = interrupted_after(patience_s, path, solver)
        if code not in before_the_search:
            break
    assert code == 0, err
    answer = json.loads(out)
    assert answer["ending"] == "interrupted"
    assert answer["feasible"]
    assert "interrupted; this is the best so far" in err


def interrupted_after(patience_s: float, path: Path, solver: str) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of a search that gets Ctrl-C."""
    options = ["--solver", solver, "--time-limit", "5m", "--json"]
    command = [sys.executable, "-m", "schedlab", "coalloc", "solve", str(path), *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        time.sleep(patience_s)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err
