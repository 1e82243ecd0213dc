"""schedlab experiment: run a grid of simulations and compare it with a published table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Exit, Option

from schedlab.cli.commands import add_command, new_group
from schedlab.cli.computing import Computing
from schedlab.cli.console import (
    AsJson,
    err,
    heading,
    new_table,
    out,
    print_json,
    print_notes,
)

if TYPE_CHECKING:
    from schedlab.experiments import Run

RUN_EXAMPLES = (
    "schedlab experiment run classic",
    "schedlab experiment run classic --quick --only easy",
    "schedlab experiment run mine.toml --data traces --out out/mine --workers 8",
    "schedlab experiment run mine.toml --engine ray --address auto",
)
LIST_EXAMPLES = ("schedlab experiment list", "schedlab experiment list --json")
REPORT_EXAMPLES = ("schedlab experiment report out/classic",)

A_CELL_FAILED = 1


def run(
    experiment: Annotated[
        str,
        Argument(
            metavar="NAME|FILE.toml",
            help="An experiment as schedlab experiment list names it, or its file.",
        ),
    ],
    computing: Computing,
    data: Annotated[
        Path | None,
        Option(metavar="DIR", help="A folder with the traces, besides those fetched."),
    ] = None,
    output: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="DIR",
            help="Folder of the run; finished cells in it are not computed again.",
            show_default="out/NAME",
        ),
    ] = None,
    only: Annotated[
        str | None,
        Option(
            metavar="PATTERN",
            help="Only the cells whose name contains it, such as 'lublin/*/easy/'.",
        ),
    ] = None,
    models: Annotated[
        bool,
        Option("--models", help="Train the experiment's models too, and run them."),
    ] = False,
    quick: Annotated[
        bool,
        Option("--quick", help="Few jobs and few seeds, to try the experiment out."),
    ] = False,
    json: AsJson = False,
) -> None:
    """Run an experiment, or the rest of it, and compare the results with the published ones.

    The exit code is 0 if every cell was computed, 1 if some failed.
    """
    from schedlab.cli.learn.train import require_trainers
    from schedlab.cli.progress import progress
    from schedlab.experiments import find_experiment, read_experiment, run_experiment

    engine = computing.chosen()
    described = read_experiment(find_experiment(experiment))
    folder = output or Path("out") / (described.about.name + ("-quick" if quick else ""))
    chosen = described.reduced() if quick else described
    if models:
        require_trainers()
    try:
        with progress(f"running {described.about.name}") as report:
            done = run_experiment(
                chosen,
                folder,
                data=data,
                engine=engine,
                only=only,
                models=models,
                progress=report,
            )
    except KeyboardInterrupt:
        err().print(f"finished cells are kept in {folder}; run again to go on", style="dim")
        raise
    _show(done, json, untrained=bool(chosen.models) and not models)
    if done.failures:
        raise Exit(A_CELL_FAILED)


def list(json: AsJson = False) -> None:
    """List the experiments that can be run by name."""
    from schedlab.experiments.library import list_experiments, title_of

    found = {name: (title_of(path), path) for name, path in list_experiments().items()}
    if json:
        print_json(
            [
                {"name": name, "title": title, "file": str(path)}
                for name, (title, path) in found.items()
            ]
        )
        return
    table = new_table("experiment", "title", text_columns=2)
    for name, (title, _) in found.items():
        table.add_row(name, title)
    out().print(table)


def report(
    folder: Annotated[Path, Argument(metavar="DIR", help="The folder of a run.")],
    json: AsJson = False,
) -> None:
    """Write the tables and the report of a run again, finished or not, and print their paths."""
    from schedlab.experiments import write_report
    from schedlab.experiments.report import FILES

    write_report(folder)
    paths = [str(folder / name) for name in FILES]
    if json:
        print_json(paths)
    else:
        typer.echo("\n".join(paths))


def _show(done: Run, json: bool, *, untrained: bool) -> None:
    """Show the results at a glance, and what happened."""
    from schedlab.experiments import summary
    from schedlab.experiments.run_folder import RunFolder
    from schedlab.experiments.summary_table import summary_tables

    rows = summary(done.folder).to_dicts()
    if json:
        print_json(rows)
    else:
        for part in summary_tables(rows, RunFolder(done.folder).record(), between="\n"):
            table = new_table(*part.headings, text_columns=part.text_columns)
            for line in part.rows:
                table.add_row(*line)
            out().print(heading(part.label), table, "", sep="\n")
    for name, error in done.failures.items():
        err().print(f"failed: {name}: {error}", soft_wrap=True)
    notes = [f"{done.finished:,} of {done.cells:,} cells finished, {done.computed:,} computed now"]
    if done.trained:
        notes.append(f"models trained now: {done.trained:,}")
    if untrained:
        notes.append("its models are left out; --models trains and runs them")
    print_notes([*notes, f"written: {done.folder / 'report.html'}"], to_stderr=json)


app = new_group(
    "experiment",
    "Run grids of simulations and set them beside published tables.",
    RUN_EXAMPLES[0],
    LIST_EXAMPLES[0],
)
add_command(app, run, *RUN_EXAMPLES)
add_command(app, list, *LIST_EXAMPLES)
add_command(app, report, *REPORT_EXAMPLES)
