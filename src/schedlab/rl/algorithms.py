"""The algorithms that a training file can name; each loads its trainer only when it is used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from schedlab.rl.algorithm_sections import A2cSection, AcerSection, AlgorithmSection, PpoSection

if TYPE_CHECKING:
    from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

    from schedlab.rl.networks import ActorCritic


class Algorithm(ABC):
    """A trainer with the classes of its networks, and the section of its parameters."""

    section: ClassVar[str]
    """The name of its section in a training file."""
    parameters: ClassVar[type[AlgorithmSection]]
    on_gpu: ClassVar[bool] = False
    """Whether the engine ``gpu`` supports it."""

    @abstractmethod
    def trainer(self) -> type[OnPolicyAlgorithm]:
        """Return the class that trains, for the engine ``sb3``."""

    @abstractmethod
    def policy(self, *, kernel: bool) -> type[ActorCritic]:
        """Return the class of its network: plain layers, or the kernel."""

    def masks(self, parameters: AlgorithmSection) -> bool:
        """Return whether only actions that make sense are drawn in training."""
        return False


class _Ppo(Algorithm):
    section, parameters, on_gpu = "ppo", PpoSection, True

    def trainer(self) -> type[OnPolicyAlgorithm]:
        from stable_baselines3 import PPO

        return PPO

    def policy(self, *, kernel: bool) -> type[ActorCritic]:
        from stable_baselines3.common.policies import ActorCriticPolicy

        from schedlab.rl.networks import KernelPolicy

        return KernelPolicy if kernel else ActorCriticPolicy


class _MaskablePpo(_Ppo):
    def trainer(self) -> type[OnPolicyAlgorithm]:
        from sb3_contrib import MaskablePPO

        return MaskablePPO

    def policy(self, *, kernel: bool) -> type[ActorCritic]:
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

        from schedlab.rl.networks import MaskableKernelPolicy

        return MaskableKernelPolicy if kernel else MaskableActorCriticPolicy

    def masks(self, parameters: AlgorithmSection) -> bool:
        return True


class _A2c(Algorithm):
    section, parameters = "a2c", A2cSection

    def trainer(self) -> type[OnPolicyAlgorithm]:
        from stable_baselines3 import A2C

        return A2C

    def policy(self, *, kernel: bool) -> type[ActorCritic]:
        from stable_baselines3.common.policies import ActorCriticPolicy

        from schedlab.rl.networks import KernelPolicy

        return KernelPolicy if kernel else ActorCriticPolicy


class _Acer(Algorithm):
    section, parameters = "acer", AcerSection

    def trainer(self) -> type[OnPolicyAlgorithm]:
        from schedlab.rl.acer import ACER

        return ACER

    def policy(self, *, kernel: bool) -> type[ActorCritic]:
        from schedlab.rl.acer.policy import AcerPolicy
        from schedlab.rl.networks import AcerKernelPolicy

        return AcerKernelPolicy if kernel else AcerPolicy

    def masks(self, parameters: AlgorithmSection) -> bool:
        assert isinstance(parameters, AcerSection)
        return parameters.masked


ALGORITHMS: dict[str, Algorithm] = {
    "ppo": _Ppo(),
    "a2c": _A2c(),
    "maskable-ppo": _MaskablePpo(),
    "acer": _Acer(),
}

ALGORITHM_SECTIONS = {each.section: each.parameters for each in ALGORITHMS.values()}
"""The algorithms' sections in training files, by name."""
