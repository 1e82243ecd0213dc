"""schedlab coalloc compare."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from schedlab.cli.coalloc.effort import ObjectiveText, SolverEffort
from schedlab.cli.console import AsJson, heading, out, print_json, print_notes

EXAMPLES = (
    "schedlab coalloc compare thirty.toml",
    "schedlab coalloc compare *.toml --solver wd:width=5 --solver split --objective makespan",
    "schedlab coalloc compare tight.json --solver lns --solver cpsat --time-limit 10s --json",
)

CONTROL = "restart-greedy"
USUAL = ("greedy", "split", "wd", "lns", "cpsat")


def compare(
    files: Annotated[list[Path], Argument(metavar="FILE...", help="Problems as .toml or .json.")],
    effort: SolverEffort,
    solver: Annotated[
        list[str] | None,
        Option(
            metavar="NAME[:KEY=VALUE,...]",
            help=f"Solver to compare; may be given several times. {CONTROL} is always included.",
            show_default=", ".join(USUAL),
        ),
    ] = None,
    objective: ObjectiveText = "value",
    json: AsJson = False,
) -> None:
    """Solve the same problems with several solvers, beside the restart-greedy control."""
    from schedlab.cli.coalloc.answers import answer_row, versions
    from schedlab.cli.coalloc.tally import table, take
    from schedlab.coalloc import Objective, find_solver, read_problem

    wanted, limits = Objective.parse(objective), effort.limits()
    solvers = list(dict.fromkeys((CONTROL, *(solver or USUAL))))
    for name in solvers:
        find_solver(name)
    problems = [read_problem(file) for file in files]
    tallies = [take(name, problems, wanted, limits) for name in solvers]
    refusals = [refusal for tally in tallies for refusal in tally.refusals]
    if json:
        rows = [answer_row(each, effort.seed) for tally in tallies for each in tally.given]
        print_json({"answers": rows, "refusals": refusals, "versions": versions()})
    else:
        title = problems[0].name if len(problems) == 1 else f"means over {len(problems):,} problems"
        out().print(heading(f"{title}, {wanted}"), "", table(tallies), "", sep="\n")
    print_notes(refusals, to_stderr=json)
