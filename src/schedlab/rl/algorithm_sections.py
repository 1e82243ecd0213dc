"""``[ppo]``, ``[a2c]`` and ``[acer]`` of a training file: the parameters of the algorithm."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from schedlab.errors import ParameterError

_SHARES = ("gamma", "gae_lambda", "clip_range")
_LEAST = {"n_steps": 1, "batch_size": 2, "n_epochs": 1}
_SB3_N_STEPS, _SB3_BATCH_SIZE = 2048, 64  # PPO's defaults


@dataclass(frozen=True, kw_only=True)
class AlgorithmSection:
    """Parameters of every algorithm, by Stable-Baselines3's names. Default: the algorithm's own.

    Args:
        n_steps: steps of each environment between two updates.
        gamma: the discount: the weight of a reward one step later.
        learning_rate: of the optimiser.
        anneal: whether the learning rate falls linearly, to 0 at the last step.
        ent_coef: how much the entropy of the policy counts in the loss.
        max_grad_norm: longer gradients are shortened to this norm.
    """

    n_steps: int | None = None
    gamma: float | None = None
    learning_rate: float | None = None
    anneal: bool = False
    ent_coef: float | None = None
    max_grad_norm: float | None = None

    def __post_init__(self) -> None:
        for key, least in _LEAST.items():
            value = getattr(self, key, None)
            if value is not None and value < least:
                raise ParameterError(f"{key} is {value}; must be >= {least}")
        for key in _SHARES:
            value = getattr(self, key, None)
            if value is not None and not 0 <= value <= 1:
                raise ParameterError(f"{key} is {value}; must be from 0 to 1")
        if self.learning_rate is not None and self.learning_rate <= 0:
            raise ParameterError(f"learning_rate is {self.learning_rate}; must be > 0")
        if self.anneal and self.learning_rate is None:
            raise ParameterError("anneal needs a learning_rate, from which it falls")

    def check_envs(self, envs: int) -> None:
        """Refuse parameters that do not suit this number of environments."""

    def arguments(self) -> dict[str, Any]:
        """Return the trainer's keyword arguments: the values that are set."""
        given = asdict(self)
        del given["anneal"]  # the trainer is given a schedule as its learning rate
        return {key: value for key, value in given.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class A2cSection(AlgorithmSection):
    """``[a2c]``: advantage actor-critic.

    Args:
        gae_lambda: of the generalised advantage estimate, between 0 (one step) and 1 (all).
        vf_coef: how much the error of the values counts in the loss.
    """

    gae_lambda: float | None = None
    vf_coef: float | None = None


@dataclass(frozen=True, kw_only=True)
class PpoSection(A2cSection):
    """``[ppo]``: proximal policy optimisation, with and without masks.

    Args:
        batch_size: steps in a minibatch.
        n_epochs: how many times each step is learnt from.
        clip_range: how far a probability may move in an update.
        target_kl: an update that moves the policy further stops early.
    """

    batch_size: int | None = None
    n_epochs: int | None = None
    clip_range: float | None = None
    target_kl: float | None = None

    def check_envs(self, envs: int) -> None:
        """Refuse minibatches into which a rollout of all environments cannot be divided."""
        rollout = envs * (self.n_steps or _SB3_N_STEPS)
        batch_size = self.batch_size or _SB3_BATCH_SIZE
        if rollout % batch_size:
            raise ParameterError(
                f"batch_size {batch_size:,} does not divide the {rollout:,} steps of a rollout "
                "(envs x n_steps)"
            )


@dataclass(frozen=True, kw_only=True)
class AcerSection(AlgorithmSection):
    """``[acer]``: actor-critic with experience replay.

    Args:
        buffer_size: steps that are kept for replay, rounded up to whole segments.
        replay_ratio: average number of updates from the buffer after each update from new steps.
        replay_start: steps in the buffer before any is replayed.
        c: importance weights are truncated at this value.
        trust_region: whether updates keep near the averaged policy.
        delta: how fast an update may leave the averaged policy, by the linearised divergence.
        alpha: share of the averaged policy that remains after an update.
        q_coef: how much the action values count beside the policy.
        masked: whether only actions that make sense are drawn.
    """

    buffer_size: int = 50_000
    replay_ratio: float = 4.0
    replay_start: int = 10_000
    c: float = 10.0
    trust_region: bool = True
    delta: float = 1.0
    alpha: float = 0.99
    q_coef: float = 0.5
    masked: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("replay_ratio", "replay_start", "delta", "q_coef"):
            if not getattr(self, key) >= 0:
                raise ParameterError(f"{key} is {getattr(self, key)}; must be >= 0")
        if self.buffer_size < 1:
            raise ParameterError(f"buffer_size is {self.buffer_size}; must be >= 1")
        if not self.c > 0:
            raise ParameterError(f"c is {self.c}; must be > 0")
        if not 0 <= self.alpha <= 1:
            raise ParameterError(f"alpha is {self.alpha}; must be from 0 to 1")
        if self.replay_ratio > 0 and self.replay_start > self.buffer_size:
            raise ParameterError(
                f"replay_start is {self.replay_start:,}; "
                f"must be <= buffer_size, which is {self.buffer_size:,}"
            )
