"""The training file: what is learnt, from which jobs, by which algorithm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError, SchedlabError
from schedlab.policies import PolicyLike, find_policy
from schedlab.policies.evolved import EvolvedPolicy
from schedlab.policies.learned.agent_file import QUEUE
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.algorithm_sections import A2cSection, AcerSection, AlgorithmSection, PpoSection
from schedlab.rl.algorithms import ALGORITHM_SECTIONS, ALGORITHMS, Algorithm
from schedlab.rl.baseline import CURVES
from schedlab.rl.environment import GANTT
from schedlab.rl.environments import Settings, environment_of, read_settings
from schedlab.rl.episodes_section import EpisodesSection
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.rl.queue_environment import taught_priority
from schedlab.rl.train_section import TrainSection
from schedlab.sections import build, parse_toml, reject_unknown_keys
from schedlab.workload.episodes import Episodes
from schedlab.workload.readers import Source

MODEL = "model.zip"
"""The file that a finished training writes into its folder."""
TEACHER = "teacher"


@dataclass(frozen=True, kw_only=True)
class CloneSection:
    """``[clone]``: before it learns by itself, the network learns to decide as a teacher does.

    Args:
        teacher: the file of an evolved priority, looked for beside the training file, or a ready
            one, such as ``evolved:slowdown``; on the grid a rule, such as ``sjf``.
        decisions: of the teacher to learn from, in whole episodes.
        epochs: how many times each is learnt from.
        batch_size: decisions per step of the optimiser.
        learning_rate: of the optimiser.
        vf_coef: how much the values of situations count beside the decisions.
    """

    teacher: str | None = None
    decisions: int = 50_000
    epochs: int = 10
    batch_size: int = 512
    learning_rate: float = 3e-3
    vf_coef: float = 0.5

    def __post_init__(self) -> None:
        for key in ("decisions", "epochs", "batch_size"):
            if getattr(self, key) < 1:
                raise ParameterError(f"{key} is {getattr(self, key)}; must be >= 1")
        if self.learning_rate <= 0:
            raise ParameterError(f"learning_rate is {self.learning_rate}; must be > 0")


@dataclass(frozen=True, kw_only=True)
class EvaluationSection:
    """``[evaluation]``: episodes at intervals of steps and at the end.

    They are greedy, or with ``sampled`` their actions are drawn by the network's probabilities. The
    share ``held_out`` of a trace, or of the seeds of a model, is for them, and not learnt from.
    """

    every: int = 0
    episodes: int = 10
    seed: int = 1_000_000
    sampled: bool = False
    held_out: float = 0.3

    def __post_init__(self) -> None:
        if self.episodes < 1:
            raise ParameterError(f"episodes is {self.episodes}; must be >= 1")
        if not 0 < self.held_out < 1:
            raise ParameterError(f"held_out is {self.held_out}; must be above 0 and below 1")


@dataclass(frozen=True)
class TrainingConfig:
    """A training file; ``folder`` is where it lies."""

    environment: Settings = field(default_factory=QueueSettings)
    episodes: EpisodesSection = field(default_factory=EpisodesSection)
    clone: CloneSection = field(default_factory=CloneSection)
    train: TrainSection = field(default_factory=TrainSection)
    ppo: PpoSection = field(default_factory=PpoSection)
    a2c: A2cSection = field(default_factory=A2cSection)
    acer: AcerSection = field(default_factory=AcerSection)
    evaluation: EvaluationSection = field(default_factory=EvaluationSection)
    folder: Path = field(default=Path(), compare=False)

    def __post_init__(self) -> None:
        environment, teacher = environment_of(self.environment), self.clone.teacher
        by_jobs = environment.by_jobs
        if self.train.is_kernel and self.environment.observation != by_jobs:
            raise ParameterError(
                f'network kernel needs observation = "{by_jobs}" in [environment]; '
                f'it is "{self.environment.observation}"'
            )
        if self.environment.observation == "image":
            raise ParameterError(
                'observation is "image", for networks of your own; '
                'give "flat", the same numbers in a row, or "vector"'
            )
        self._check_baseline(self.train.baseline, teacher)
        if teacher is not None:
            environment.check_teacher(teacher)
        self._check_algorithm()

    def _check_algorithm(self) -> None:
        for name, section in ALGORITHM_SECTIONS.items():
            if name != self.algorithm.section and getattr(self, name) != section():
                theirs = [key for key, each in ALGORITHMS.items() if each.section == name]
                allowed = " or ".join(f'"{each}"' for each in theirs)
                raise ParameterError(
                    f"[{name}] is for algorithm = {allowed} in [train]; "
                    f'it is "{self.train.algorithm}"'
                )
        try:
            self.parameters.check_envs(self.train.envs)
        except ParameterError as error:
            raise ParameterError(f"[{self.algorithm.section}]: {error}") from None

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that trains."""
        return ALGORITHMS[self.train.algorithm]

    @property
    def parameters(self) -> AlgorithmSection:
        """The section of the algorithm."""
        section: AlgorithmSection = getattr(self, self.algorithm.section)
        return section

    def _check_baseline(self, policy: str | None, teacher: str | None) -> None:
        if policy is None:
            return
        if getattr(self.environment, "reward", None) not in CURVES:
            allowed = " or ".join(f'"{name}"' for name in CURVES)
            raise ParameterError(
                f'baseline needs id = "{QUEUE}" and reward = {allowed} in [environment]'
            )
        if policy == TEACHER and teacher is None:
            raise ParameterError('baseline = "teacher" needs a teacher in [clone]')
        if policy != TEACHER:
            find_policy(policy)

    @property
    def baseline(self) -> PolicyLike | None:
        """The policy whose rewards are taken off; None for no policy."""
        if self.train.baseline == TEACHER:
            return EvolvedPolicy(taught_priority(str(self.clone.teacher), self.folder))
        return self.train.baseline

    def require_queue(self) -> QueueSettings:
        """Return the rules, which must be those of ``schedlab/Queue-v0``."""
        if not isinstance(self.environment, QueueSettings):
            raise InputError(f"was trained for {GANTT}; this takes a model for {QUEUE}")
        return self.environment

    def require_grid(self, resources: int) -> GanttSettings:
        """Return the rules, which must be those of ``schedlab/Gantt-v0`` with these resources."""
        if not isinstance(self.environment, GanttSettings):
            raise InputError(f"was trained for {QUEUE}; this takes a model for {GANTT}")
        if self.environment.resources != resources:
            raise InputError(
                f"was trained for {self.environment.resources:,} resources; "
                f"the machine has {resources:,}"
            )
        return self.environment

    @property
    def masked(self) -> bool:
        """Whether only actions that make sense are drawn in training."""
        return self.algorithm.masks(self.parameters)

    @property
    def greedy_masked(self) -> bool:
        """Whether the greedy agent keeps to the mask, even if it learnt without one.

        Where it orders jobs, an action against the mask changes nothing and would recur for ever.
        """
        return self.masked or environment_of(self.environment).orders

    def open_episodes(self) -> tuple[Episodes, Episodes]:
        """Return the episodes to learn from, and those for evaluation."""
        return self.all_episodes().split(self.evaluation.held_out)

    def all_episodes(self, folder: Path | None = None) -> Episodes:
        """Return all episodes; a file is in ``folder``. Default: the training file's folder."""
        workload = self.episodes.workload_in(folder or self.folder)
        return environment_of(self.environment).episodes(self.episodes, workload)

    def with_train(self, **changes: Any) -> TrainingConfig:
        """Return a copy with other values in ``[train]``."""
        return replace(self, train=replace(self.train, **changes))

    def with_parameters(self, **changes: Any) -> TrainingConfig:
        """Return a copy with other values in the section of the algorithm."""
        section: Any = replace(self.parameters, **changes)
        return replace(self, **{self.algorithm.section: section})

    def document(self) -> dict[str, Any]:
        """Return the sections as values for JSON, which ``training_config`` can read."""
        sections = {name: asdict(getattr(self, name)) for name in SECTIONS}
        sections["environment"] = environment_of(self.environment).document()
        document: dict[str, Any] = json.loads(json.dumps(sections))
        return document


SECTIONS: dict[str, Any] = {
    "environment": Settings,
    "episodes": EpisodesSection,
    "clone": CloneSection,
    "train": TrainSection,
    **ALGORITHM_SECTIONS,
    "evaluation": EvaluationSection,
}


def training_config(document: Mapping[str, Any], folder: Path = Path()) -> TrainingConfig:
    """Return the training that the sections describe; those left out keep their defaults."""
    reject_unknown_keys(document, SECTIONS, "the training")
    sections: dict[str, Any] = {name: _section(name, given) for name, given in document.items()}
    config = TrainingConfig(**sections, folder=folder)
    return config if "nodes" in document.get("environment", ()) else _on_its_machine(config)


def _on_its_machine(config: TrainingConfig) -> TrainingConfig:
    """Give the machine the size that the trace or the model has."""
    environment = environment_of(config.environment)
    rules = environment.on_its_machine(config.episodes, config.folder)
    return replace(config, environment=rules)


def _section(name: str, given: Any) -> Any:
    if name == "environment":
        return read_settings(given)
    if name == "train" and isinstance(given, Mapping):
        _check_place(given)
    return build(SECTIONS[name], given, f"[{name}]")


def _check_place(given: Mapping[str, Any]) -> None:
    """Refuse parameters of the algorithm in ``[train]``, and name the section they belong to."""
    own = ALGORITHMS.get(str(given.get("algorithm", TrainSection.algorithm)))
    if own is not None:
        known = {each.name for each in fields(own.parameters)}
        for key in given:
            if key in known:
                raise ParameterError(
                    f"{key} in [train] is a parameter of the algorithm; write it in [{own.section}]"
                )


def read_training(path: str | Path) -> TrainingConfig:
    """Return the training that a TOML file describes."""
    source = Source.load(path)
    document = parse_toml(path, source.decoded())
    try:
        return training_config(document, source.path.parent)
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None
