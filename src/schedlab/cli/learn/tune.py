"""schedlab learn tune: search the parameters of a training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from schedlab.cli.computing import Computing
from schedlab.cli.console import AsJson, cell, err, heading, new_table, out, print_json, print_notes

if TYPE_CHECKING:
    from schedlab.experiments.tuning import Tuned, Tuning

EXAMPLES = (
    "schedlab learn tune small-grid.toml",
    "schedlab learn tune small-grid.toml --runs 3 --workers 8",
    "schedlab learn tune small-grid.toml --trials 40 --out out/by-optuna",
    "schedlab learn train out/small-grid/best.toml --out out/best",
)

SHOWN = 10
A_TRAINING_FAILED = 1


def tune(
    config: Annotated[Path, Argument(metavar="CONFIG.toml", help="The tuning file.")],
    computing: Computing,
    output: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="DIR",
            help="Folder of the search; trainings finished in it are not repeated.",
            show_default="out/NAME",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            max=1_000_000,
            help="Number of settings that Optuna proposes.",
            show_default="those of the file, or the whole grid",
        ),
    ] = None,
    runs: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            max=10_000,
            help="Trainings per setting.",
            show_default="those of the file",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        Option(
            metavar="S",
            min=0,
            max=2**32 - 1,
            help="Seed of the first run.",
            show_default="that of the file",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Train with every setting of a grid, or with those that Optuna proposes, and rank them.

    The same command continues an interrupted search. The exit code is 0 if every
    training succeeded, 1 if some failed.
    """
    from schedlab.cli.learn.train import require_trainers
    from schedlab.cli.progress import progress
    from schedlab.experiments.tuning import read_tuning
    from schedlab.experiments.tuning import tune as search

    engine = None if computing == Computing() else computing.chosen()
    given = {"trials": trials, "runs": runs, "seed": seed}
    changes = {key: value for key, value in given.items() if value is not None}
    tuning = read_tuning(config, **changes)
    require_trainers()
    folder = output or Path("out") / config.stem
    try:
        with progress(f"tuning {config.stem}") as report:
            done = search(tuning, folder, engine=engine, progress=report)
    except KeyboardInterrupt:
        what = f"trainings are kept in {folder}; run again to go on"
        err().print(what, style="dim", soft_wrap=True)
        raise
    _show(tuning, done, json)
    if done.failures:
        raise Exit(A_TRAINING_FAILED)


def _show(tuning: Tuning, done: Tuned, json: bool) -> None:
    """Show the best settings, and what happened."""
    from schedlab.experiments.tuning.ranking import ranking_rows

    if json:
        print_json(ranking_rows(tuning, done.trials))
    else:
        _print_table(tuning, done)
    for name, error in done.failures.items():
        err().print(f"failed: {name}: {error}", soft_wrap=True)
    print_notes(_notes(tuning, done), to_stderr=json)


def _print_table(tuning: Tuning, done: Tuned) -> None:
    from schedlab.experiments.tuning.space import written

    keys = [each.key for each in tuning.space.parameters]
    table = new_table(*keys, "mean", "spread", "lowest", "highest", text_columns=len(keys))
    for trial in done.trials[:SHOWN]:
        if trial.ranked:
            numbers = (trial.mean, trial.spread, min(trial.scores), max(trial.scores))
            table.add_row(
                *(written(trial.setting[key]) for key in keys),
                *(cell(each, lambda value: f"{value:,.5g}") for each in numbers),
            )
    about = tuning.about
    label = f"{about.score} over {about.runs} run{'s' if about.runs > 1 else ''}"
    out().print(heading(label), table, "", sep="\n")


def _notes(tuning: Tuning, done: Tuned) -> list[str]:
    from schedlab.experiments.tuning.best import MODEL, TRAINING

    ranked = sum(trial.ranked for trial in done.trials)
    given_up = sum(trial.given_up for trial in done.trials)
    notes = [
        f"settings: {ranked:,} ranked, {given_up:,} given up, {len(done.left_out):,} left out; "
        f"trainings done now: {done.computed:,}"
    ]
    if done.left_out:
        name, reason = next(iter(done.left_out.items()))
        notes.append(f"left out: {name}: {reason}")
    files = ["ranking.md", *((TRAINING, MODEL) if ranked else ())]
    return [*notes, f"written: {', '.join(str(done.folder / each) for each in files)}"]
