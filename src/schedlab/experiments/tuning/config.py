"""The tuning file: the training to begin with, the space to search, and how to search it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError, SchedlabError, UnknownNameError
from schedlab.experiments.tuning.space import ParameterRange, Setting, Space, read_space
from schedlab.rl.environments import environment_of
from schedlab.rl.training_config import TrainingConfig, read_training, training_config
from schedlab.sections import build, parse_toml, reject_unknown_keys
from schedlab.workload.readers import Source

LARGER_IS_BETTER = {
    "utilisation": True,
    "return": True,
    "share_started": True,
    "makespan_s": False,
    "mean_wait_s": False,
    "mean_bounded_slowdown": False,
    "mean_slowdown": False,
}
"""The results of an evaluation by which settings can be ranked."""
_LEAST = {"runs": 1, "trials": 1, "at_once": 1}


@dataclass(frozen=True, kw_only=True)
class TuneSection:
    """``[tune]``: what is trained, how often, and by which result settings are ranked.

    Args:
        training: the training file, beside the tuning file.
        score: a result of the evaluation at the end of a training; its mean over runs ranks.
        runs: number of trainings of each setting, with the seeds ``seed``, ``seed + 1`` and so on.
        seed: the first seed of trainings, and that of the search.
        trials: number of settings, proposed by Optuna; without it, the whole grid.
        at_once: number of trials proposed together, before their results are known.
        prune_at: the step after which trials worse than the median of earlier ones are stopped.
    """

    training: str
    score: str = "utilisation"
    runs: int = 5
    seed: int = 0
    trials: int | None = None
    at_once: int = 4
    prune_at: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.score not in LARGER_IS_BETTER:
            raise UnknownNameError("score", self.score, LARGER_IS_BETTER)
        for key, least in _LEAST.items():
            value = getattr(self, key)
            if value is not None and value < least:
                raise ParameterError(f"{key} is {value}; must be >= {least}")
        if 0 in self.prune_at or list(self.prune_at) != sorted(set(self.prune_at)):
            raise ParameterError(f"prune_at is {list(self.prune_at)}; must be steps in order")

    @property
    def seeds(self) -> range:
        """The seeds of the runs."""
        return range(self.seed, self.seed + self.runs)

    @property
    def larger_is_better(self) -> bool:
        """Whether a setting with a higher score is the better one."""
        return LARGER_IS_BETTER[self.score]


@dataclass(frozen=True)
class Tuning:
    """A tuning file, with the training file that it names."""

    about: TuneSection
    training: TrainingConfig
    space: Space

    def __post_init__(self) -> None:
        about, steps = self.about, self.training.train.steps
        scores = environment_of(self.training.environment).scores
        if about.score not in scores:
            raise UnknownNameError("score of this environment:", about.score, scores)
        if about.trials is None:
            if about.prune_at:
                raise ParameterError("prune_at needs trials; a grid is trained whole")
            for parameter in self.space.parameters:
                if isinstance(parameter.domain, ParameterRange):
                    raise ParameterError(f"{parameter.where} is a range, which needs trials")
        if about.prune_at and about.prune_at[-1] >= steps:
            raise ParameterError(
                f"prune_at is {list(about.prune_at)}; must be below the {steps:,} steps of training"
            )

    def config(self, setting: Setting) -> TrainingConfig:
        """Return the training with the values of the setting; an error says why it cannot be."""
        document = self.training.document()
        self.space.put(setting, document)
        return training_config(document, self.training.folder)


def read_tuning(path: str | Path, **changes: Any) -> Tuning:
    """Return the tuning that a TOML file describes.

    ``changes`` replace values of its ``[tune]``.
    """
    source = Source.load(path)
    document = parse_toml(path, source.decoded())
    try:
        return _tuning(document, changes, source.path.parent.resolve())
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


def _tuning(document: Mapping[str, Any], changes: Mapping[str, Any], folder: Path) -> Tuning:
    reject_unknown_keys(document, ("tune", "space"), "the tuning")
    for name in ("tune", "space"):
        if name not in document:
            raise InputError(f"there is no section [{name}]")
    about = replace(build(TuneSection, document["tune"], "[tune]"), **changes)
    training = read_training(folder / about.training)
    return Tuning(about, training, read_space(document["space"], type(training.environment)))
