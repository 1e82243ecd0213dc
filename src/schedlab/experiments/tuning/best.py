"""The best setting as a training file, with the best of its models."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from schedlab.atomic import atomic_write
from schedlab.experiments.tuning.config import Tuning
from schedlab.experiments.tuning.trial import Trial
from schedlab.rl.training_config import MODEL as ITS_MODEL
from schedlab.rl.training_config import TrainingConfig
from schedlab.sections import as_toml
from schedlab.version import __version__

TRAINING, MODEL = "best.toml", "best.zip"


def write_best(tuning: Tuning, best: Trial, folder: Path) -> None:
    """Write ``TRAINING``, with the seed of the best run, and ``MODEL``, the model that it gives.

    If no setting has a rank there is no best one, and the files of an earlier search are removed.
    """
    if not best.ranked:
        for name in (TRAINING, MODEL):
            (folder / name).unlink(missing_ok=True)
        return
    about = tuning.about
    run = best.best_run(about.larger_is_better)
    remarks = (
        f"The best setting that schedlab {__version__} tune found for {about.training}:",
        f"{about.score} {best.mean:.6g}, the mean over {about.runs} runs.",
        f"The seed is that of the best run, {run.score:.6g}.",
    )
    config = tuning.config(best.setting).with_train(seed=run.seed)
    _write_training(folder / TRAINING, config, remarks)
    with atomic_write(folder / MODEL) as temporary:
        shutil.copyfile(run.folder / ITS_MODEL, temporary)


def _write_training(path: Path, config: TrainingConfig, remarks: Iterable[str]) -> None:
    """Write the training with remarks above it; a trace gets its absolute path to be found."""
    document = config.document()
    trace = config.folder / (config.episodes.workload or "")
    if trace.is_file():
        document["episodes"]["workload"] = str(trace.resolve())
    comment = "".join(f"# {remark}\n" for remark in remarks)
    with atomic_write(path) as temporary:
        temporary.write_text(f"{comment}\n{as_toml(document)}", encoding="utf-8")
