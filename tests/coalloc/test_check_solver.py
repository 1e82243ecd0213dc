"""The conformance test for solvers: ours pass, and each rule finds a solver that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import ClassVar

import pytest

from schedlab.coalloc import SOLVERS, Limits, Objective, Problem, Solution
from schedlab.coalloc.greedy import Greedy
from schedlab.errors import SolverError
from schedlab.testing.coalloc import check_solver

QUICK = {"lns": "lns:moves=10", "restart-greedy": "restart-greedy:restarts=10"}

Change = Callable[[Solution], Solution]


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_of_the_table_keeps_the_rules(name: str) -> None:
    """Complete, relaxed or greedy: every claim of the solver is true."""
    if name == "cpsat":
        pytest.importorskip("ortools")
    check_solver(QUICK.get(name, name))


@dataclass(frozen=True)
class Liar:
    """The greedy solver, with a false claim about its answer."""

    change: Change
    name: ClassVar[str] = "liar"

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return the greedy answer, changed."""
        return self.change(Greedy().solve(problem, objective, limits))


_TURN = count()

LIES: dict[str, tuple[Change, str]] = {
    "jobs forgotten": (lambda s: replace(s, starts=s.starts[:-1]), "for each job"),
    "overlaps": (lambda s: replace(s, starts=(1,) * len(s.starts)), "must not have overlaps"),
    "chance": (
        lambda s: replace(s, starts=(None, *s.starts[1:]) if next(_TURN) % 2 else s.starts),
        "the same seed must give the same answer",
    ),
    "false bound": (
        lambda s: replace(s, bound=0.0 if s.objective.may_leave_out else 999.0),
        "a bound must not be tighter than the optimum",
    ),
    "false proof": (lambda s: replace(s, ending="infeasible"), "only of problems that are"),
}


@pytest.mark.parametrize("what", LIES)
def test_each_rule_finds_who_breaks_it(what: str) -> None:
    """The error names the rule, the solver, the problem and the objective."""
    change, sentence = LIES[what]
    with pytest.raises(SolverError, match=sentence) as found:
        check_solver(Liar(change))
    assert "solver liar broke this on problem" in str(found.value)
