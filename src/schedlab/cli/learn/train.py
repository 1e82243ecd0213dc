"""schedlab learn train: learn a policy, and keep it as a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from schedlab.cli.console import AsJson, err, new_table, out, print_json, print_notes

if TYPE_CHECKING:
    from schedlab.rl.train import Trained

EXAMPLES = (
    "schedlab learn train small.toml",
    "schedlab learn train small.toml --seed 2 --out out/small-2",
    "schedlab learn train small.toml --resume",
    "schedlab simulate trace.swf --policy easy --policy learned:out/small/model.zip",
)


def train(
    config: Annotated[Path, Argument(metavar="CONFIG.toml", help="The training file.")],
    output: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="DIR",
            help="The folder for the model, its checkpoints and tables.",
            show_default="out/NAME",
        ),
    ] = None,
    resume: Annotated[
        bool,
        Option("--resume", help="Continue from the folder's checkpoint."),
    ] = False,
    seed: Annotated[
        int | None,
        Option(
            metavar="S",
            min=0,
            max=2**32 - 1,
            help="Seed of all random draws.",
            show_default="that of the file",
        ),
    ] = None,
    steps: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            max=10**12,
            help="Number of steps.",
            show_default="those of the file",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Train a policy by reinforcement learning, or resume an interrupted training.

    The model is the same, to the last bit, whether or not the training was interrupted.
    """
    from schedlab.cli.progress import progress
    from schedlab.rl.training_config import read_training

    given = {"seed": seed, "steps": steps}
    changes = {key: value for key, value in given.items() if value is not None}
    chosen = read_training(config).with_train(**changes)
    folder = output or Path("out") / config.stem
    require_trainers()
    from schedlab.rl.train import CHECKPOINT
    from schedlab.rl.train import train as run

    try:
        with progress(f"training {config.stem}") as report:
            done = run(chosen, folder, resume=resume, progress=report)
    except KeyboardInterrupt:
        if (folder / CHECKPOINT).exists():
            what = f"a checkpoint is kept in {folder}; run again with --resume to go on"
            err().print(what, style="dim", soft_wrap=True)
        raise
    _show(done, json)


def require_trainers() -> None:
    """Raise a one-line error now if a package for training is not installed."""
    from importlib.util import find_spec

    from schedlab.errors import MissingExtraError

    for package in ("torch", "stable_baselines3", "sb3_contrib"):
        if find_spec(package) is None:
            raise MissingExtraError(package, "rl")


def _show(done: Trained, json: bool) -> None:
    """Show what the greedy policy does in the episodes kept for evaluation."""
    if json:
        print_json({"model": str(done.model), "steps": done.steps, "results": done.results})
        return
    table = new_table("mean over the evaluation's episodes", "")
    for key, value in done.results.items():
        if key != "steps_learnt":
            table.add_row(key.replace("_", " "), f"{value:,.6g}")
    out().print(table, "", sep="\n")
    notes = (f"learnt from {done.steps:,} steps", f"written: {done.model}")
    print_notes(notes, to_stderr=False)
