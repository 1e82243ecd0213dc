"""PPO with everything but the environments on one device: for a GPU, and as lean on a CPU.

The native environments write observations into (pinned) memory of the host, from as many threads as
there are processors; policy, buffers, advantages and updates live on the device. The algorithm and
its defaults are those of Stable-Baselines3's PPO.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from schedlab.errors import ParameterError
from schedlab.rl.batch import QueueBatch
from schedlab.rl.episodes import Episodes
from schedlab.rl.settings import QueueSettings

_VALUES_AT_A_TIME = 65_536


@dataclass(frozen=True, kw_only=True)
class PpoSettings:
    """The knobs of PPO; names and defaults as in Stable-Baselines3 where it has them."""

    envs: int = 8
    n_steps: int = 2048
    batch_size: int = 64
    n_epochs: int = 10
    learning_rate: float = 3e-4
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    ent_coef: float = 0.0
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    masked: bool = False
    net_arch: tuple[int, ...] = (1024, 512, 256)
    bf16: bool = False
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.envs * self.n_steps % self.batch_size:
            raise ParameterError(
                f"batch_size {self.batch_size} does not divide the {self.envs * self.n_steps:,} "
                "steps of a rollout (envs x n_steps)"
            )


def mlp(sizes: tuple[int, ...], out: int, gain: float) -> nn.Sequential:
    """Tanh layers with a linear one at the end, initialised orthogonally as SB3 does."""
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [_linear(before, after, math.sqrt(2)), nn.Tanh()]
    return nn.Sequential(*layers, _linear(sizes[-1], out, gain))


def _linear(before: int, after: int, gain: float) -> nn.Linear:
    layer = nn.Linear(before, after)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class ActorCritic(nn.Module):
    """Two networks of the same shape: one for the policy, one for the value."""

    def __init__(self, inputs: int, actions: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.actor = mlp((inputs, *hidden), actions, 0.01)
        self.critic = mlp((inputs, *hidden), 1, 1.0)


@dataclass
class Progress:
    """How far training is, and how the last episodes went."""

    steps: int = 0
    seconds: float = 0.0
    env_seconds: float = 0.0
    update_seconds: float = 0.0
    episodes: list[dict[str, Any]] = field(default_factory=list)


class LeanPpo:
    """Collects rollouts from a native batch and improves the policy on one device."""

    def __init__(
        self,
        rules: QueueSettings,
        episodes: Episodes,
        settings: PpoSettings,
        *,
        device: str = "cpu",
        seed: int = 0,
    ) -> None:
        """Make the environments, the networks and the buffers; the seed drives all chance."""
        torch.manual_seed(seed)
        self.settings, self.device = settings, torch.device(device)
        on_gpu = self.device.type == "cuda"
        probe = QueueBatch(rules, episodes, 1, threads=1).core
        shape = settings.envs, probe.observation_size
        self.host = torch.zeros(shape, pin_memory=on_gpu)
        self.batch = QueueBatch(
            rules, episodes, settings.envs, threads=settings.threads, observation=self.host.numpy()
        )
        self.batch.seed(seed)
        for place in range(settings.envs):
            self.batch.reset(place)

        self.policy = ActorCritic(probe.observation_size, probe.actions, settings.net_arch).to(
            self.device
        )
        self.optimiser = torch.optim.Adam(
            self.policy.parameters(), settings.learning_rate, eps=1e-5, fused=on_gpu
        )
        self.random = torch.Generator(self.device).manual_seed(seed)
        self.progress = Progress()
        self._returns = np.zeros(settings.envs)
        self._make_buffers(probe.observation_size, probe.actions)

    def _make_buffers(self, inputs: int, actions: int) -> None:
        steps, envs, device = self.settings.n_steps, self.settings.envs, self.device
        kind = torch.bfloat16 if self.settings.bf16 else torch.float32
        kept = steps if self.settings.masked else 0
        self.observations = torch.zeros((steps + 1, envs, inputs), dtype=kind, device=device)
        self.masks = torch.ones((kept, envs, actions), dtype=torch.bool, device=device)
        self.actions = torch.zeros((steps, envs), dtype=torch.long, device=device)
        self.log_probs = torch.zeros((steps, envs), device=device)
        self.rewards, self.ended = (np.zeros((steps, envs), np.float32) for _ in range(2))
        # Where the step in progress is computed.
        self.seen = torch.zeros((envs, inputs), device=device)
        self.allowed = torch.ones((envs, actions), dtype=torch.bool, device=device)
        self.action = torch.zeros(envs, dtype=torch.long, device=device)
        self.log_prob = torch.zeros(envs, device=device)
        self.graph = self._captured() if device.type == "cuda" else None

    def learn(self, steps: int, report: Callable[[Progress], None] | None = None) -> None:
        """Train for at least so many more steps of the environments, in whole rollouts."""
        until = self.progress.steps + steps
        while self.progress.steps < until:
            began = time.perf_counter()
            self.collect()
            self._sync()
            collected = time.perf_counter()
            self.update(*self.advantages())
            self._sync()
            self.progress.update_seconds += time.perf_counter() - collected
            self.progress.seconds += time.perf_counter() - began
            if report is not None:
                report(self.progress)

    def _sync(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def _autocast(self) -> Any:
        return torch.autocast(
            self.device.type, torch.bfloat16, enabled=self.settings.bf16, cache_enabled=False
        )

    def _log_probs(self, observation: Tensor, mask: Tensor | None) -> Tensor:
        with self._autocast():
            logits: Tensor = self.policy.actor(observation).float()
        if mask is not None:
            logits = logits.masked_fill(~mask, -1e8)
        return logits.log_softmax(-1)

    def _values(self, observation: Tensor) -> Tensor:
        with self._autocast():
            values: Tensor = self.policy.critic(observation).float()
        return values.squeeze(-1)

    @torch.no_grad()
    def _act(self) -> None:
        """Draw an action for what is seen, by the Gumbel-max trick."""
        log_probs = self._log_probs(self.seen, self.allowed if self.settings.masked else None)
        noise = torch.empty_like(log_probs).exponential_(generator=self.random)
        self.action.copy_((log_probs - noise.log()).argmax(-1))
        self.log_prob.copy_(log_probs.gather(-1, self.action.unsqueeze(-1)).squeeze(-1))

    def _captured(self) -> torch.cuda.CUDAGraph:
        """The same as one launch."""
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self.random)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self._act()
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.graph(graph):
            self._act()
        return graph

    def _look(self, step: int) -> None:
        """Bring what the environments have written to the device."""
        self.seen.copy_(self.host, non_blocking=True)
        self.observations[step].copy_(self.seen)
        if self.settings.masked:
            self.allowed.copy_(torch.from_numpy(self.batch.mask))

    @torch.no_grad()
    def collect(self) -> None:
        """Fill the buffers with one rollout."""
        for step in range(self.settings.n_steps):
            self._look(step)
            if self.graph is None:
                self._act()
            else:
                self.graph.replay()
            if self.settings.masked:
                self.masks[step].copy_(self.allowed)
            self.actions[step], self.log_probs[step] = self.action, self.log_prob
            self._step_environments(step, self.action.cpu().numpy())
        self._look(self.settings.n_steps)

    def _step_environments(self, step: int, actions: np.ndarray[Any, Any]) -> None:
        began = time.perf_counter()
        finished = self.batch.step(actions)
        reward = self.batch.reward
        self._returns += reward
        self.ended[step] = self.batch.terminated | self.batch.truncated
        self.rewards[step] = reward
        out_of_steps = np.flatnonzero(self.batch.truncated)
        if len(out_of_steps):
            last = self.host[torch.from_numpy(out_of_steps)].to(self.device)
            to_come = self._values(last).cpu().numpy()
            self.rewards[step, out_of_steps] += self.settings.gamma * to_come
        for place in map(int, finished):
            result = dict(self.batch.result(place), **{"return": self._returns[place]})
            self.progress.episodes.append(result)
            self._returns[place] = 0
            self.batch.reset(place)
        self.progress.env_seconds += time.perf_counter() - began
        self.progress.steps += self.settings.envs

    @torch.no_grad()
    def advantages(self) -> tuple[Tensor, Tensor]:
        """Generalised advantage estimates and returns; values of the whole rollout at once."""
        gamma, lam = self.settings.gamma, self.settings.gae_lambda
        chunks = self.observations.flatten(0, 1).split(_VALUES_AT_A_TIME)
        values = torch.cat([self._values(chunk) for chunk in chunks]).cpu().numpy()
        values = values.reshape(-1, self.settings.envs)
        estimates = np.zeros_like(self.rewards)
        advantage = np.zeros_like(values[0])
        for step in reversed(range(self.settings.n_steps)):
            goes_on = 1 - self.ended[step]
            delta = self.rewards[step] + gamma * values[step + 1] * goes_on - values[step]
            advantage = delta + gamma * lam * goes_on * advantage
            estimates[step] = advantage
        returns = estimates + values[:-1]
        return torch.from_numpy(estimates).to(self.device), torch.from_numpy(returns).to(
            self.device
        )

    def update(self, advantages: Tensor, returns: Tensor) -> None:
        """Go over the rollout several times in shuffled minibatches."""
        columns = (self.observations[:-1], self.actions, self.log_probs, advantages, returns)
        flat = [each.flatten(0, 1) for each in columns]
        masks = self.masks.flatten(0, 1)
        size = self.settings.batch_size
        for _ in range(self.settings.n_epochs):
            order = torch.randperm(len(flat[0]), generator=self.random, device=self.device)
            for first in range(0, len(order), size):
                rows = order[first : first + size]
                mask = masks[rows] if self.settings.masked else None
                loss = self._loss(mask, *(each[rows] for each in flat))
                self.optimiser.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), self.settings.max_grad_norm)
                self.optimiser.step()

    def _loss(
        self,
        mask: Tensor | None,
        observation: Tensor,
        action: Tensor,
        old_log_prob: Tensor,
        advantage: Tensor,
        target: Tensor,
    ) -> Tensor:
        log_probs = self._log_probs(observation, mask)
        log_prob = log_probs.gather(-1, action.unsqueeze(-1)).squeeze(-1)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        ratio = (log_prob - old_log_prob).exp()
        clip = self.settings.clip_range
        surrogate = torch.min(advantage * ratio, advantage * ratio.clamp(1 - clip, 1 + clip))
        entropy = -(log_probs.exp() * log_probs).sum(-1)
        return (
            -surrogate.mean()
            - self.settings.ent_coef * entropy.mean()
            + self.settings.vf_coef * nn.functional.mse_loss(target, self._values(observation))
        )
