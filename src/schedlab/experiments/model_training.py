"""The trainings of an experiment's models, each on the jobs of a cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from schedlab.errors import InputError, ParameterError
from schedlab.experiments.config import Experiment
from schedlab.experiments.grid import Cell
from schedlab.experiments.model_policy import ModelPolicy, TrainedPolicy
from schedlab.experiments.model_section import ModelSection
from schedlab.experiments.recipe import Recipe
from schedlab.experiments.run_folder import MODELS, RunFolder
from schedlab.experiments.tuning.training_task import TrainingTask, training_key
from schedlab.rl.training_config import EpisodesSection, TrainingConfig, read_training
from schedlab.sections import parse_toml
from schedlab.workload.readers import Source

_SECTIONS = ("environment", "train", "acer", "evaluation")


@dataclass(frozen=True)
class ModelTrainings:
    """How the models of a run are trained, and where they are kept.

    Args:
        configs: of the trainings, by the models' names.
        keys: of the jobs that they may be trained on.
        folder: of the run.
    """

    configs: Mapping[str, TrainingConfig]
    keys: Mapping[Recipe, str]
    folder: RunFolder

    def task(self, policy: ModelPolicy) -> TrainingTask:
        """The training that gives the policy its model, the same for greedy and for sampled."""
        recipe = policy.trained_on
        jobs = self.folder.workload(self.keys[recipe])
        # Its jobs are named without their folder: the run may be taken elsewhere and go on.
        config = replace(
            self.configs[policy.model.name].with_train(seed=recipe.seed),
            episodes=EpisodesSection(workload=jobs.name),
            folder=jobs.parent.resolve(),
        )
        key = training_key(config)
        return TrainingTask(
            key=key,
            name=f"training {policy.model.name} on {recipe.name}/seed {recipe.seed}",
            config=config,
            folder=self.folder.path.resolve() / MODELS / key,
        )

    def trained(self, policy: ModelPolicy) -> TrainedPolicy:
        """The policy as it is simulated, whether or not its model is trained yet."""
        model, task = policy.model, self.task(policy)
        return TrainedPolicy(
            training_key=task.key,
            file=task.model,
            predict=model.predict or task.config.environment.estimate,
            tick=model.tick,
            kill_at_request=model.kill_at_request,
            runs=model.sampled if policy.sampled else 0,
        )


def training_configs(experiment: Experiment, cells: Iterable[Cell]) -> dict[str, TrainingConfig]:
    """The trainings of all models, by name, once they are seen to suit their cells."""
    configs = {model.name: _config(experiment, model) for model in experiment.models}
    for cell in cells:
        if isinstance(cell.policy, ModelPolicy) and cell.platform is not None:
            _check_nodes(cell.policy.model, configs[cell.policy.model.name], cell)
    return configs


def _config(experiment: Experiment, model: ModelSection) -> TrainingConfig:
    path = experiment.path.parent / model.training
    config = read_training(path)
    for section in parse_toml(path, Source.load(path).decoded()):
        if section not in _SECTIONS:
            allowed = " and ".join(f"[{name}]" for name in _SECTIONS)
            raise InputError.at(
                path,
                None,
                f"has [{section}]; a model of an experiment has {allowed}, and learns "
                "from the jobs of a cell",
            )
    if config.environment.sim_step_s != model.tick:
        raise ParameterError(
            f'[[model]] "{model.name}" has tick {model.tick}, but {path} has '
            f"sim_step_s = {config.environment.sim_step_s}; they must be equal"
        )
    limit = experiment.steps_limit or config.train.steps
    return config.with_train(steps=min(config.train.steps, limit))


def _check_nodes(model: ModelSection, config: TrainingConfig, cell: Cell) -> None:
    """Only features of jobs are the same for machines of any size."""
    has, learnt = cell.platform.nodes if cell.platform else 0, config.environment.nodes
    if has != learnt and config.environment.observation != "jobs":
        raise ParameterError(
            f'[[model]] "{model.name}" is trained for nodes = {learnt:,} by {model.training}; '
            f"{cell.recipe.name} runs on {has:,}"
        )
