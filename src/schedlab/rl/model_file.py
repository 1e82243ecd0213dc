"""Trained models as files that people can exchange: numbers and their description, no code."""

from __future__ import annotations

import platform as host
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import InputError, MissingExtraError
from schedlab.policies.learned.document import MODEL, understanding
from schedlab.policies.learned.settings import QueueSettings
from schedlab.version import __version__

try:
    import sb3_contrib  # noqa: F401
    import stable_baselines3
    import torch
except ModuleNotFoundError:
    raise MissingExtraError("sb3-contrib", "rl") from None

from schedlab.rl.agent import TorchAgent
from schedlab.rl.environments import environment_of
from schedlab.rl.networks import ActorCritic
from schedlab.rl.tensor_archive import read_archive, write_archive
from schedlab.rl.train_policy import policy_class, policy_settings
from schedlab.rl.training_config import SECTIONS, TrainingConfig, training_config

_NEEDED = ("environment", "train")
"""Sections that describe the network, and must be there."""


@dataclass(frozen=True)
class TrainedModel:
    """A network's parameters with all that is needed to use and to understand them.

    Args:
        config: of the training.
        time_scale_s: the time that the network saw as 1.
        steps: number of steps that it learnt from.
        results: of the last evaluation.
        parameters: by their names in the network.
    """

    config: TrainingConfig
    time_scale_s: float
    steps: int
    results: Mapping[str, float]
    parameters: Mapping[str, NDArray[Any]]

    @property
    def settings(self) -> QueueSettings:
        """The rules under which it decides in a simulation, including the time scale."""
        return replace(self.config.require_queue(), time_scale_s=self.time_scale_s)

    def document(self) -> dict[str, Any]:
        """Return all but the parameters as values for JSON, with the versions of the software."""
        return {
            **self.config.document(),
            "time_scale_s": self.time_scale_s,
            "steps": self.steps,
            "results": dict(self.results),
            "versions": {
                "schedlab": __version__,
                "stable-baselines3": stable_baselines3.__version__,
                "torch": torch.__version__,
                "numpy": np.__version__,
                "python": host.python_version(),
            },
        }

    def agent(self) -> TorchAgent:
        """Return the network, ready to decide."""
        train, environment = self.config.train, environment_of(self.config.environment)
        policy = policy_class(train)(
            *environment.spaces(self.time_scale_s),
            lambda _: 0.0,
            ortho_init=False,  # takes seconds, and the file's parameters come in its place
            **policy_settings(train, self.config.environment),
        )
        self._load_into(policy)
        policy.set_training_mode(False)
        return TorchAgent(policy, masked=self.config.greedy_masked)

    def _load_into(self, policy: ActorCritic) -> None:
        expected = {name: tuple(each.shape) for name, each in policy.state_dict().items()}
        found = {name: each.shape for name, each in self.parameters.items()}
        for name in sorted(expected.keys() | found.keys()):
            if expected.get(name) != found.get(name):
                raise InputError(
                    f"parameter {name} has shape {found.get(name)}; "
                    f"the model's configuration asks for {expected.get(name)}"
                )
        policy.load_state_dict({name: torch.tensor(each) for name, each in self.parameters.items()})


def write_model(path: str | Path, model: TrainedModel) -> None:
    """Write the model, whole or not at all."""
    write_archive(path, MODEL, model.document(), model.parameters)


def read_model(path: str | Path) -> TrainedModel:
    """Return the model in the file; nothing in the file is executed."""
    document, parameters = read_archive(path, MODEL)
    with understanding(path):
        # A model older than a section was trained with the section's defaults.
        given = [name for name in SECTIONS if name in document or name in _NEEDED]
        config = training_config({name: document[name] for name in given})
        scale, steps = float(document["time_scale_s"]), int(document["steps"])
        if not scale > 0:
            raise InputError(f"time_scale_s is {scale}; must be > 0")
        return TrainedModel(config, scale, steps, dict(document["results"]), parameters)
