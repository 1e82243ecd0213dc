"""Networks that score actions and value situations, as Stable-Baselines3 builds them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from schedlab.rl.acer.policy import AcerPolicy, expected_values
from schedlab.rl.job_columns import IN_A_QUEUE, JobColumns

_NEVER = -1e9

ActorCritic = ActorCriticPolicy | MaskableActorCriticPolicy


def layers(*widths: int, activation: type[nn.Module] = nn.ReLU) -> nn.Sequential:
    """Return fully connected layers, each but the last followed by the activation."""
    modules: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        modules += [nn.Linear(inputs, outputs), activation()]
    return nn.Sequential(*modules[:-1])


class Trunk(BaseFeaturesExtractor):
    """Layers that policy and value share."""

    def __init__(
        self, observation_space: spaces.Box, widths: tuple[int, ...], activation: type[nn.Module]
    ) -> None:
        super().__init__(observation_space, widths[-1])
        inputs = observation_space.shape[0]
        self.layers = nn.Sequential(layers(inputs, *widths, activation=activation), activation())

    def forward(self, observation: Tensor) -> Tensor:
        """Return the output of the last layer."""
        features: Tensor = self.layers(observation)
        return features


class JobKernel(nn.Module):
    """One small network scores every visible job, so its size does not depend on their number.

    The kernel is that of RLScheduler (Zhang et al., SC20), 32-16-8-1, which sees a job beside the
    machine and the head of the queue: which job to backfill depends on which has a promise. Waiting
    has a score of its own. The value comes from the mean and the maximum, over the jobs, of the
    outputs of another such network.
    """

    POOLED = 16

    def __init__(self, visible_jobs: int, observation_size: int, columns: JobColumns) -> None:
        super().__init__()
        self.visible_jobs, self.columns = visible_jobs, columns
        job, shared = columns.features, columns.shared(observation_size, visible_jobs)
        self.latent_dim_pi, self.latent_dim_vf = visible_jobs + 1, 32
        self.job_score = layers(job + shared, 32, 16, 8, 1)
        self.wait_score = layers(shared, 16, 8, 1)
        self.job_value = layers(job + shared, 32, self.POOLED)
        self.value = nn.Sequential(layers(2 * self.POOLED + shared, 32), nn.ReLU())

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of all actions, and features of the value."""
        return self.forward_actor(observation), self.forward_critic(observation)

    def forward_actor(self, observation: Tensor) -> Tensor:
        """Return a score for each action; empty slots are never chosen."""
        jobs, shared = self.columns.split(observation, self.visible_jobs)
        scores = self.job_score(self._in_context(jobs, shared)).squeeze(-1)
        scores = scores.masked_fill(jobs[..., self.columns.size] == 0, _NEVER)
        return torch.cat((scores, self.wait_score(shared)), dim=-1)

    def forward_critic(self, observation: Tensor) -> Tensor:
        """Return features of the whole situation."""
        jobs, shared = self.columns.split(observation, self.visible_jobs)
        there = (jobs[..., self.columns.size] > 0).unsqueeze(-1)
        each = torch.relu(self.job_value(self._in_context(jobs, shared))) * there
        mean = each.sum(dim=1) / there.sum(dim=1).clamp(min=1)
        features: Tensor = self.value(torch.cat((mean, each.amax(dim=1), shared), dim=-1))
        return features

    def _in_context(self, jobs: Tensor, shared: Tensor) -> Tensor:
        return torch.cat((jobs, shared.unsqueeze(1).expand(-1, self.visible_jobs, -1)), dim=-1)


class ActionValueKernel(JobKernel):
    """A kernel that values every action, a job or the wait, together with the whole situation."""

    def __init__(self, visible_jobs: int, observation_size: int, columns: JobColumns) -> None:
        super().__init__(visible_jobs, observation_size, columns)
        job, shared = columns.features, columns.shared(observation_size, visible_jobs)
        self.job_q = layers(job + shared + self.latent_dim_vf, 32, 1)
        self.wait_q = layers(shared + self.latent_dim_vf, 32, 1)
        self.latent_dim_vf = visible_jobs + 1

    def forward_critic(self, observation: Tensor) -> Tensor:
        """Return the values of all actions."""
        jobs, shared = self.columns.split(observation, self.visible_jobs)
        context = torch.cat((shared, super().forward_critic(observation)), dim=-1)
        of_jobs = self.job_q(self._in_context(jobs, context)).squeeze(-1)
        return torch.cat((of_jobs, self.wait_q(context)), dim=-1)


class _ByJobs:
    """Puts the kernel in place of a policy's layers."""

    kernel: type[JobKernel] = JobKernel
    mlp_extractor: Any
    action_net: Any

    def __init__(
        self, *arguments: Any, job_columns: JobColumns = IN_A_QUEUE, **settings: Any
    ) -> None:
        self.job_columns = job_columns
        super().__init__(*arguments, **settings)

    def _build_mlp_extractor(self: Any) -> None:
        jobs = int(self.action_space.n) - 1
        self.mlp_extractor = self.kernel(jobs, self.features_dim, self.job_columns)

    def _build(self: Any, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # type: ignore[misc]
        # The kernel's scores are the logits; scores near 0 make all actions likely at first.
        self.action_net = nn.Identity()
        for scores in (self.mlp_extractor.job_score, self.mlp_extractor.wait_score):
            self.init_weights(scores[-1], gain=0.01)
        rate = lr_schedule(1)
        self.optimizer = self.optimizer_class(self.parameters(), lr=rate, **self.optimizer_kwargs)


class KernelPolicy(_ByJobs, ActorCriticPolicy):
    """Policy and value by the kernel network."""


class MaskableKernelPolicy(_ByJobs, MaskableActorCriticPolicy):
    """Policy and value by the kernel network, with a mask for actions that make no sense."""


class AcerKernelPolicy(_ByJobs, AcerPolicy):
    """Policy and action values by the kernel network."""

    kernel = ActionValueKernel

    def _action_value_net(self) -> nn.Module:
        return nn.Identity()  # the kernel's outputs are the values


def action_scores(policy: ActorCritic, observation: Tensor) -> Tensor:
    """Return the logits of the policy, before any mask."""
    features: Any = policy.extract_features(observation, policy.pi_features_extractor)
    scores: Tensor = policy.action_net(policy.mlp_extractor.forward_actor(features))
    return scores


def state_values(policy: ActorCritic, observation: Tensor) -> Tensor:
    """Return the expected return of each situation."""
    features: Any = policy.extract_features(observation, policy.vf_features_extractor)
    values: Tensor = policy.value_net(policy.mlp_extractor.forward_critic(features))
    return values.squeeze(-1)


def scores_and_values(policy: ActorCritic, observation: Tensor) -> tuple[Tensor, Tensor]:
    """Return logits and values; the layers that they share are computed once."""
    features: Any = policy.extract_features(observation)
    for_actions, for_value = policy.mlp_extractor(features)
    scores, values = policy.action_net(for_actions), policy.value_net(for_value)
    if isinstance(policy, AcerPolicy):
        return scores, expected_values(scores.log_softmax(-1), values)
    return scores, values.squeeze(-1)
