"""The training file: what is learnt, from which jobs, by which algorithm."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError, SchedlabError, UnknownNameError
from schedlab.policies import PolicyLike, choose_policy
from schedlab.policies.evolved import EvolvedPolicy, Priority, read_priority
from schedlab.policies.learned.settings import QueueSettings
from schedlab.policies.ready import READY, ready_priority
from schedlab.rl.acer_section import AcerSection
from schedlab.rl.baseline import CURVES
from schedlab.rl.environments import GANTT, QUEUE, Settings, read_settings, settings_document
from schedlab.rl.episodes_section import EpisodesSection
from schedlab.rl.gantt.rules import TEACHERS
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.rl.machine_size import machine_nodes
from schedlab.sections import build, parse_toml, reject_unknown_keys
from schedlab.workload.episodes import Episodes
from schedlab.workload.readers import Source

MODEL = "model.zip"
"""The file in a training's folder that is written when it is finished."""
ALGORITHMS = ("ppo", "a2c", "maskable-ppo", "acer")
ENGINES = ("sb3", "gpu")
PRECISIONS = ("bf16", "tf32", "fp32")
NETWORKS = {"nn1": (1024, 512, 256), "nn2": (2048, 512, 256)}
"""Widths of the hidden layers (Takizawa, Nomura and Matsuba)."""
KERNEL = "kernel"
TEACHER = "teacher"
ACTIVATIONS = ("tanh", "relu")
_PPO_ONLY = ("batch_size", "n_epochs", "clip_range", "target_kl")
_NOT_ACER = ("gae_lambda", "vf_coef")
_HYPERPARAMETERS = (
    *("n_steps", "gamma", "gae_lambda", "learning_rate", "ent_coef", "vf_coef", "max_grad_norm"),
    *_PPO_ONLY,
)
_LEAST = {"envs": 1, "steps": 1, "n_steps": 1, "threads": 1, "batch_size": 2, "n_epochs": 1}
_SB3_N_STEPS, _SB3_BATCH_SIZE = 2048, 64  # PPO's defaults
_SHARES = ("gamma", "gae_lambda", "clip_range")


@dataclass(frozen=True, kw_only=True)
class TrainSection:
    """``[train]``: the algorithm, its network, and its parameters by Stable-Baselines3's names.

    Args:
        algorithm: ``ppo``, ``a2c``, ``maskable-ppo`` or ``acer``.
        engine: ``sb3``, the trainers of Stable-Baselines3 on a processor; or ``gpu``, ``ppo`` and
            ``maskable-ppo`` with everything but the environments on one device.
        device: of the engine ``gpu``; by default ``cuda``; ``auto`` is ``cuda`` where there is one,
            else ``cpu``.
        precision: of the engine ``gpu``'s matrix products, ``bf16``, ``tf32`` or ``fp32``.
            Default: ``bf16`` on a GPU that has it, else ``fp32``.
        network: ``nn1``, ``nn2``, ``kernel`` or the widths of the hidden layers.
        activation: after each hidden layer, ``tanh`` (the default) or ``relu``.
        shared_trunk: one network for policy and value, as Stable-Baselines3 1.0 made of a list of
            widths; else one each, as Stable-Baselines3 2 does.
        envs: environments side by side.
        steps: to learn from, of all environments together.
        seed: of everything.
        reward_scale: rewards are multiplied by it before they are learnt from.
        baseline: a policy such as ``saf+easy``, or ``teacher``; what it gets for the same jobs
            is taken off the rewards as time goes on, so that easy and hard jobs count alike.
        anneal: the learning rate falls in a straight line, to 0 at the last step.
        checkpoint_every: number of steps after which the end of an update keeps a checkpoint.
        threads: for the environments and, on a processor, for the network. Sums of other numbers
            of threads differ in their last bits, so the default is one everywhere; with the engine
            ``gpu`` it is all there are.
    """

    algorithm: str = "ppo"
    engine: str = "sb3"
    device: str | None = None
    precision: str | None = None
    network: str | tuple[int, ...] = (64, 64)
    activation: str | None = None
    shared_trunk: bool = False
    envs: int = 8
    steps: int = 100_000
    seed: int = 0
    reward_scale: float = 1.0
    baseline: str | None = None
    anneal: bool = False
    checkpoint_every: int = 100_000
    threads: int | None = None
    n_steps: int | None = None
    batch_size: int | None = None
    n_epochs: int | None = None
    gamma: float | None = None
    gae_lambda: float | None = None
    learning_rate: float | None = None
    clip_range: float | None = None
    ent_coef: float | None = None
    vf_coef: float | None = None
    max_grad_norm: float | None = None
    target_kl: float | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UnknownNameError("algorithm", self.algorithm, ALGORITHMS)
        if isinstance(self.network, str) and self.network not in (*NETWORKS, KERNEL):
            raise UnknownNameError("network", self.network, (*NETWORKS, KERNEL))
        if not isinstance(self.network, str) and (not self.network or 0 in self.network):
            raise ParameterError(f"network is {list(self.network)}; must have widths >= 1")
        if self.activation is not None and self.activation not in ACTIVATIONS:
            raise UnknownNameError("activation", self.activation, ACTIVATIONS)
        for key, part in (("shared_trunk", "a trunk"), ("activation", "activations")):
            if getattr(self, key) and self.network == KERNEL:
                raise ParameterError(f"network kernel has {part} of its own; leave {key} out")
        self._check_algorithm()
        self._check_engine()
        self._check_ranges()

    @property
    def is_ppo(self) -> bool:
        """Whether rollouts are learnt from in minibatches, several times."""
        return self.algorithm in ("ppo", "maskable-ppo")

    def _check_algorithm(self) -> None:
        others = {} if self.is_ppo else dict.fromkeys(_PPO_ONLY, "ppo")
        if self.algorithm == "acer":
            others |= dict.fromkeys(_NOT_ACER, "ppo and a2c")
        for key, owner in others.items():
            if getattr(self, key) is not None:
                raise ParameterError(f"{key} is a parameter of {owner}; {self.algorithm} has none")

    def _check_engine(self) -> None:
        if self.engine not in ENGINES:
            raise UnknownNameError("engine", self.engine, ENGINES)
        if self.precision is not None and self.precision not in PRECISIONS:
            raise UnknownNameError("precision", self.precision, PRECISIONS)
        if self.engine == "gpu" and not self.is_ppo:
            raise ParameterError(
                f"engine gpu has ppo and maskable-ppo; {self.algorithm} needs engine sb3"
            )
        for key in ("device", "precision"):
            if self.engine == "sb3" and getattr(self, key) is not None:
                raise ParameterError(f"{key} is a parameter of engine gpu; sb3 has none")

    def _check_ranges(self) -> None:
        for key, least in _LEAST.items():
            value = getattr(self, key)
            if value is not None and value < least:
                raise ParameterError(f"{key} is {value}; must be >= {least}")
        for key in _SHARES:
            value = getattr(self, key)
            if value is not None and not 0 <= value <= 1:
                raise ParameterError(f"{key} is {value}; must be from 0 to 1")
        if self.learning_rate is not None and self.learning_rate <= 0:
            raise ParameterError(f"learning_rate is {self.learning_rate}; must be > 0")
        if self.anneal and self.learning_rate is None:
            raise ParameterError("anneal needs a learning_rate, from which it falls")
        rollout = self.envs * (self.n_steps or _SB3_N_STEPS)
        batch_size = self.batch_size or _SB3_BATCH_SIZE
        if self.is_ppo and rollout % batch_size:
            raise ParameterError(
                f"batch_size {batch_size:,} does not divide the {rollout:,} steps of a rollout "
                "(envs x n_steps)"
            )

    @property
    def cores(self) -> int:
        """How many threads compute."""
        if self.threads is not None or self.engine == "sb3":
            return self.threads or 1
        return len(os.sched_getaffinity(0))

    @property
    def widths(self) -> tuple[int, ...]:
        """Of the hidden layers; none for the kernel network, which has its own."""
        if isinstance(self.network, str):
            return NETWORKS.get(self.network, ())
        return self.network

    def hyperparameters(self) -> dict[str, Any]:
        """Those that the file sets; the others are Stable-Baselines3's own."""
        values = {key: getattr(self, key) for key in _HYPERPARAMETERS}
        return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class CloneSection:
    """``[clone]``: before it learns by itself, the network learns to decide as a teacher does.

    Args:
        teacher: the file of an evolved priority, looked for beside the training file, or a ready
            one, such as ``evolved:slowdown``; on the grid a rule, such as ``sjf``.
        decisions: of the teacher to learn from, in whole episodes.
        epochs: how often each is learnt from.
        batch_size: decisions per step of the optimiser.
        learning_rate: of it.
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

    Greedy ones, or with ``sampled`` with actions drawn by the network's probabilities. The part of
    a trace, or of the seeds of a model, that is ``held_out`` is for them, and not learnt from.
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
    acer: AcerSection = field(default_factory=AcerSection)
    evaluation: EvaluationSection = field(default_factory=EvaluationSection)
    folder: Path = field(default=Path(), compare=False)

    def __post_init__(self) -> None:
        by_jobs = "vector" if isinstance(self.environment, GanttSettings) else "jobs"
        if self.train.network == KERNEL and self.environment.observation != by_jobs:
            raise ParameterError(
                f'network kernel needs observation = "{by_jobs}" in [environment]; '
                f'it is "{self.environment.observation}"'
            )
        if self.environment.observation == "image":
            raise ParameterError(
                'observation is "image", for networks of your own; '
                'give "flat", the same numbers in a row, or "vector"'
            )
        teacher = self.clone.teacher
        self._check_baseline(self.train.baseline, teacher)
        if isinstance(self.environment, GanttSettings) and teacher not in (None, *TEACHERS):
            raise UnknownNameError("teacher", str(teacher), TEACHERS)
        if self.train.algorithm != "acer" and self.acer != AcerSection():
            raise ParameterError(
                f'[acer] is for algorithm = "acer" in [train]; it is "{self.train.algorithm}"'
            )

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
            choose_policy(policy)

    @property
    def baseline(self) -> PolicyLike | None:
        """Whose rewards are taken off, if anybody's."""
        if self.train.baseline == TEACHER:
            return EvolvedPolicy(self.taught_priority())
        return self.train.baseline

    def taught_priority(self) -> Priority:
        """What the teacher in a queue decides by."""
        name = str(self.clone.teacher)
        kind, _, ready = name.partition(":")
        if kind == "evolved" and ready in READY:
            return ready_priority(ready)
        return read_priority(self.folder / name)

    def require_queue(self) -> QueueSettings:
        """The rules, which must be those of ``schedlab/Queue-v0``."""
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
        return self.train.algorithm == "maskable-ppo" or self.acer.masked

    @property
    def greedy_masked(self) -> bool:
        """Whether the greedy agent keeps to the mask, even if it learnt without.

        Where it orders jobs, an answer against the mask changes nothing and would come for ever.
        """
        return self.masked or self._orders

    @property
    def _orders(self) -> bool:
        """Whether the agent orders jobs."""
        return isinstance(self.environment, QueueSettings) and self.environment.mode != "pick"

    def open_episodes(self) -> tuple[Episodes, Episodes]:
        """Where the jobs come from to learn from, and those to be judged by."""
        episodes = self.episodes.open(self.folder, self.environment)
        return episodes.split(self.evaluation.held_out)

    def with_train(self, **changes: Any) -> TrainingConfig:
        """The same with other values in ``[train]``."""
        return replace(self, train=replace(self.train, **changes))

    def document(self) -> dict[str, Any]:
        """The sections as JSON has them and ``training_config`` reads them."""
        sections = {name: asdict(getattr(self, name)) for name in SECTIONS}
        sections["environment"] = settings_document(self.environment)
        document: dict[str, Any] = json.loads(json.dumps(sections))
        return document


SECTIONS: dict[str, Any] = {
    "environment": Settings,
    "episodes": EpisodesSection,
    "clone": CloneSection,
    "train": TrainSection,
    "acer": AcerSection,
    "evaluation": EvaluationSection,
}


def training_config(document: Mapping[str, Any], folder: Path = Path()) -> TrainingConfig:
    """The training that the sections describe; those left out keep their defaults."""
    reject_unknown_keys(document, SECTIONS, "the training")
    sections: dict[str, Any] = {name: _section(name, given) for name, given in document.items()}
    config = TrainingConfig(**sections, folder=folder)
    return config if "nodes" in document.get("environment", ()) else _on_its_machine(config)


def _on_its_machine(config: TrainingConfig) -> TrainingConfig:
    """Give the machine the size that the trace or the model has."""
    rules = config.environment
    if not isinstance(rules, QueueSettings) or config.episodes.workload is None:
        return config
    nodes = machine_nodes(config.episodes.open(config.folder, rules))
    return replace(config, environment=replace(rules, nodes=nodes or rules.nodes))


def _section(name: str, given: Any) -> Any:
    if name == "environment":
        return read_settings(given)
    return build(SECTIONS[name], given, f"[{name}]")


def read_training(path: str | Path) -> TrainingConfig:
    """The training that a TOML file describes."""
    source = Source.load(path)
    document = parse_toml(path, source.decoded())
    try:
        return training_config(document, source.path.parent)
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None
