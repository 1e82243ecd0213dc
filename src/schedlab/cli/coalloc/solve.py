"""schedlab coalloc solve."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Exit, Option

from schedlab.cli.coalloc.distribution import Distribution, privacy_table
from schedlab.cli.coalloc.effort import ObjectiveText, ProblemFile, SolverEffort
from schedlab.cli.console import AsJson, heading, new_table, out, print_json, print_notes

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.coalloc import Solution

EXAMPLES = (
    "schedlab coalloc solve thirty.toml",
    "schedlab coalloc solve thirty.toml --solver wd:width=5 --objective makespan --json",
    "schedlab coalloc solve tight.json --solver lns --time-limit 5s --figure tight.png",
    "schedlab coalloc solve thirty.toml --solver dpop --memory 2GB",
    "schedlab coalloc solve thirty.toml --solver dpop --agents 3 --transport tcp --privacy",
)

_MAX_LISTED = 60
"""With more jobs, only --json and --figure show the schedule."""


def solve(
    file: ProblemFile,
    effort: SolverEffort,
    distribution: Distribution,
    solver: Annotated[
        str,
        Option(
            metavar="NAME[:KEY=VALUE,...]",
            help="dpop, wd, split, lns, greedy, restart-greedy or cpsat.",
        ),
    ] = "cpsat",
    objective: ObjectiveText = "value",
    figure: Annotated[
        Path | None,
        Option(metavar="FILE", help="Draw the schedule as .png, .pdf or .svg."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Find a first slot for each job.

    Ctrl-C ends the search with the best solution so far, if there is one.

    The exit code is 1 if no feasible schedule was found, or if agents fail for good.
    """
    from schedlab.cli.coalloc.answers import INFEASIBLE, answer_row, versions
    from schedlab.cli.pictures import Pictures
    from schedlab.cli.progress import progress
    from schedlab.coalloc import Objective, read_problem
    from schedlab.coalloc import solve as run

    wanted, limits = Objective.parse(objective), effort.limits()
    Pictures(figure=figure).check()
    problem = read_problem(file)
    with distribution.solver(solver) as chosen, progress(f"solving {problem.name}"):
        found = replace(run(problem, chosen, wanted, limits), solver=solver)
    if figure is not None:
        from schedlab.viz import draw_coalloc_gantt, save_figure

        save_figure(draw_coalloc_gantt(found), figure)
    if json:
        print_json({**answer_row(found, effort.seed), "versions": versions()})
    else:
        _show(found)
        if distribution.privacy:
            out().print(heading("what agents learnt"), "", privacy_table(found), "", sep="\n")
    written = [] if figure is None else [f"written: {figure}"]
    print_notes([*_notes(found), *written], to_stderr=json)
    if not found.feasible:
        raise Exit(INFEASIBLE)


def _show(found: Solution) -> None:
    from schedlab.cli.coalloc.answers import amounts, verdict

    table = new_table("", "", text_columns=2)
    table.show_header = False
    for line in amounts(found):
        table.add_row(*line)
    title = f"{found.problem.name}, {found.solver}, {found.objective}: {verdict(found)}"
    out().print(heading(title), "", table, "", sep="\n")
    if len(found.starts) <= _MAX_LISTED and found.feasible:
        out().print(_starts(found), "", sep="\n")


def _starts(found: Solution) -> Table:
    """Return the schedule, the earliest first."""
    problem = found.problem
    table = new_table("job", "resources", "slots", "value", text_columns=2)
    order = sorted(range(len(problem.jobs)), key=lambda job: (found.starts[job] or 0, job))
    for place in order:
        job, start = problem.jobs[place], found.starts[place]
        if start is not None:
            last = start + job.slots - 1
            names = ", ".join(problem.resources[each] for each in job.resources)
            when = str(start) if last == start else f"{start}–{last}"
            table.add_row(job.name, names, when, f"{job.value:,.6g}")
    return table


def _notes(found: Solution) -> list[str]:
    notes = []
    if found.feasible and found.unscheduled:
        names = ", ".join(found.problem.jobs[place].name for place in found.unscheduled)
        notes.append(f"left out: {names}")
    if found.ending == "time-limit":
        notes.append("the time limit ended the search; this is the best so far")
    if found.ending == "interrupted":
        notes.append("interrupted; this is the best so far")
    lost = {what: found.counters.get(f"jobs {what}", 0) for what in ("dropped", "adopted")}
    return notes + [
        f"an agent is lost for good: {count:,.0f} jobs {what}"
        for what, count in lost.items()
        if count
    ]
