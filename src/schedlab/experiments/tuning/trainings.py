"""The trainings of a search, each done once and kept in its folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schedlab.experiments.compute import compute, missing
from schedlab.experiments.engine import Engine
from schedlab.experiments.run_folder import RunFolder
from schedlab.experiments.tuning.config import Tuning
from schedlab.experiments.tuning.space import Setting, name_of
from schedlab.experiments.tuning.training_task import TrainingTask, trace_digest, training_key
from schedlab.experiments.tuning.trial import TrainingRun, Trial
from schedlab.rl.training_config import TrainingConfig

TRAININGS = "trainings"

Progress = Callable[[int, int, str], None]
"""Called with the number of finished trainings, the number of all, and a note."""


class Trainings:
    """Trains settings with every seed of the tuning; counts what was computed and what failed."""

    def __init__(
        self, tuning: Tuning, folder: RunFolder, engine: Engine, progress: Progress | None
    ) -> None:
        self.tuning, self.folder, self.engine, self.progress = tuning, folder, engine, progress
        self.computed, self.failures = 0, dict[str, str]()
        self._done, self._total = 0, 0
        self._trace = trace_digest(tuning.training)

    def expect(self, trainings: int) -> None:
        """Set the largest number of trainings that may be done."""
        self._total = trainings

    def pass_over(self, trainings: int) -> None:
        """Count trainings that need not be done."""
        self._done += trainings
        self._report(0, 0)

    def of(
        self, settings: Sequence[Setting], steps: int, *, after: int | None = None
    ) -> list[Trial]:
        """Train each setting up to a number of steps, and reuse what is kept.

        Trainings of ``after`` steps go on, where there are any.
        """
        seeds = self.tuning.about.seeds
        tasks = [[self._task(each, seed, steps, after) for seed in seeds] for each in settings]
        wanted = [task for group in tasks for task in group]
        left = missing(wanted, self.folder)
        self._done += len(wanted) - len(left)
        self._report(0, 0)
        failures = compute(left, self.engine, self.folder, self._report)
        self._done += len(left)
        self.computed += len(left)
        self.failures.update(failures)
        return [
            Trial(setting, steps, tuple(map(self._run, group)))
            for setting, group in zip(settings, tasks, strict=True)
        ]

    def _task(self, setting: Setting, seed: int, steps: int, after: int | None) -> TrainingTask:
        config = self.tuning.config(setting).with_train(seed=seed, steps=steps)
        earlier = None if after is None else self._key(config.with_train(steps=after))
        key, folder = self._key(config), self.folder.path / TRAININGS
        return TrainingTask(
            key=key,
            name=f"{name_of(setting)} seed={seed}",
            config=config,
            folder=folder / key,
            earlier=None if earlier is None else folder / earlier,
        )

    def _key(self, config: TrainingConfig) -> str:
        return training_key(config, self._trace)

    def _run(self, task: TrainingTask) -> TrainingRun:
        kept, score = self.folder.kept(task.key), self.tuning.about.score
        seed, folder = task.config.train.seed, task.folder
        if kept is None:
            return TrainingRun(seed, folder, error=self.failures.get(task.name))
        value = kept["values"][score]
        error = None if value is not None else f"its {score} is not a finite number"
        return TrainingRun(seed, folder, value, error)

    def tell_steps(self, steps: int) -> None:
        """Report the number of steps of all trainings, where these run side by side."""
        if self.progress is not None:
            self.progress(self._done, self._total, f"{steps:,} steps in all")

    def _report(self, done: int, _: int) -> None:
        if self.progress is not None:
            self.progress(self._done + done, self._total, f"{self._done + done:,} trainings")
