"""The trainings of an experiment's models, each on the jobs of a cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from schedlab.errors import InputError, ParameterError
from schedlab.experiments.config import Experiment
from schedlab.experiments.grid import Cell
from schedlab.experiments.model_policy import ExperimentPolicy, ModelPolicy
from schedlab.experiments.model_section import ModelSection
from schedlab.experiments.recipe import Recipe
from schedlab.experiments.run_folder import MODELS, RunFolder
from schedlab.experiments.tuning.training_task import TrainingTask, trace_digest, training_key
from schedlab.rl.algorithms import ALGORITHM_SECTIONS
from schedlab.rl.environments import environment_of
from schedlab.rl.episodes_section import EpisodesSection
from schedlab.rl.training_config import TrainingConfig, read_training
from schedlab.sections import parse_toml
from schedlab.workload.readers import Source

_SECTIONS = ("environment", "train", *ALGORITHM_SECTIONS, "evaluation")


@dataclass(frozen=True)
class ModelTrainings:
    """How the models of a run are trained, and where they are kept.

    Args:
        configs: the trainings, by the models' names.
        keys: the keys of the jobs that they may be trained on.
        folder: the folder of the run.
        steps_limit: maximum number of steps of each training, in a quick run.
    """

    configs: Mapping[str, TrainingConfig]
    keys: Mapping[Recipe, str]
    folder: RunFolder
    steps_limit: int | None = None

    def task(self, policy: ModelPolicy) -> TrainingTask:
        """Return the training of the policy's model; greedy and sampled policies share it."""
        model, recipe = policy.model, policy.trained_on
        config = self.configs[model.name].with_train(seed=policy.seed)
        if recipe is None:
            what, key = model.name, training_key(config, trace_digest(config))
        else:
            config = self._on(recipe, model, config)
            what, key = f"{model.name} on {recipe.name}", training_key(config)
        return TrainingTask(
            key=key,
            name=f"training {what}/seed {policy.seed}",
            config=config,
            folder=self.folder.path.resolve() / MODELS / key,
        )

    def _on(self, recipe: Recipe, model: ModelSection, config: TrainingConfig) -> TrainingConfig:
        """Return the training on the jobs of the recipe, or on others that its generator draws."""
        steps = model.steps_on(recipe.name) or config.train.steps
        config = config.with_train(steps=min(steps, self.steps_limit or steps))
        if model.redraw:
            if recipe.workload.generate is None:
                raise ParameterError(
                    f'[[model]] "{model.name}" has redraw, which needs a generator; '
                    f'workload "{recipe.workload.name}" has none'
                )
            drawn = replace(config.episodes, workload=recipe.workload.generate)
            return replace(config, episodes=drawn)
        jobs = self.folder.workload(self.keys[recipe])
        # The jobs are named without their folder, so that a run can be moved and go on.
        episodes = EpisodesSection(workload=jobs.name)
        return replace(config, episodes=episodes, folder=jobs.parent.resolve())

    def trained(self, policy: ModelPolicy) -> ExperimentPolicy:
        """Return the policy as it is simulated, whether or not its model is trained yet."""
        model, task = policy.model, self.task(policy)
        return ExperimentPolicy(
            training_key=task.key,
            file=task.model,
            predict=_predictor(model, task.config),
            tick=model.tick,
            kill_at_request=model.kill_at_request,
            runs=model.sampled if policy.sampled else 0,
        )


def training_configs(experiment: Experiment, cells: Iterable[Cell]) -> dict[str, TrainingConfig]:
    """Return the trainings of all models, by name; check that they suit their cells."""
    configs = {model.name: _config(experiment, model) for model in experiment.models}
    for cell in cells:
        if isinstance(cell.policy, ModelPolicy) and cell.platform is not None:
            _check_nodes(cell.policy.model, configs[cell.policy.model.name], cell)
    return configs


def _config(experiment: Experiment, model: ModelSection) -> TrainingConfig:
    path = experiment.path.parent / model.training
    config = read_training(path)
    environment = environment_of(config.environment)
    _check_sections(path, model, may_clone=environment.teaches_by_name)
    tick = environment.tick
    if tick != model.tick:
        raise ParameterError(
            f'[[model]] "{model.name}" has tick {model.tick}, but {path} has '
            f"sim_step_s = {tick}; they must be equal"
        )
    limit = experiment.steps_limit or config.train.steps
    return config.with_train(steps=min(config.train.steps, limit))


def _check_sections(path: Path, model: ModelSection, *, may_clone: bool) -> None:
    """Check the sections of a training; a teacher must have a name, as no file is at hand."""
    own = model.redraw or not model.on
    known = (*_SECTIONS, *(["episodes"] if own else []), *(["clone"] if may_clone else []))
    document = parse_toml(path, Source.load(path).decoded())
    if not model.on and "episodes" not in document:
        sentence = f'has no [episodes], which [[model]] "{model.name}" without on learns from'
        raise InputError.at(path, None, sentence)
    for section in document:
        if section not in known:
            allowed = " and ".join(f"[{name}]" for name in known)
            jobs = "" if own else ", and learns from the jobs of a cell"
            sentence = f"has [{section}]; a model of an experiment has {allowed}{jobs}"
            raise InputError.at(path, None, sentence)


def _predictor(model: ModelSection, config: TrainingConfig) -> str | None:
    """Return the predictor of run times with which the model schedules; None on the grid."""
    shown = environment_of(config.environment).predictors
    return model.predict or shown[0] if shown else None


def _check_nodes(model: ModelSection, config: TrainingConfig, cell: Cell) -> None:
    """Check the number of nodes: only features of jobs are the same for machines of any size."""
    has = cell.platform.nodes if cell.platform else 0
    learnt = environment_of(config.environment).nodes
    if has != learnt and config.environment.observation != "jobs":
        raise ParameterError(
            f'[[model]] "{model.name}" is trained for nodes = {learnt:,} by {model.training}; '
            f"{cell.recipe.name} runs on {has:,}"
        )
