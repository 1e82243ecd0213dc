"""Networks of one shape side by side: their matrix products are batched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import torch
from torch import Tensor, nn

from schedlab.rl.train_section import TrainSection

Parameters = Mapping[str, Tensor]

_SHARED = ("features_extractor", "pi_features_extractor", "vf_features_extractor")
"""Stable-Baselines3's names, all three, for the layers that policy and value share."""


_TOGETHER = 8


def padded(length: int) -> int:
    """Return the length, rounded up to a multiple of ``_TOGETHER``."""
    return -(-length // _TOGETHER) * _TOGETHER


@dataclass(frozen=True)
class Layout:
    """The layers from an observation to scores and to a value, by Stable-Baselines3's names."""

    actor: tuple[str, ...]
    critic: tuple[str, ...]
    relu: bool

    @classmethod
    def of(cls, train: TrainSection) -> Layout:
        """Return the layout of a training's network, which must not be the kernel."""
        places = [2 * place for place in range(len(train.widths))]
        if train.shared_trunk:
            trunk = tuple(f"{_SHARED[0]}.layers.0.{place}" for place in places)
            actor = critic = trunk
        else:
            actor, critic = (
                tuple(f"mlp_extractor.{net}.{place}" for place in places)
                for net in ("policy_net", "value_net")
            )
        layout = (*actor, "action_net"), (*critic, "value_net")
        return cls(*layout, relu=train.activation == "relu")

    @property
    def shared(self) -> int:
        """The number of layers with which both begin."""
        pairs = zip(self.actor, self.critic, strict=True)
        return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))

    @property
    def layers(self) -> tuple[str, ...]:
        """All layers, each once."""
        return tuple(dict.fromkeys((*self.actor, *self.critic)))


class StackedNetworks:
    """The parameters of all networks, a row each, and what they compute.

    Lengths are rounded up to the block length of a GPU's matrix units, and weights are transposed:
    a row for each input.

    Args:
        layout: of every network.
        policies: their initial parameters, by Stable-Baselines3's names.
        device: where they are.
        kind: of the numbers that are multiplied; those that are learnt are ``float32``.
    """

    def __init__(
        self,
        layout: Layout,
        policies: Sequence[Parameters],
        device: torch.device,
        kind: torch.dtype,
    ) -> None:
        self.layout = layout
        self._own = {name: tuple(policies[0][name].shape[::-1]) for name in _names(layout)}
        self._padded = {name: tuple(map(padded, shape)) for name, shape in self._own.items()}
        self.inputs = self._padded[f"{layout.actor[0]}.weight"][0]
        self.actions = self._own["action_net.bias"][0]
        rows = sum(torch.Size(shape).numel() for shape in self._padded.values())
        self.learnt = torch.zeros((len(policies), rows), device=device)
        for place, policy in enumerate(policies):
            self.load(place, policy)
        self.used = self.learnt if kind == torch.float32 else self.learnt.to(kind)

    def load(self, place: int, policy: Parameters) -> None:
        """Copy the parameters of one network into its row."""
        for name, part in self.parts(self.learnt, place, place + 1).items():
            part[0][self._corner(name)] = _transposed(policy[name]).to(part.device)

    def _corner(self, name: str) -> tuple[slice, ...]:
        """Return the part of its padded array that a parameter fills; the rest is and stays 0."""
        return tuple(slice(length) for length in self._own[name])

    def refresh(self, first: int, last: int) -> None:
        """Copy the learnt parameters of these networks to those in use."""
        if self.used is not self.learnt:
            self.used[first:last].copy_(self.learnt[first:last])

    def shown(self, seen: Tensor) -> Tensor:
        """Return situations in the form that the networks need: converted and padded."""
        missing = self.inputs - seen.shape[-1]
        return nn.functional.pad(seen.to(self.used.dtype), (0, missing))

    def parts(self, source: Tensor, first: int, last: int) -> dict[str, Tensor]:
        """Return parameters of some networks by name; the first dimension is the network."""
        sizes = [torch.Size(shape).numel() for shape in self._padded.values()]
        split = source[first:last].split(sizes, dim=1)
        return {
            name: part.unflatten(1, shape)
            for (name, shape), part in zip(self._padded.items(), split, strict=True)
        }

    def leaves(self, first: int, last: int) -> dict[str, Tensor]:
        """Return the parameters in use, in the same memory, as tensors that collect gradients."""
        parts = self.parts(self.used, first, last)
        return {name: part.detach().requires_grad_() for name, part in parts.items()}

    def policy(self, place: int) -> dict[str, Tensor]:
        """Return one network's parameters, by all the names that Stable-Baselines3 has for them."""
        found: dict[str, Tensor] = {}
        for name, part in self.parts(self.learnt, place, place + 1).items():
            value = _transposed(part[0][self._corner(name)]).contiguous().cpu()
            kind, dot, rest = name.partition(".")
            for alias in _SHARED if kind == _SHARED[0] else (kind,):
                found[f"{alias}{dot}{rest}"] = value
        return found

    def scores(self, parts: Parameters, seen: Tensor) -> Tensor:
        """Return the logits of all actions; ``seen`` is by network, situation and number."""
        return self.actor_outputs(parts, seen)[..., : self.actions]

    def actor_outputs(self, parts: Parameters, seen: Tensor) -> Tensor:
        """Return the logits of all actions, and the padding after them."""
        return self._through(parts, self.layout.actor, seen)

    def values(self, parts: Parameters, seen: Tensor) -> Tensor:
        """Return the expected return of each situation."""
        return self._through(parts, self.layout.critic, seen)[..., 0]

    def scores_and_values(self, parts: Parameters, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and values; the layers that they share are computed once."""
        scores, values = self.outputs(parts, seen)
        return scores[..., : self.actions], values[..., 0]

    def outputs(self, parts: Parameters, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and values, each with the padding after them."""
        shared = self.layout.shared
        seen = self._through(parts, self.layout.actor[:shared], seen, ends=False)
        scores = self._through(parts, self.layout.actor[shared:], seen)
        return scores, self._through(parts, self.layout.critic[shared:], seen)

    def _through(
        self, parts: Parameters, layers: Sequence[str], seen: Tensor, *, ends: bool = True
    ) -> Tensor:
        last = len(layers) - 1 if ends else len(layers)
        for place, layer in enumerate(layers):
            weight, bias = parts[f"{layer}.weight"], parts[f"{layer}.bias"]
            seen = torch.baddbmm(bias.unsqueeze(1), seen, weight)
            if place != last:
                seen = torch.relu(seen) if self.layout.relu else torch.tanh(seen)
        return seen


def _transposed(parameter: Tensor) -> Tensor:
    return parameter.mT if parameter.ndim > 1 else parameter


def _names(layout: Layout) -> list[str]:
    return [f"{layer}.{part}" for layer in layout.layers for part in ("weight", "bias")]
