"""PPO with everything but the environments on one device (``engine = "gpu"``).

The native environments write observations into pinned memory of the host, from as many threads as
there are processors. Network, rollout, advantages and updates live on the device, where each step
and each minibatch is one launch. The algorithm and its defaults are those of Stable-Baselines3's
PPO, whose policies, callbacks and logger it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from torch import Tensor, nn

from schedlab.rl.cuda_graphs import captured
from schedlab.rl.device_rollout import DeviceRollout
from schedlab.rl.networks import action_scores, scores_and_values, state_values
from schedlab.rl.ppo_loss import PpoLoss, drawn, log_probabilities, ppo_loss, taken
from schedlab.rl.stacked_networks import Layout, StackedNetworks
from schedlab.rl.training_env import TrainingEnv

_VALUES_AT_A_TIME = 65_536
_LOGGED = {
    "policy_gradient_loss": "policy",
    "value_loss": "value",
    "entropy_loss": "entropy",
    "approx_kl": "approx_kl",
    "clip_fraction": "clip_fraction",
}
"""The logged numbers: SB3's names, and the fields of the loss."""

CutOff = tuple[int, int, NDArray[np.float32]]
"""Where an episode ran out of steps: the step, the environment, and its last observation."""


class DevicePPO(PPO):
    """PPO that steps native environments from the device on which it learns."""

    env: TrainingEnv

    def __init__(
        self,
        policy: Any,
        env: TrainingEnv,
        *,
        device: str,
        masked: bool,
        precision: str,
        policy_kwargs: dict[str, Any],
        layout: Layout | None = None,
        **settings: Any,
    ) -> None:
        """Make the network and the buffers for a rollout.

        Args:
            policy: the class of the network, one without support for masks.
            env: the environments.
            device: ``cuda``, ``cuda:1`` ... or ``cpu``.
            masked: whether only actions that make sense are drawn.
            precision: of matrix products: ``bf16``, ``tf32`` or ``fp32``.
            policy_kwargs: arguments of the network.
            layout: of its layers. If given, a copy of the network in the precision of its products
                chooses the actions, which takes fewer launches.
            settings: parameters of PPO.
        """
        self.masked, self.precision, self._layout = masked, precision, layout
        if precision == "tf32":
            torch.set_float32_matmul_precision("high")
        on_gpu = torch.device(device).type == "cuda"
        optimizer = {"eps": 1e-5, "fused": True, "capturable": on_gpu}  # SB3 has the same eps
        super().__init__(
            policy,
            env,
            device=device,
            policy_kwargs={**policy_kwargs, "optimizer_kwargs": optimizer},
            **settings,
        )

    def _setup_model(self) -> None:
        """Keep rollouts on the device, and observations in memory that the device can read."""
        kept, self.n_steps = self.n_steps, 1  # SB3's own buffer stays unused
        super()._setup_model()
        self.n_steps = kept
        batch, pinned = self.env.batch, self.device.type == "cuda"
        (envs, inputs), actions = batch.observation.shape, batch.core.actions
        self._seen = torch.zeros((envs, inputs), pin_memory=pinned)
        self._allowed = torch.zeros((envs, actions), dtype=torch.uint8, pin_memory=pinned)
        batch.observation, batch.mask = self._seen.numpy(), self._allowed.numpy()
        self._chosen = torch.zeros(envs, dtype=torch.long, pin_memory=pinned)
        self._rewards, self._ended = (np.zeros((kept, envs), np.float32) for _ in range(2))
        kind = torch.bfloat16 if self.precision == "bf16" else torch.float32
        self.rollout = DeviceRollout(
            *(kept, envs, inputs, actions, self.device), kind=kind, masked=self.masked
        )
        self._acting: StackedNetworks | None = None
        if self._layout is not None:
            first = self.policy.state_dict()
            self._acting = StackedNetworks(self._layout, [first], self.device, kind)
        self._chance = torch.zeros((kept, envs), device=self.device)
        self._rows = torch.zeros(self.batch_size, dtype=torch.long, device=self.device)
        self._losses = torch.zeros(len(_LOGGED), device=self.device)
        self._approx_kl, self._rate = (torch.zeros((), device=self.device) for _ in range(2))
        self._stream = torch.cuda.current_stream(self.device) if pinned else None
        self._act_now: Callable[[], None] | None = None
        self._learn_now: tuple[Callable[[], None], Callable[[], None]] | None = None

    def _maybe_recommend_cpu(self, mlp_class_name: str = "") -> None:
        """Say nothing: SB3's advice against GPUs is about its own PPO."""

    def _autocast(self) -> Any:
        """Return a context for bf16 products, if asked for, without a cache of old weights."""
        on = self.precision == "bf16"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=on, cache_enabled=False)

    @torch.no_grad()
    def _act(self) -> None:
        """Draw an action for each environment, and keep the step in the rollout."""
        seen = self._seen.to(self.device, non_blocking=True)
        mask = self._allowed.to(self.device, non_blocking=True).bool() if self.masked else None
        log_probs = log_probabilities(self._scores(seen), mask)
        action = drawn(log_probs, self._chance.index_select(0, self.rollout.step).squeeze(0))
        self.rollout.add(seen, mask, action, taken(log_probs, action))
        self._chosen.copy_(action, non_blocking=True)

    def _scores(self, seen: Tensor) -> Tensor:
        """Return the logits of all actions, from the acting copy if there is one."""
        if self._acting is None:
            with self._autocast():
                return action_scores(self.policy, seen)
        shown = self._acting.shown(seen).unsqueeze(0)
        return self._acting.scores(self._acting.parts(self._acting.used, 0, 1), shown).squeeze(0)

    def _actions(self) -> NDArray[np.int64]:
        if self._act_now is None:
            self._act_now = captured(self._act, self.device, lambda: [self.rollout.step])
        self._act_now()
        if self._stream is not None:
            self._stream.synchronize()
        chosen: NDArray[np.int64] = self._chosen.numpy()
        return chosen

    def collect_rollouts(  # type: ignore[override]
        self, env: TrainingEnv, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int
    ) -> bool:
        """Fill the rollout, and estimate advantages."""
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        self.rollout.step.zero_()
        self._chance.uniform_()
        if self._acting is not None:
            self._acting.load(0, self.policy.state_dict())
            self._acting.refresh(0, 1)
        cut_off: list[CutOff] = []
        for step in range(n_rollout_steps):
            rewards, dones, infos = env.advance(self._actions())
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            self._rewards[step], self._ended[step] = rewards, dones
            for place in np.flatnonzero(dones):
                info = infos[place]
                self._update_info_buffer([info])
                if info["TimeLimit.truncated"]:
                    cut_off.append((step, int(place), info["terminal_observation"]))
        self._estimate(cut_off)
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    @torch.no_grad()
    def _estimate(self, cut_off: list[CutOff]) -> None:
        """Estimate advantages; where an episode was cut off, its last value stands for the rest."""
        if cut_off:
            steps, places, last = zip(*cut_off, strict=True)
            to_come = self._values(torch.from_numpy(np.stack(last)).to(self.device))
            self._rewards[steps, places] += self.gamma * to_come.cpu().numpy()
        rollout = self.rollout
        rollout.observations[-1].copy_(self._seen)
        self._expected = self._values(rollout.observations.flatten(0, 1))
        rollout.estimate(
            torch.from_numpy(self._rewards).to(self.device),
            torch.from_numpy(self._ended).to(self.device),
            self._expected.reshape(-1, self.n_envs),
            gamma=self.gamma,
            gae_lambda=self.gae_lambda,
        )

    def _values(self, observations: Tensor) -> Tensor:
        parts = observations.split(_VALUES_AT_A_TIME)
        with self._autocast():
            return torch.cat([state_values(self.policy, each).float() for each in parts])

    def train(self) -> None:
        """Learn from the rollout several times, in shuffled minibatches."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        if self._learn_now is None:
            self._learn_now = self._captured_update()
        differentiate, improve = self._learn_now
        self._losses.zero_()
        minibatches = 0
        for rows in self._minibatches():
            self._rows.copy_(rows)
            differentiate()
            minibatches += 1
            if self.target_kl is not None and float(self._approx_kl) > 1.5 * self.target_kl:
                break
            improve()
        self._log(minibatches)

    def _update_learning_rate(self, optimizers: Any) -> None:
        """Set the rate of this update, on a GPU in its memory: a graph would keep a number."""
        super()._update_learning_rate(optimizers)
        if self.device.type == "cuda":
            for group in optimizers.param_groups:
                self._rate.fill_(group["lr"])
                group["lr"] = self._rate

    def _minibatches(self) -> Iterator[Tensor]:
        steps = self.n_steps * self.n_envs
        for order in torch.rand((self.n_epochs, steps), device=self.device).argsort(-1):
            self._n_updates += 1
            yield from order.split(self.batch_size)

    def _differentiate(self) -> None:
        """Compute gradients of the loss on the minibatch."""
        observation, mask = self.rollout.seen(self._rows)
        with self._autocast():
            scores, values = scores_and_values(self.policy, observation)
        loss = ppo_loss(
            log_probabilities(scores, mask),
            values.float(),
            *self.rollout.done(self._rows),
            clip_range=self.clip_range(1.0),  # type: ignore[operator]
            ent_coef=self.ent_coef,
            vf_coef=self.vf_coef,
        )
        self.policy.optimizer.zero_grad(set_to_none=True)
        loss.total.backward()
        self._approx_kl.copy_(loss.approx_kl.detach())
        self._losses += _logged(loss)

    def _improve(self) -> None:
        nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()

    def _captured_update(self) -> tuple[Callable[[], None], Callable[[], None]]:
        differentiate = captured(self._differentiate, self.device, lambda: [self._losses])
        return differentiate, captured(self._improve, self.device, self._learnt)

    def _learnt(self) -> list[Tensor]:
        """Return all that a step of the optimiser changes."""
        parameters, optimizer = list(self.policy.parameters()), self.policy.optimizer
        gradients = [each.grad for each in parameters if each.grad is not None]
        if not optimizer.state:  # A step with gradients of 0 creates Adam's averages, which are 0.
            for each in gradients:
                each.zero_()
            optimizer.step()
            for state in optimizer.state.values():
                state["step"].zero_()
        averages = [value for state in optimizer.state.values() for value in state.values()]
        return [*parameters, *gradients, *averages]

    def _log(self, minibatches: int) -> None:
        for name, value in zip(_LOGGED, (self._losses / minibatches).tolist(), strict=True):
            self.logger.record(f"train/{name}", value)
        returns = self.rollout.returns.flatten()
        unexplained = (returns - self._expected[: len(returns)]).var() / returns.var()
        self.logger.record("train/explained_variance", 1 - float(unexplained))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")


def _logged(loss: PpoLoss) -> Tensor:
    return torch.stack([getattr(loss, field).detach() for field in _LOGGED.values()])
