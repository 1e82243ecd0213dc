"""An engine that trains many settings at once on one GPU."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from schedlab.errors import SchedlabError
from schedlab.experiments.engine import Task, TaskOutcome, run_task
from schedlab.experiments.tuning.config import Tuning
from schedlab.experiments.tuning.training_task import TrainingTask

_SEARCHED = frozenset(
    {
        *("n_steps", "batch_size", "n_epochs", "gamma", "gae_lambda", "learning_rate"),
        *("clip_range", "ent_coef", "vf_coef", "max_grad_norm", "anneal", "activation"),
        *("shared_trunk", "envs", "reward_scale"),
    }
)
"""Parameters of ``[train]`` and ``[ppo]`` that may differ between trainings side by side."""


class SideBySide:
    """Trains tasks side by side in this process where possible, and the others one by one."""

    def __init__(self) -> None:
        self.tell_steps: Callable[[int], None] | None = None
        """Called now and then with the number of steps that all trainings have done."""

    def run(self, tasks: Sequence[Task]) -> Generator[TaskOutcome, None, None]:
        """Yield one outcome per task."""
        from schedlab.rl.stacked.member import can_be_stacked

        trainings = [task for task in tasks if isinstance(task, TrainingTask)]
        stacked = [
            each for each in trainings if each.earlier is None and can_be_stacked(each.config)
        ]
        keys = {task.key for task in stacked}
        yield from self._together(stacked)
        for task in tasks:
            if task.key not in keys:
                yield run_task(task)

    def _together(self, tasks: Sequence[TrainingTask]) -> Generator[TaskOutcome, None, None]:
        from schedlab.rl.stacked.training import train_many

        began, left = time.monotonic(), dict(enumerate(tasks))
        try:
            jobs = [(task.config, task.folder) for task in tasks]
            for number, trained in train_many(jobs, self.tell_steps):
                task, found = left.pop(number), trained.results.items()
                yield TaskOutcome(
                    key=task.key,
                    name=task.name,
                    values={name: each if math.isfinite(each) else None for name, each in found},
                    wall_s=(time.monotonic() - began) / len(tasks),
                )
        except (SchedlabError, RuntimeError, ValueError) as error:
            reason = str(error) if isinstance(error, SchedlabError) else f"{error!r}"
            for task in left.values():
                yield TaskOutcome(key=task.key, name=task.name, error=reason)


def on_the_gpu(tuning: Tuning) -> Tuning | None:
    """Return the same search with trainings that run side by side; None if they cannot."""
    from schedlab.rl.stacked.member import can_be_stacked, gpu_is_there

    searched = {each.key for each in tuning.space.parameters if each.section in ("train", "ppo")}
    if not gpu_is_there() or tuning.about.prune_at:
        return None
    if not can_be_stacked(tuning.training) or not searched <= _SEARCHED:
        return None
    training = tuning.training.with_train(engine="gpu", threads=None)
    return replace(tuning, training=training)
