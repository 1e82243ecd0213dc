"""Learned policies: files of ``schedlab learn train`` and ``learn export``, and your own."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from schedlab.errors import ParameterError
from schedlab.lookup import import_object
from schedlab.policies.learned.agent import Decider, GreedyAgent, SamplingAgent
from schedlab.policies.learned.document import naming
from schedlab.policies.learned.own_agent import OwnAgent
from schedlab.policies.learned.policy import LearnedPolicy
from schedlab.policies.learned.settings import QueueSettings
from schedlab.policies.learned.trained_policy import TrainedPolicy
from schedlab.units import require_whole

__all__ = ["READERS", "Decider", "LearnedPolicy", "Model", "QueueSettings", "learned_policy"]

READERS = {
    ".zip": "schedlab.rl.sb3_model:read_zip",
    ".onnx": "schedlab.policies.learned.onnx_model:read_onnx",
    ".toml": "schedlab.policies.learned.agent_file:read_agent",
}
"""The readers of model files, by suffix: loaded by name, since each needs its own extra."""


class Model(Protocol):
    """What a model file holds: an agent, and the rules under which it decides."""

    @property
    def settings(self) -> QueueSettings:
        """The rules, with the scale of time."""
        ...

    def agent(self) -> Decider:
        """Return the network, ready to decide."""
        ...


def learned_policy(path: str | Path, sample: int | None = None) -> LearnedPolicy:
    """Return the policy that a model file holds: greedy, or with actions drawn by that seed."""
    reader = READERS.get(Path(path).suffix.lower(), READERS[".zip"])
    model: Model = import_object("policy", reader)(path)
    with naming(path):
        settings, agent = model.settings, model.agent()
    observe = model.observe if isinstance(model, OwnAgent) else None
    if sample is None:
        return TrainedPolicy(agent, settings, f"learned:{path}", observe)
    if not isinstance(agent, GreedyAgent):
        raise ParameterError(f"learned:{path} is a function, whose actions cannot be drawn by seed")
    sampling = SamplingAgent(agent, require_whole("sample", sample))
    return TrainedPolicy(sampling, settings, f"learned:{path}:sample={sample}", observe)
