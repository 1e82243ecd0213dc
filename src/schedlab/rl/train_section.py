"""``[train]`` of a training file."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.processors import usable_processors
from schedlab.rl.algorithms import ALGORITHMS

ENGINES = ("sb3", "gpu")
PRECISIONS = ("bf16", "tf32", "fp32")
NETWORKS = {"nn1": (1024, 512, 256), "nn2": (2048, 512, 256)}
"""Widths of the hidden layers (Takizawa, Nomura and Matsuba)."""
KERNEL = "kernel"
ACTIVATIONS = ("tanh", "relu")
_LEAST = ("envs", "steps", "threads")


@dataclass(frozen=True, kw_only=True)
class TrainSection:
    """``[train]``: the algorithm, its network, and what it learns from.

    Args:
        algorithm: ``ppo``, ``a2c``, ``maskable-ppo`` or ``acer``. Its parameters are in a section
            of their own: ``[ppo]`` (of both), ``[a2c]`` or ``[acer]``.
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
        baseline: a policy such as ``saf+easy``, or ``teacher``; its rewards for the same jobs are
            taken off the agent's as time goes on, so that easy and hard jobs count alike.
        checkpoint_every: number of steps between checkpoints, each kept at the end of an update.
        threads: for the environments and, on a processor, for the network. The last bits of sums
            depend on the number of threads, so the default is one everywhere; with the engine
            ``gpu`` it is the number of processors.
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
    checkpoint_every: int = 100_000
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UnknownNameError("algorithm", self.algorithm, ALGORITHMS)
        self._check_network()
        self._check_engine()
        for key in _LEAST:
            value = getattr(self, key)
            if value is not None and value < 1:
                raise ParameterError(f"{key} is {value}; must be >= 1")

    def _check_network(self) -> None:
        if isinstance(self.network, str) and self.network not in (*NETWORKS, KERNEL):
            raise UnknownNameError("network", self.network, (*NETWORKS, KERNEL))
        if not isinstance(self.network, str) and (not self.network or 0 in self.network):
            raise ParameterError(f"network is {list(self.network)}; must have widths >= 1")
        if self.activation is not None and self.activation not in ACTIVATIONS:
            raise UnknownNameError("activation", self.activation, ACTIVATIONS)
        for key, part in (("shared_trunk", "a trunk"), ("activation", "activations")):
            if getattr(self, key) and self.is_kernel:
                raise ParameterError(f"network kernel has {part} of its own; leave {key} out")

    def _check_engine(self) -> None:
        if self.engine not in ENGINES:
            raise UnknownNameError("engine", self.engine, ENGINES)
        if self.precision is not None and self.precision not in PRECISIONS:
            raise UnknownNameError("precision", self.precision, PRECISIONS)
        if self.engine == "gpu" and not ALGORITHMS[self.algorithm].on_gpu:
            able = " and ".join(name for name, each in ALGORITHMS.items() if each.on_gpu)
            raise ParameterError(f"engine gpu has {able}; {self.algorithm} needs engine sb3")
        for key in ("device", "precision"):
            if self.engine == "sb3" and getattr(self, key) is not None:
                raise ParameterError(f"{key} is a parameter of engine gpu; sb3 has none")

    @property
    def cores(self) -> int:
        """How many threads compute."""
        if self.threads is not None or self.engine == "sb3":
            return self.threads or 1
        return usable_processors()

    @property
    def is_kernel(self) -> bool:
        """Whether one small network scores each job by itself."""
        return self.network == KERNEL

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of the hidden layers; none for the kernel network, which has its own."""
        if isinstance(self.network, str):
            return NETWORKS.get(self.network, ())
        return self.network
