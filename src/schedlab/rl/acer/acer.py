"""Actor-critic with experience replay (Wang et al., 2017) for discrete actions."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.type_aliases import GymEnv, MaybeCallback, Schedule
from stable_baselines3.common.utils import polyak_update
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from schedlab.errors import ParameterError
from schedlab.rl.acer.loss import AcerLoss, Behaviour, acer_loss
from schedlab.rl.acer.policy import AcerCnnPolicy, AcerPolicy
from schedlab.rl.acer.segments import Segment, SegmentBuffer, Step
from schedlab.rl.algorithm_sections import AcerSection, AlgorithmSection


class ACER(OnPolicyAlgorithm):
    """Actor-critic with experience replay, as Stable-Baselines3 has its algorithms.

    After each segment of ``n_steps`` in all environments there is one update from it and, once the
    buffer holds ``replay_start`` steps, a Poisson number of updates from segments of the buffer,
    ``replay_ratio`` on average.

    Args:
        policy: ``MlpPolicy``, ``CnnPolicy`` or a class of your own.
        env: the environment, or its name.
        learning_rate: a number, or a function of the share of training that is left.
        n_steps: of a segment, in each environment.
        gamma: the discount.
        ent_coef: how much the entropy counts.
        q_coef: how much the action values count.
        max_grad_norm: longer gradients are shortened to this norm.
        rms_prop_eps: keeps RMSprop from dividing by zero.
        use_rms_prop: whether to use RMSprop; else Adam is used.
        buffer_size: steps kept for replay, of all environments, rounded up to whole segments.
        replay_ratio: average number of updates from the buffer after each one from new steps.
        replay_start: steps in the buffer before any is replayed.
        c: importance weights are truncated at this value.
        trust_region: whether updates keep near the averaged policy.
        delta: how fast an update may leave it, by the linearised divergence.
        alpha: share of the averaged policy that remains after an update.
        masked: whether only actions that the environment's ``action_masks`` allow are taken.
        policy_kwargs: arguments of the policy.
        common: ``stats_window_size``, ``tensorboard_log``, ``verbose``, ``seed`` and ``device``, as
            all algorithms of Stable-Baselines3 have them.
    """

    policy: AcerPolicy  # type: ignore[assignment]
    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {
        "MlpPolicy": AcerPolicy,
        "CnnPolicy": AcerCnnPolicy,
    }

    def __init__(
        self,
        policy: str | type[AcerPolicy],
        env: GymEnv | str,
        learning_rate: float | Schedule = 7e-4,
        n_steps: int = 20,
        gamma: float = 0.99,
        ent_coef: float = 0.01,
        q_coef: float = AcerSection.q_coef,
        max_grad_norm: float = 10.0,
        rms_prop_eps: float = 1e-5,
        use_rms_prop: bool = True,
        buffer_size: int = AcerSection.buffer_size,
        replay_ratio: float = AcerSection.replay_ratio,
        replay_start: int = AcerSection.replay_start,
        c: float = AcerSection.c,
        trust_region: bool = AcerSection.trust_region,
        delta: float = AcerSection.delta,
        alpha: float = AcerSection.alpha,
        masked: bool = AcerSection.masked,
        policy_kwargs: dict[str, Any] | None = None,
        _init_setup_model: bool = True,
        **common: Any,
    ) -> None:
        policy_kwargs = dict(policy_kwargs or {})
        if use_rms_prop and "optimizer_class" not in policy_kwargs:
            policy_kwargs["optimizer_class"] = torch.optim.RMSprop
            policy_kwargs["optimizer_kwargs"] = {"alpha": 0.99, "eps": rms_prop_eps}
        super().__init__(
            *(policy, env, learning_rate, n_steps, gamma),  # type: ignore[arg-type]
            gae_lambda=1.0,
            ent_coef=ent_coef,
            vf_coef=q_coef,
            max_grad_norm=max_grad_norm,
            use_sde=False,
            sde_sample_freq=-1,
            policy_kwargs=policy_kwargs,
            supported_action_spaces=(spaces.Discrete,),
            _init_setup_model=False,
            **common,
        )
        self.q_coef, self.buffer_size, self.masked = q_coef, buffer_size, masked
        self.replay_ratio, self.replay_start = replay_ratio, replay_start
        self.c, self.trust_region, self.delta, self.alpha = c, trust_region, delta, alpha
        if _init_setup_model:
            self._setup_model()

    def _setup_model(self) -> None:
        # Refuse parameters that make no sense, as in a training file.
        shared = {each.name for each in fields(AlgorithmSection)}  # some are schedules by now
        own = [each.name for each in fields(AcerSection) if each.name not in shared]
        AcerSection(**{name: getattr(self, name) for name in own})
        self._setup_lr_schedule()
        self.set_random_seed(self.seed)
        self.policy = self.policy_class(  # type: ignore[assignment]
            self.observation_space, self.action_space, self.lr_schedule, **self.policy_kwargs
        )
        self.policy = self.policy.to(self.device)
        self.averaged_policy = deepcopy(self.policy).requires_grad_(False)
        self.replay_buffer = SegmentBuffer(self.buffer_size, self.n_steps, self.n_envs)
        self.rollout_buffer: Any = self.replay_buffer  # learn() fills this buffer

    def collect_rollouts(
        self, env: VecEnv, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int
    ) -> bool:
        """Add a segment to the buffer, unless the callback ends the training before."""
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        steps: list[Step] = []
        for _ in range(n_rollout_steps):
            seen: Any = self._last_obs
            masks = self._masks(env)
            actions, log_probs = self._act(seen, masks)
            new_obs: Any
            new_obs, rewards, dones, infos = env.step(actions)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            self._update_info_buffer(infos, dones)
            rewards = self._with_the_rest(rewards, dones, infos)
            steps.append((seen, masks, actions, rewards, dones, log_probs))
            self._last_obs, self._last_episode_starts = new_obs, dones
        seen = self._last_obs
        rollout_buffer.add(Segment.of(steps, seen, self._masks(env)))
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _masks(self, env: VecEnv) -> NDArray[np.bool_]:
        actions: Any = self.action_space
        if not self.masked:
            return np.ones((env.num_envs, int(actions.n)), bool)
        if not is_masking_supported(env):
            raise ParameterError("masked is true, but the environment has no action_masks")
        return get_action_masks(env).astype(bool)

    @torch.no_grad()
    def _act(
        self, observations: NDArray[Any], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return a drawn action for each environment, and the log-probabilities of all actions."""
        log_probs = self.policy.action_log_probs(
            torch.as_tensor(observations, device=self.device),
            torch.as_tensor(masks, device=self.device),
        )
        actions = torch.multinomial(log_probs.exp(), 1).squeeze(-1)
        return actions.cpu().numpy(), log_probs.cpu().numpy()

    @torch.no_grad()
    def _with_the_rest(
        self, rewards: NDArray[np.float32], dones: NDArray[np.bool_], infos: list[dict[str, Any]]
    ) -> NDArray[np.float32]:
        """Add the value of the last situation where an episode ran out of steps, as SB3 does."""
        rewards = rewards.astype(np.float32)
        for place in np.flatnonzero(dones):
            if infos[place].get("TimeLimit.truncated", False):
                last, _ = self.policy.obs_to_tensor(infos[place]["terminal_observation"])
                rewards[place] += self.gamma * self.policy.predict_values(last).item()
        return rewards

    def train(self) -> None:
        """Learn from the latest segment, and from some of the buffer."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        if self._n_updates == 0:  # Other parameters may have been loaded.
            self.averaged_policy.load_state_dict(self.policy.state_dict())
        buffer = self.replay_buffer
        # Drawn by numpy's global generator, which Stable-Baselines3 seeds.
        replays = np.random.poisson(self.replay_ratio) if buffer.steps >= self.replay_start else 0
        on_policy = self._update(buffer.latest)
        self._log([on_policy, *(self._update(buffer.sample()) for _ in range(replays))])

    def _update(self, segment: Segment) -> AcerLoss:
        """Take one step of the optimiser, then of the averaged policy, and return the loss."""
        loss, parameters = self._loss(segment), list(self.policy.parameters())
        self.policy.optimizer.zero_grad()
        loss.total.backward()
        nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
        self.policy.optimizer.step()
        polyak_update(parameters, self.averaged_policy.parameters(), 1 - self.alpha)
        self._n_updates += 1
        return loss

    def _loss(self, segment: Segment) -> AcerLoss:
        given: dict[str, Tensor] = {
            name: torch.as_tensor(each, device=self.device) for name, each in vars(segment).items()
        }
        observations, masks = (given[name].flatten(0, 1) for name in ("observations", "masks"))
        log_probs, q = self.policy.evaluate(observations, masks)
        with torch.no_grad():
            acted_on = segment.actions.size
            averaged = self.averaged_policy.action_log_probs(
                observations[:acted_on], masks[:acted_on]
            )
        shape = *segment.masks.shape[:2], -1
        return acer_loss(
            log_probs.reshape(shape),
            q.reshape(shape),
            averaged.reshape(segment.log_probs.shape),
            Behaviour(
                given["actions"], given["rewards"], given["ended"].float(), given["log_probs"]
            ),
            gamma=self.gamma,
            c=self.c,
            delta=self.delta if self.trust_region else None,
            ent_coef=self.ent_coef,
            q_coef=self.q_coef,
        )

    def _log(self, losses: list[AcerLoss]) -> None:
        told = {
            "policy_loss": "policy",
            "value_loss": "value",
            "entropy_loss": "entropy",
            "averaged_kl": "averaged_kl",
            "explained_variance": "explained_variance",
        }
        for name, field in told.items():
            mean = torch.stack([getattr(each, field).detach() for each in losses]).mean()
            self.logger.record(f"train/{name}", float(mean))
        self.logger.record("train/replays", len(losses) - 1)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def learn(
        self,
        total_timesteps: int,
        callback: MaybeCallback = None,
        log_interval: int = 10,
        tb_log_name: str = "ACER",
        reset_num_timesteps: bool = True,
        progress_bar: bool = False,
    ) -> Self:
        """Learn from a number of steps of all environments together."""
        return super().learn(
            total_timesteps, callback, log_interval, tb_log_name, reset_num_timesteps, progress_bar
        )

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: Any = None,
    ) -> tuple[NDArray[Any], Any]:
        """Return the policy's actions; with masks, only actions that they allow."""
        return self.policy.predict(observation, state, episode_start, deterministic, action_masks)

    def _get_torch_save_params(self) -> tuple[list[str], list[str]]:
        return ["policy", "averaged_policy", "policy.optimizer"], []
