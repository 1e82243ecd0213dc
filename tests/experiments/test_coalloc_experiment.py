"""Experiments whose cells run solvers on drawn co-allocation problems."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from schedlab.coalloc import CoallocJob, Objective, Problem, Solution, solve
from schedlab.errors import InputError, ParameterError
from schedlab.experiments import (
    Experiment,
    LocalEngine,
    find_experiment,
    read_experiment,
    results,
    run_experiment,
    summary,
)
from schedlab.experiments.coallocation import instance
from schedlab.experiments.coallocation.instance import BETWEEN_DRAWS, Instance, InstanceRecipe, draw
from schedlab.experiments.coallocation.measures import MEASURES, SolverAnswer

pytest.importorskip("ortools")

FIGURES = Path(__file__).with_name("coallocation_two_draws.csv")

LITTLE = """
[experiment]
name = "little"
metrics = ["accuracy", "solved", "refused", "draws", "deleted_edges", "width_before", "width"]
seeds = [1, 2]

[coalloc]
kinds = ["ring"]
jobs = [6, 8]
resources = 4
slots = 12
objective = "makespan"
solvers = ["restart-greedy", { name = "narrow", solver = "wd:width=1" }]

[quick]
jobs = 7
"""

Little = Callable[..., Experiment]


@pytest.fixture
def little(tmp_path: Path) -> Little:
    """A function that replaces texts in the file of an eight-cell experiment and reads it."""

    def changed(*pairs: tuple[str, str]) -> Experiment:
        text = LITTLE
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "little.toml").write_text(text)
        return read_experiment(tmp_path / "little.toml")

    return changed


MISTAKES = {
    "kind": ('"ring"', '"rong"', '[coalloc]: unknown kind of problem "rong"; did you mean "ring"?'),
    "solver": ("wd:width=1", "wt:width=1", 'did you mean "wd"?'),
    "parameter": ("wd:width=1", "wd:with=1", 'did you mean "width"?'),
    "metric": ('"draws"', '"draw"', 'did you mean "draws"?'),
    "objective": ('"makespan"', '"makspan"', 'did you mean "makespan"?'),
    "no jobs": ("[6, 8]", "[0, 8]", "must be >= 1"),
    "nothing to solve": ("[6, 8]", "[]", "kinds and jobs must not be empty"),
    "key": ("slots =", "slot =", 'did you mean "slots"?'),
    "memory": ("slots =", 'memory = "much"\nslots =', '"much" is not an amount of memory'),
    "a policy": ("seeds =", 'policies = ["easy"]\nseeds =', "policies"),
    "a workload": ("[coalloc]", "[[workload]]\n[coalloc]", "an experiment with [coalloc]"),
    "the same name": ('"narrow"', '"restart-greedy"', "name among the solvers given twice"),
    "brackets": ("[coalloc]", "[[coalloc]]", "write [coalloc] once, with single brackets"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_told_in_one_sentence(what: str, little: Little) -> None:
    """The sentence names the file, what is wrong and what is allowed."""
    old, new, said = MISTAKES[what]
    with pytest.raises(InputError) as caught:
        little((old, new))
    assert said in str(caught.value)
    assert "little.toml" in str(caught.value)


def test_a_run_gives_a_row_per_solver_and_problem(little: Little, tmp_path: Path) -> None:
    """A row has what the solver answers when called directly; the seed is the generator's."""
    run = run_experiment(little(), tmp_path / "out", engine=LocalEngine(1))
    assert (run.cells, run.finished, run.computed, run.failures) == (8, 8, 8, {})
    rows = results(tmp_path / "out").to_dicts()
    assert [row["policy"] for row in rows[:2]] == ["restart-greedy", "narrow"]
    first = rows[1]
    names = [first[key] for key in ("workload", "variant", "platform", "seed", "jobs")]
    assert names == ["ring", "6 jobs", "4 resources, 12 slots", 1, 6]
    problem = InstanceRecipe("ring", 6, 4, 12, "makespan", 1).problem(0)
    alone = solve(problem, "wd:width=1", "makespan")
    assert first["accuracy"] == solve(problem, "cpsat", "makespan").makespan / alone.makespan
    assert first["deleted_edges"] == alone.counters["deleted edges"]
    assert (first["width"], first["width_before"]) == (1, alone.counters["width before"])


def test_nothing_is_solved_twice(little: Little, tmp_path: Path) -> None:
    """Finished cells are kept; a solver under another name is the same cell."""
    run_experiment(little(), tmp_path / "out", engine=LocalEngine(1), only="6 jobs")
    renamed = little(('"narrow"', '"thin"'))
    assert run_experiment(renamed, tmp_path / "out", engine=LocalEngine(1)).computed == 4


def test_a_quick_run_has_smaller_problems(little: Little, tmp_path: Path) -> None:
    """It has one seed of two and at most seven jobs, under the names of the whole experiment."""
    run_experiment(little().reduced(), tmp_path / "out", engine=LocalEngine(1))
    rows = results(tmp_path / "out").filter(policy="narrow").to_dicts()
    assert [(row["variant"], row["jobs"]) for row in rows] == [("6 jobs", 6), ("8 jobs", 7)]


@pytest.mark.slow
def test_processes_side_by_side_give_the_same_table(little: Little, tmp_path: Path) -> None:
    """Every process draws the problems itself."""
    for workers in (1, 2):
        run_experiment(little(), tmp_path / str(workers), engine=LocalEngine(workers))
    one, two = (summary(tmp_path / str(workers)) for workers in (1, 2))
    assert one.equals(two)


def test_a_solver_whose_messages_do_not_fit_has_refused(little: Little, tmp_path: Path) -> None:
    """This is counted and is no failure; the tree of the whole problem is still known."""
    experiment = little(("wd:width=1", "dpop"), ("slots =", 'memory = "1kB"\nslots ='))
    run = run_experiment(experiment, tmp_path / "out", engine=LocalEngine(1))
    assert run.failures == {}
    refused = results(tmp_path / "out").filter(policy="narrow", refused=1.0)
    assert len(refused)
    assert refused["solved"].to_list() == [0.0] * len(refused)
    assert refused["accuracy"].count() == refused["width"].count() == 0
    assert refused["width_before"].min() == 3
    assert "accuracy over those solved" in (tmp_path / "out" / "report.md").read_text()


def test_a_problem_is_drawn_until_all_jobs_fit() -> None:
    """Six slots are rarely enough; if jobs may be left out, the first draw is taken."""
    tight = InstanceRecipe("uniform", 6, 4, 6, "makespan", seed=1)
    found = draw(tight)
    assert found.draws > 1
    assert found.problem == tight.problem(found.draws - 1)
    assert found.problem.name == f"uniform-6-{1 + (found.draws - 1) * BETWEEN_DRAWS}"
    assert not solve(tight.problem(0), "cpsat", "makespan").feasible
    assert draw(replace(tight, objective="value")).draws == 1


def test_jobs_that_never_fit_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty jobs need more than three slots of three resources in every draw."""
    monkeypatch.setattr(instance, "MAX_DRAWS", 3)
    with pytest.raises(ParameterError, match="40 jobs do not fit into 3 slots in any of 3 "):
        draw(InstanceRecipe("uniform", 40, 3, 3, "makespan", seed=1))


TWO_JOBS = Problem(
    ("A", "B"),
    (CoallocJob("both", (0, 1), 2, 3.0), CoallocJob("one", (0,), 1, 1.0)),
    slots=4,
)


def measured(starts: tuple[int | None, ...], objective: str) -> dict[str, float | None]:
    """Return the measures of these starts; the optimum of the two jobs is slot 3, value 4."""
    found = Solution(TWO_JOBS, starts, "by hand", Objective.parse(objective))
    drawn = Instance(TWO_JOBS, solve(TWO_JOBS, "cpsat", objective), draws=1)
    answer = SolverAnswer(drawn, found, tree=None)
    return {name: measure.formula(answer) for name, measure in MEASURES.items()}


def test_accuracy_is_relative_to_the_optimum() -> None:
    """It is optimal / obtained makespan, or obtained / optimal value."""
    late, best, few = (
        measured((1, 4), "makespan"),
        measured((1, 3), "makespan"),
        measured((1, None), "value"),
    )
    assert (late["accuracy"], late["optimal"], late["proven"]) == (3 / 4, 0, 1)
    assert (best["accuracy"], best["optimal"]) == (1, 1)
    assert few["accuracy"] == 3 / 4


def test_an_answer_that_is_not_feasible_is_not_solved() -> None:
    """If all jobs are wanted, an overlap or a missing job gives no accuracy, and is counted."""
    for starts in ((1, 2), (1, None)):
        wrong = measured(starts, "makespan")
        assert (wrong["solved"], wrong["refused"], wrong["optimal"]) == (0, 0, 0)
        assert wrong["accuracy"] is wrong["gap"] is None


def test_sizes_are_of_full_domains_and_four_bytes() -> None:
    """Width 5 in 20 slots is the paper's 12 MB: 20⁵ · 4 bytes are 12.2 MiB."""
    answer = SolverAnswer(draw(InstanceRecipe("ring", 8, 4, 20, "makespan", 1)), None, None)
    assert answer.util_mib(5) == pytest.approx(12.207, abs=1e-3)
    assert answer.util_mib(None) is None


def test_the_experiment_is_as_it_was(tmp_path: Path) -> None:
    """Two of its draws keep their figures: a changed number means a changed solver."""
    whole = read_experiment(find_experiment("coallocation"))
    two = replace(whole, about=replace(whole.about, seeds=(0, 1)))
    run = run_experiment(two, tmp_path, engine=LocalEngine(1), only="uniform/20 jobs/")
    assert (run.cells, run.failures) == (16, {})
    ours = {
        (row["workload"], row["policy"], row["metric"]): row["ours"]
        for row in summary(tmp_path).to_dicts()
        if row["ours"] is not None
    }
    with FIGURES.open(newline="") as file:
        before = {
            (row["workload"], row["policy"], row["metric"]): float(row["ours"])
            for row in csv.DictReader(file)
        }
    assert ours == pytest.approx(before, rel=1e-6)
    for name in ("figures-3-4.svg", "figure-5.svg", "figure-6.svg"):
        assert name in (tmp_path / "report.md").read_text()
        assert "<svg" in (tmp_path / name).read_text()
