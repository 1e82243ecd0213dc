"""PPO for many networks at once: they act as one, and learn side by side.

All networks have the same shape and environments with the same rules. They are sorted so that those
with rollouts of the same length stand side by side, among them those with minibatches of the same
size, and among these those with the most epochs first. A step of all environments is one launch;
so is a minibatch of all networks that learn from minibatches of that size.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from schedlab.rl.cuda_graphs import captured
from schedlab.rl.ppo_loss import drawn, log_probabilities, ppo_loss, taken
from schedlab.rl.stacked.adam import StackedAdam
from schedlab.rl.stacked.batch import PopulationBatch
from schedlab.rl.stacked.fused_draw import draw
from schedlab.rl.stacked.fused_loss import loss_slopes
from schedlab.rl.stacked.member import Member, first_policy, generator_of
from schedlab.rl.stacked.rollout import StackedRollout
from schedlab.rl.stacked_networks import Layout, StackedNetworks

_VALUES_AT_A_TIME = 500_000
_OF_RETURNS, _OF_LOSS = ("gamma", "gae_lambda"), ("clip_range", "ent_coef", "vf_coef")
_EPISODES_KEPT = 100
"""As many as Stable-Baselines3 takes the mean of."""

CutOff = tuple[int, int, int, NDArray[np.float32]]
"""Where an episode ran out of steps: step, network, environment, and its last observation."""


@dataclass
class Stack:
    """Networks that learn from minibatches of one size, and their place in the group."""

    first: int
    epochs: list[int]
    rows: Tensor
    learn: dict[int, Callable[[], None]] = field(default_factory=dict)

    def learning(self, epoch: int) -> int:
        """Return how many networks still learn in this epoch."""
        return sum(epoch < own for own in self.epochs)


@dataclass
class NetworkGroup:
    """Networks with rollouts of one length, and their place among all networks."""

    first: int
    last: int
    rollout: StackedRollout
    stacks: list[Stack]
    rollouts: int
    step: int = 0
    done: int = 0
    cut_off: list[CutOff] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """Whether its networks have learnt from all their rollouts."""
        return self.done == self.rollouts


class Population:
    """Networks with their environments."""

    def __init__(
        self, members: Sequence[Member], device: str, precision: str, threads: int
    ) -> None:
        """Make networks, environments and buffers for rollouts.

        Args:
            members: all of one ``shape``.
            device: where networks are.
            precision: of matrix products: ``bf16``, ``tf32`` or ``fp32``.
            threads: number of threads that step the environments.
        """
        self.members = sorted(members, key=lambda member: member.order)
        self.device = torch.device(device)
        if precision == "tf32":
            torch.set_float32_matmul_precision("high")
        lead = self.members[0]
        train = lead.config.train
        self.envs, self.masked, self._scale = train.envs, lead.config.masked, train.reward_scale
        kind = torch.bfloat16 if precision == "bf16" else torch.float32
        begun = self._first_policies()
        self.networks = StackedNetworks(
            Layout.of(train), [policy for policy, _ in begun], self.device, kind
        )
        self._generators = [
            generator_of(member.config.train.seed, after, self.device)
            for member, (_, after) in zip(self.members, begun, strict=True)
        ]
        schedules = list(dict.fromkeys(member.schedule for member in self.members))
        self._schedule = [schedules.index(member.schedule) for member in self.members]
        self._adam = StackedAdam(self.networks.learnt, self.networks.used, self._schedule)
        self._make_room(threads)
        self._coefficients = {
            name: self._of_each(name) for name in (*_OF_RETURNS, *_OF_LOSS, "max_grad_norm")
        }
        self.groups = list(self._make_groups(kind))
        self._pool = torch.cuda.graph_pool_handle() if self.device.type == "cuda" else None
        self._act_now: Callable[[], None] | None = None
        self.returns: list[deque[float]] = [deque(maxlen=_EPISODES_KEPT) for _ in self.members]
        self.steps = 0
        self.stream: torch.cuda.Stream | None = None
        """The stream on which it computes, if it uses a GPU."""

    def _first_policies(self) -> list[Any]:
        """Return the initial networks; those with the same seed are the same."""
        by_seed = {member.config.train.seed: member for member in self.members}
        made = {seed: first_policy(member) for seed, member in by_seed.items()}
        return [made[member.config.train.seed] for member in self.members]

    def _of_each(self, name: str) -> Tensor:
        numbers = [float(getattr(member, name)) for member in self.members]
        return torch.tensor(numbers, device=self.device)

    def _make_room(self, threads: int) -> None:
        lead, pinned = self.members[0], self.device.type == "cuda"
        self.batch = PopulationBatch(
            lead.settings,
            [member.episodes for member in self.members],
            self.envs,
            seeds=[member.config.train.seed for member in self.members],
            threads=threads,
        )
        size, inputs = self.batch.observation.shape
        self._seen = torch.zeros((size, inputs), pin_memory=pinned)
        self._allowed = torch.zeros(
            (size, self.batch.core.actions), dtype=torch.uint8, pin_memory=pinned
        )
        self.batch.observation, self.batch.mask = self._seen.numpy(), self._allowed.numpy()
        self._chosen = torch.zeros(size, dtype=torch.long, pin_memory=pinned)
        self._actions = self._chosen.numpy()
        self._so_far = np.zeros(size)
        # The latest steps, as many as the longest rollout has; the next one goes to row _row.
        longest = self.members[-1].n_steps
        self._rewards = np.zeros((longest, size))
        self._ended = np.zeros((longest, size), np.bool_)
        self._row = 0

    def _make_groups(self, kind: torch.dtype) -> Any:
        first = 0
        for steps, found in groupby(self.members, key=lambda member: member.n_steps):
            members = list(found)
            last = first + len(members)
            rollout = StackedRollout(
                self._generators[first:last],
                steps,
                self.envs,
                self.networks.inputs,
                self.networks.actions,
                kind=kind,
                masked=self.masked,
            )
            yield NetworkGroup(
                first, last, rollout, list(self._stacks(members)), members[0].rollouts
            )
            first = last

    def _stacks(self, members: Sequence[Member]) -> Any:
        first = 0
        for size, found in groupby(members, key=lambda member: member.batch_size):
            epochs = [member.n_epochs for member in found]
            rows = torch.zeros((len(epochs), size), dtype=torch.long, device=self.device)
            yield Stack(first, epochs, rows)
            first += len(epochs)

    def prepare(self) -> None:
        """Begin the first episodes, and record the work that is launched repeatedly."""
        self.batch.begin()
        counters = [group.rollout.step for group in self.groups]
        self._parts = self.networks.parts(self.networks.used, 0, len(self.members))
        self._act_now = captured(self._act, self.device, lambda: counters, self._pool, urgent=True)
        for group in self.groups:
            for stack in group.stacks:
                for count in sorted({stack.learning(epoch) for epoch in range(stack.epochs[0])}):
                    stack.learn[count] = self._captured_update(group, stack, count)

    @torch.no_grad()
    def _act(self) -> None:
        """Draw an action for each environment, and keep the step in the rollouts."""
        networks, shape = len(self.members), (len(self.members), self.envs, -1)
        seen = self.networks.shown(self._seen.to(self.device, non_blocking=True).view(shape))
        mask = None
        if self.masked:
            mask = self._allowed.to(self.device, non_blocking=True).bool().view(shape)
        chance = torch.cat([group.rollout.chance() for group in self.groups])
        action, kept = self._draw(seen, mask, chance)
        for group in self.groups:
            own = slice(group.first, group.last)
            allowed = None if mask is None else mask[own]
            group.rollout.add(seen[own], allowed, action[own], kept[own])
        self._chosen.view(networks, self.envs).copy_(action, non_blocking=True)

    def _draw(self, seen: Tensor, mask: Tensor | None, chance: Tensor) -> tuple[Tensor, Tensor]:
        """Return an action in each situation, and its log-probability."""
        if self._adam.fused:
            scores = self.networks.actor_outputs(self._parts, seen)
            return draw(scores, mask, chance, self.networks.actions)
        log_probs = log_probabilities(self.networks.scores(self._parts, seen), mask)
        action = drawn(log_probs, chance)
        return action, taken(log_probs, action)

    def step(self) -> None:
        """Let every network act once; those that have a whole rollout learn from it."""
        assert self._act_now is not None, "prepare() comes first"
        for group in self.groups:
            if group.step == 0:
                group.rollout.begin()
        self._act_now()
        if self.stream is not None:
            self.stream.synchronize()
        finished = self.batch.step(self._actions)
        self.steps += self.batch.size
        self._keep(finished)
        for group in self.groups:
            group.step += 1
            if group.step == group.rollout.steps:
                self._learn(group)

    def _keep(self, finished: NDArray[np.intp]) -> None:
        """Keep the rewards, and restart the episodes that have ended."""
        batch = self.batch
        self._so_far += batch.reward
        self._rewards[self._row] = batch.reward
        self._ended[self._row] = False
        self._ended[self._row, finished] = True
        self._row = (self._row + 1) % len(self._rewards)
        for place in map(int, finished):
            network, env = divmod(place, self.envs)
            self.returns[network].append(float(self._so_far[place]))
            self._so_far[place] = 0
            if batch.truncated[place]:
                group = next(each for each in self.groups if network < each.last)
                last = batch.observation[place].copy()
                group.cut_off.append((group.step, network - group.first, env, last))
            batch.reset(place)

    def _learn(self, group: NetworkGroup) -> None:
        """Learn from a rollout of a group, unless its networks have learnt from all of theirs."""
        group.step = 0
        if not group.finished:
            group.done += 1
            self._recall(group)
            self._estimate(group)
            self._set_rates(group)
            for stack in group.stacks:
                self._update(group, stack)
        group.cut_off.clear()

    def _recall(self, group: NetworkGroup) -> None:
        """Copy the rewards and the ends of episodes into a group's rollout."""
        rollout, own = group.rollout, slice(group.first * self.envs, group.last * self.envs)
        rows = np.arange(self._row - rollout.steps, self._row) % len(self._rewards)
        shape = rollout.rewards.shape
        rewards = self._rewards[rows, own].astype(np.float32)
        rollout.rewards[:] = (rewards * self._scale).reshape(shape)
        rollout.ended[:] = self._ended[rows, own].reshape(shape)

    @torch.no_grad()
    def _estimate(self, group: NetworkGroup) -> None:
        """Estimate advantages; where an episode was cut off, its last value stands for the rest."""
        rollout, own = group.rollout, slice(group.first, group.last)
        gamma = self._coefficients["gamma"][own]
        if group.cut_off:
            self._add_values(group)
        seen = self._seen.view(len(self.members), self.envs, -1)[own]
        rollout.observations[:, -1].copy_(self.networks.shown(seen.to(self.device)))
        values = self._values(group, rollout.observations.flatten(1, 2))
        rollout.estimate(
            values.unflatten(1, (rollout.steps + 1, self.envs)),
            gamma,
            self._coefficients["gae_lambda"][own],
        )

    def _add_values(self, group: NetworkGroup) -> None:
        """Add the expected returns after the ends of episodes that were cut off."""
        steps, places, envs, last = zip(*group.cut_off, strict=True)
        counts = np.bincount(places, minlength=group.last - group.first)
        shown = torch.zeros((len(counts), int(counts.max()), len(last[0])))
        nth = [places[:number].count(place) for number, place in enumerate(places)]
        shown[list(places), nth] = torch.from_numpy(np.stack(last))
        values = self._values(group, self.networks.shown(shown.to(self.device))).cpu().numpy()
        gammas = np.array([member.gamma for member in self.members[group.first : group.last]])
        to_come = gammas[list(places)] * values[list(places), nth]
        group.rollout.rewards[steps, places, envs] += to_come.astype(np.float32)

    def _values(self, group: NetworkGroup, seen: Tensor) -> Tensor:
        """Return the returns that a group expects; ``seen`` is by network, situation and number."""
        at_once = max(1, _VALUES_AT_A_TIME // seen.shape[1])
        found = []
        for first in range(group.first, group.last, at_once):
            last = min(first + at_once, group.last)
            parts = self.networks.parts(self.networks.used, first, last)
            own = seen[first - group.first : last - group.first]
            found.append(self.networks.values(parts, own).float())
        return torch.cat(found)

    def _set_rates(self, group: NetworkGroup) -> None:
        """Set the learning rates for this update, as Stable-Baselines3 does."""
        learnt = group.done * group.rollout.steps * self.envs
        own = slice(group.first, group.last)
        found = dict(zip(self._schedule[own], self.members[own], strict=True))
        for schedule, member in found.items():
            left = 1.0 - learnt / member.config.train.steps
            self._adam.rates[schedule] = member.rate(left)

    def _update(self, group: NetworkGroup, stack: Stack) -> None:
        """Learn from the rollout several times, in shuffled minibatches."""
        orders = group.rollout.orders(stack.first, stack.epochs)
        size = stack.rows.shape[1]
        for epoch in range(stack.epochs[0]):
            count = stack.learning(epoch)
            for rows in orders[:count, epoch].split(size, dim=1):
                stack.rows[:count].copy_(rows)
                stack.learn[count]()

    def _captured_update(self, group: NetworkGroup, stack: Stack, count: int) -> Callable[[], None]:
        """Return the recorded update by one minibatch, for the first networks of a stack."""
        first = group.first + stack.first
        last = first + count
        leaves = self.networks.leaves(first, last)
        rows = stack.rows[:count]
        coefficients = {name: self._coefficients[name][first:last] for name in _OF_LOSS}
        most = self._coefficients["max_grad_norm"][first:last]

        def learn() -> None:
            seen, mask, done = group.rollout.at(rows, stack.first)
            slopes = self._slopes(leaves, seen, mask, done, coefficients)
            with torch.no_grad():
                slope = torch.cat([each.flatten(1) for each in slopes], dim=1)
                steep = torch.linalg.vector_norm(slope, dim=1, dtype=torch.float32)
                shorter = (most / (steep + 1e-6)).clamp(max=1.0)
                self._adam.step(first, last, slope, shorter)

        changed = self._adam.changed(first, last)
        return captured(learn, self.device, lambda: changed, self._pool)

    def _slopes(
        self,
        leaves: dict[str, Tensor],
        seen: Tensor,
        mask: Tensor | None,
        done: list[Tensor],
        coefficients: dict[str, Tensor],
    ) -> Sequence[Tensor]:
        """Return the gradients of the loss on a minibatch."""
        parameters = list(leaves.values())
        if not self._adam.fused:
            scores, values = self.networks.scores_and_values(leaves, seen)
            log_probs = log_probabilities(scores, mask)
            loss = ppo_loss(log_probs, values.float(), *done, **coefficients)
            return torch.autograd.grad(loss.total.sum(), parameters)
        outputs = self.networks.outputs(leaves, seen)
        with torch.no_grad():
            slopes = loss_slopes(*outputs, mask, done, self.networks.actions, **coefficients)
        return torch.autograd.grad(outputs, parameters, slopes)

    @property
    def finished(self) -> bool:
        """Whether all networks have learnt from all their rollouts."""
        return all(group.finished for group in self.groups)

    def learnt(self, place: int) -> int:
        """Return the steps that a network has learnt from."""
        group = next(each for each in self.groups if place < each.last)
        return int(group.done * group.rollout.steps * self.envs)
