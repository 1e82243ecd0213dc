"""train(): a policy from a training file."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import safe_mean

from schedlab.atomic import atomic_write
from schedlab.errors import OutputError, ParameterError
from schedlab.policies.learned.agent import Decider, SamplingAgent
from schedlab.rl.agent import TorchAgent, evaluate
from schedlab.rl.checkpoint import Checkpoint, capture, read_checkpoint, restore
from schedlab.rl.cloning import learn_from, teacher_of
from schedlab.rl.device_agent import DeviceAgent
from schedlab.rl.environments import environment_of
from schedlab.rl.model_file import TrainedModel, write_model
from schedlab.rl.trainers import make_trainer
from schedlab.rl.training_config import MODEL as MODEL
from schedlab.rl.training_config import TrainingConfig
from schedlab.rl.training_env import TrainingEnv
from schedlab.rl.training_log import training_logger

BEST, CHECKPOINT, EVALUATIONS = "best.zip", "checkpoint.zip", "evaluations.csv"
_BETWEEN_REPORTS_S = 0.2

Progress = Callable[[int, int, str], None]
"""Called with the steps done, the number of all steps, and a note on the progress."""


@dataclass(frozen=True)
class Trained:
    """The result of a training: the model's file and its last evaluation."""

    model: Path
    steps: int
    results: dict[str, float]


def train(
    config: TrainingConfig,
    out: str | Path,
    *,
    resume: bool = False,
    progress: Progress | None = None,
) -> Trained:
    """Train, and write model, checkpoints and tables into a folder.

    Args:
        config: from ``read_training``.
        out: the folder; it must not hold another training.
        resume: go on from the folder's checkpoint; the model becomes the same, to the last bit, as
            if the training had not been interrupted.
        progress: called now and then.
    """
    folder = Path(out)
    checkpoint = _checkpoint(folder, config, resume)
    torch.set_num_threads(config.train.cores)
    with _denormals_flushed():
        training = Training(config, folder, progress)
        if checkpoint is not None:
            training.go_on_from(checkpoint)
        return training.run()


@contextmanager
def _denormals_flushed() -> Iterator[None]:
    """Flush denormals: Adam's averages of inputs long unseen are tiny, and slow in arithmetic."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)  # others in this process count on them


def _checkpoint(folder: Path, config: TrainingConfig, resume: bool) -> Checkpoint | None:
    if resume:
        return read_checkpoint(folder / CHECKPOINT, config)
    for name in (CHECKPOINT, MODEL):
        if (folder / name).exists():
            raise ParameterError(
                f"{folder}: holds a training already; resume it, or start again in another folder"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be created: {error.strerror}") from None
    return None


class Training:
    """A trainer with its environments and its folder."""

    def __init__(self, config: TrainingConfig, folder: Path, progress: Progress | None) -> None:
        self.config, self.folder, self.progress = config, folder, progress
        self.episodes, self.held_out = config.open_episodes()
        section, self.environment = config.train, environment_of(config.environment)
        batch = self.environment.batch(self.episodes, section.envs, threads=section.cores)
        self.env = TrainingEnv(batch, section.reward_scale, config.baseline)
        self.trainer = make_trainer(config, self.env)
        self.teacher = teacher_of(config, self.episodes)
        self.evaluations: list[dict[str, float]] = []
        self.last: Checkpoint | None = None

    def go_on_from(self, checkpoint: Checkpoint) -> None:
        """Continue where the checkpoint was made."""
        restore(checkpoint, self.trainer, self.env)
        self.evaluations, self.last = checkpoint.evaluations, checkpoint

    def run(self) -> Trained:
        """Train to the end; an interruption leaves a checkpoint behind."""
        trainer, done = self.trainer, self.trainer.num_timesteps
        try:
            trainer.set_logger(training_logger(self.folder, done))
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror}") from None
        left = max(self.config.train.steps - done, 0)
        try:
            if self.teacher is not None and self.last is None:
                self._clone(self.teacher)
            trainer.learn(left, _BetweenUpdates(self), reset_num_timesteps=done == 0)
            return self._finish()
        except KeyboardInterrupt:
            if self.last is not None:
                self.last.write(self.folder / CHECKPOINT)
            raise
        finally:
            trainer.logger.close()

    def _clone(self, teacher: Decider) -> None:
        """Let the network first learn to decide as the teacher does."""
        cloned = learn_from(teacher, self.trainer.policy, self.config, self.episodes)
        if self.progress is not None:
            note = f"decides as the teacher in {cloned.agreement:.1%} of all situations"
            self.progress(0, self.config.train.steps, note)
        self._evaluate()

    def between_updates(self) -> None:
        """Keep the state; evaluate and write a checkpoint if they are due."""
        before, now = self.last.steps if self.last else 0, self.trainer.num_timesteps
        if self._passed(self.config.evaluation.every, before, now):
            self._evaluate()
        self.last = capture(self.trainer, self.env, self.config, self.evaluations)
        if self._passed(self.config.train.checkpoint_every, before, now):
            self.last.write(self.folder / CHECKPOINT)

    def report(self, steps_per_s: float) -> None:
        """Report the progress."""
        if self.progress is None:
            return
        seen = [each["r"] for each in self.trainer.ep_info_buffer or ()]
        note = f"{steps_per_s:,.0f} steps/s"
        if seen:
            note += f", mean return {safe_mean(seen):.4g}"
        self.progress(self.trainer.num_timesteps, self.config.train.steps, note)

    def _finish(self) -> Trained:
        steps = self.trainer.num_timesteps
        if not self.evaluations or self.evaluations[-1]["steps_learnt"] != steps:
            self._evaluate()
        self.last = capture(self.trainer, self.env, self.config, self.evaluations)
        self.last.write(self.folder / CHECKPOINT)
        write_model(self.folder / MODEL, self.model())
        return Trained(self.folder / MODEL, steps, self.evaluations[-1])

    def _evaluate(self) -> None:
        section, train = self.config.evaluation, self.config.train
        agent = self._agent(section.episodes)
        means = evaluate(
            SamplingAgent(agent, section.seed) if section.sampled else agent,
            self.environment.with_time_scale(self.episodes),
            self.held_out,
            section.episodes,
            seed=section.seed,
            threads=train.cores,
        )
        self.evaluations.append({"steps_learnt": self.trainer.num_timesteps, **means})
        if means["return"] == max(each["return"] for each in self.evaluations):
            write_model(self.folder / BEST, self.model())
        with atomic_write(self.folder / EVALUATIONS) as path, path.open("w", newline="") as file:
            writer = csv.DictWriter(file, self.evaluations[0])
            writer.writeheader()
            writer.writerows(self.evaluations)

    def _agent(self, episodes: int) -> TorchAgent:
        """Return the network, ready to decide in several episodes at a time."""
        policy, masked = self.trainer.policy, self.config.greedy_masked
        if self.trainer.device.type == "cuda":
            return DeviceAgent(policy, episodes, masked=masked)
        return TorchAgent(policy, masked=masked)

    def model(self) -> TrainedModel:
        """Return the model as it has been learnt so far."""
        parameters = self.trainer.policy.state_dict()
        return TrainedModel(
            self.config,
            self.environment.time_scale_s(self.episodes),
            self.trainer.num_timesteps,
            self.evaluations[-1] if self.evaluations else {},
            {name: each.cpu().numpy() for name, each in parameters.items()},
        )

    @staticmethod
    def _passed(every: int, before: int, now: int) -> bool:
        return every > 0 and now // every > before // every


class _BetweenUpdates(BaseCallback):
    """Calls the training before each rollout, when the update before it is complete."""

    def __init__(self, training: Training) -> None:
        super().__init__()
        self._training = training
        self._began = self._reported = time.monotonic()
        self._first_step = training.trainer.num_timesteps

    def _on_rollout_start(self) -> None:
        self._training.between_updates()

    def _on_step(self) -> bool:
        now = time.monotonic()
        if now - self._reported > _BETWEEN_REPORTS_S:
            self._reported = now
            self._training.report((self.num_timesteps - self._first_step) / (now - self._began))
        return True
