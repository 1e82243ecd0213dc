"""Everything that a training needs to go on exactly as if it had not been interrupted."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from torch import nn

from schedlab.errors import InputError, SchedlabError
from schedlab.rl.acer import ACER
from schedlab.rl.acer.segments import Segment, stacked, unstacked
from schedlab.rl.episode_records import EpisodeRecord
from schedlab.rl.tensor_archive import Tensors, read_archive, write_archive
from schedlab.rl.training_config import TrainingConfig, training_config
from schedlab.rl.training_env import TrainingEnv

KIND = "schedlab checkpoint"
_FREE_TO_CHANGE = {
    "train": {"steps", "checkpoint_every", "threads", "device"},
    "evaluation": {"every"},
}
_PARTS = (
    *("config", "steps", "updates", "evaluations", "optimizer", "random"),
    *("episodes_seen", "episode_starts", "environments"),
)
_POLICY, _OPTIMIZER, _TORCH, _NUMPY = "policy.", "optimizer.", "random.torch", "random.numpy"
_CUDA = "random.cuda"
_AVERAGED, _REPLAY = "averaged.", "replay."


@dataclass(frozen=True)
class Checkpoint:
    """The state of a training between two updates."""

    document: Mapping[str, Any]
    tensors: Tensors
    replay: tuple[Segment, ...] = ()

    @property
    def steps(self) -> int:
        """The number of steps learnt from so far."""
        return int(self.document["steps"])

    @property
    def evaluations(self) -> list[dict[str, float]]:
        """The evaluations made so far."""
        return list(self.document["evaluations"])

    def write(self, path: Path) -> None:
        """Write the checkpoint, whole or not at all."""
        # Stacked only here: a state is kept before every rollout, but seldom written.
        replay = {_REPLAY + name: each for name, each in stacked(self.replay).items()}
        write_archive(path, KIND, self.document, {**self.tensors, **replay})


def read_checkpoint(path: Path, config: TrainingConfig) -> Checkpoint:
    """Return the checkpoint; refuse one of a training with another configuration."""
    document, tensors = read_archive(path, KIND)
    for name in _PARTS:
        if name not in document:
            raise InputError(f"{path}: is incomplete, without {name}")
    try:
        kept = training_config(document["config"]).document()
    except SchedlabError as error:
        raise InputError(f"{path}: {error}") from None
    for name, section in config.document().items():
        for key, value in section.items():
            before = kept[name].get(key)
            if value != before and key not in _FREE_TO_CHANGE.get(name, ()):
                raise InputError(
                    f"{path}: was trained with [{name}] {key} = {before!r}, not {value!r}; "
                    "start again in another folder"
                )
    try:
        replay = unstacked(_under(_REPLAY, tensors))
    except (KeyError, ValueError):
        raise InputError(f"{path}: is incomplete, its replay buffer is damaged") from None
    return Checkpoint(document, tensors, replay)


def capture(
    model: OnPolicyAlgorithm,
    env: TrainingEnv,
    config: TrainingConfig,
    evaluations: Sequence[Mapping[str, float]],
) -> Checkpoint:
    """Return the state of the training now; call it between an update and the next rollout."""
    plain, tensors = _optimizer_state(model.policy.optimizer.state_dict())
    replay: tuple[Segment, ...] = ()
    tensors |= _parameters(_POLICY, model.policy)
    if isinstance(model, ACER):
        tensors |= _parameters(_AVERAGED, model.averaged_policy)
        replay = tuple(model.replay_buffer)
    name, keys, *rest = np.random.get_state(legacy=True)
    tensors[_NUMPY], tensors[_TORCH] = np.array(keys), torch.get_rng_state().numpy().copy()
    if model.device.type == "cuda":
        tensors[_CUDA] = torch.cuda.get_rng_state(model.device).numpy().copy()
    document = {
        "config": config.document(),
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "evaluations": [dict(each) for each in evaluations],
        "optimizer": plain,
        "random": {"numpy": [name, *rest], "python": random.getstate()},
        "episodes_seen": [
            {key: float(value) for key, value in each.items()}
            for each in model.ep_info_buffer or ()
        ],
        "episode_starts": np.asarray(model._last_episode_starts).astype(int).tolist(),
        # vars() and not asdict(), which would copy every action of every environment.
        "environments": [vars(each) for each in env.records()],
    }
    return Checkpoint(document, tensors, replay)


def restore(checkpoint: Checkpoint, model: OnPolicyAlgorithm, env: TrainingEnv) -> None:
    """Put the trainer and its environments into the state of the checkpoint."""
    document, tensors = checkpoint.document, checkpoint.tensors
    env.restore([EpisodeRecord(**each) for each in document["environments"]])
    model._last_obs = env.batch.observation.copy()
    model._last_episode_starts = np.array(document["episode_starts"], dtype=bool)
    model.num_timesteps, model._n_updates = document["steps"], document["updates"]
    model.ep_info_buffer = deque(document["episodes_seen"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    _load(model.policy, _under(_POLICY, tensors))
    if isinstance(model, ACER):
        _load(model.averaged_policy, _under(_AVERAGED, tensors))
        model.replay_buffer.refill(checkpoint.replay)
    model.policy.optimizer.load_state_dict(_optimizer_from(document["optimizer"], tensors))
    _restore_chance(document["random"], tensors)
    if model.device.type == "cuda" and _CUDA in tensors:
        torch.cuda.set_rng_state(torch.from_numpy(tensors[_CUDA].copy()), model.device)


def _parameters(prefix: str, network: nn.Module) -> Tensors:
    return {prefix + name: each.cpu().numpy().copy() for name, each in network.state_dict().items()}


def _load(network: nn.Module, parameters: Tensors) -> None:
    network.load_state_dict({name: torch.tensor(each) for name, each in parameters.items()})


def _under(prefix: str, tensors: Tensors) -> Tensors:
    """Return the tensors whose names have this prefix, by the rest of their names."""
    return {
        name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)
    }


def _restore_chance(states: Mapping[str, Any], tensors: Tensors) -> None:
    version, numbers, gauss = states["python"]
    random.setstate((version, tuple(numbers), gauss))
    name, *rest = states["numpy"]
    np.random.set_state((name, tensors[_NUMPY], *rest))
    torch.set_rng_state(torch.from_numpy(tensors[_TORCH].copy()))


def _optimizer_state(state: Mapping[str, Any]) -> tuple[dict[str, Any], Tensors]:
    """Return the part of the state that JSON can hold, and the tensors apart from it."""
    groups = [{**group, "lr": float(group["lr"])} for group in state["param_groups"]]
    plain: dict[str, Any] = {"param_groups": groups, "state": {}}
    tensors: Tensors = {}
    for place, values in state["state"].items():
        plain["state"][str(place)] = {}
        for key, value in values.items():
            if isinstance(value, torch.Tensor):
                tensors[f"{_OPTIMIZER}{place}.{key}"] = value.cpu().numpy().copy()
            else:
                plain["state"][str(place)][key] = value
    return plain, tensors


def _optimizer_from(plain: Mapping[str, Any], tensors: Tensors) -> dict[str, Any]:
    state = {int(place): dict(values) for place, values in plain["state"].items()}
    for name, each in tensors.items():
        if name.startswith(_OPTIMIZER):
            place, _, key = name.removeprefix(_OPTIMIZER).partition(".")
            state[int(place)][key] = torch.tensor(each)
    return {"state": state, "param_groups": plain["param_groups"]}
