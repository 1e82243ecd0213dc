"""Networks with two heads: for each action a score, and the return that is expected after it."""

from __future__ import annotations

from typing import Any

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import NatureCNN
from torch import Tensor, nn

from schedlab.rl.ppo_loss import log_probabilities


class AcerPolicy(MaskableActorCriticPolicy):
    """A policy with action values; the value of a situation is their mean over the policy.

    ``value_net`` has an output for each action. Otherwise it is sb3-contrib's policy, with the same
    arguments: ``net_arch=dict(pi=[20], vf=[20]), activation_fn=nn.ReLU`` are two networks of one
    layer each.
    """

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.value_net: Any = self._action_value_net()
        optimizer: Any = self.optimizer_class
        rate = lr_schedule(1)
        self.optimizer = optimizer(self.parameters(), lr=rate, **self.optimizer_kwargs)

    def _action_value_net(self) -> nn.Module:
        actions: Any = self.action_space
        head = nn.Linear(self.mlp_extractor.latent_dim_vf, int(actions.n))
        if self.ortho_init:
            self.init_weights(head, gain=1)
        return head

    def action_log_probs(self, obs: Tensor, masks: Tensor | None = None) -> Tensor:
        """Return the actions' log-probabilities; masked actions have next to no probability."""
        features: Any = self.extract_features(obs)
        if not self.share_features_extractor:
            features, _ = features
        return self._log_probs(features, masks)

    def evaluate(self, obs: Tensor, masks: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return the actions' log-probabilities, and the values of all actions."""
        features: Any = self.extract_features(obs)
        for_scores, for_values = (features, features) if self.share_features_extractor else features
        q: Tensor = self.value_net(self.mlp_extractor.forward_critic(for_values))
        return self._log_probs(for_scores, masks), q

    def _log_probs(self, features: Tensor, masks: Tensor | None) -> Tensor:
        scores: Tensor = self.action_net(self.mlp_extractor.forward_actor(features))
        return log_probabilities(scores, masks)

    def predict_values(self, obs: Any) -> Tensor:
        """Return the expected returns of situations whose mask is not known."""
        return expected_values(*self.evaluate(obs)).unsqueeze(-1)


class AcerCnnPolicy(AcerPolicy):
    """An AcerPolicy for images, behind the layers of Mnih et al. (2015)."""

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        *,
        features_extractor_class: Any = NatureCNN,
        **settings: Any,
    ) -> None:
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            features_extractor_class=features_extractor_class,
            **settings,
        )


def expected_values(log_probs: Tensor, q: Tensor) -> Tensor:
    """Return the values of situations: the mean over a policy, which gets no gradient."""
    return (log_probs.detach().exp() * q).sum(-1)
