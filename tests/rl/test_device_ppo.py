"""The trainer of the engine ``gpu``: it computes what Stable-Baselines3 computes, and learns."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from schedlab.errors import ParameterError, SchedlabError
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl import trainers
from schedlab.rl.agent import TorchAgent
from schedlab.rl.algorithm_sections import PpoSection
from schedlab.rl.batch import QueueBatch
from schedlab.rl.device_agent import DeviceAgent
from schedlab.rl.device_ppo import DevicePPO
from schedlab.rl.device_rollout import sums_to_come
from schedlab.rl.model_file import read_model
from schedlab.rl.stacked_networks import Layout
from schedlab.rl.train import train
from schedlab.rl.train_section import TrainSection
from schedlab.rl.trainers import make_trainer
from schedlab.rl.training_config import TrainingConfig, training_config
from schedlab.rl.training_env import TrainingEnv
from schedlab.testing.instances import crowd
from schedlab.workload.episodes import FixedEpisode

RULES = QueueSettings(
    nodes=16, visible_jobs=8, mode="order", reward="slowdown", observation="jobs", max_steps=40
)
SMALL: dict[str, Any] = {"network": (32, 32), "envs": 4}
SMALL_PPO: dict[str, Any] = {"n_steps": 64, "batch_size": 256, "n_epochs": 1, "ent_coef": 0.01}
PPO_KEYS = {each.name for each in fields(PpoSection)}
ON_CPU = {"engine": "gpu", "device": "cpu", "precision": "fp32"}


class Silent(BaseCallback):
    """A callback that does nothing at a step."""

    def _on_step(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Use one thread, since tests run side by side and more threads would only compete."""
    torch.set_num_threads(1)


def described(**changes: Any) -> TrainingConfig:
    """Return a training with these values in ``[train]`` and ``[ppo]``."""
    ppo = {key: value for key, value in changes.items() if key in PPO_KEYS}
    train = {key: value for key, value in changes.items() if key not in PPO_KEYS}
    return TrainingConfig(
        environment=RULES,
        train=TrainSection(**{**SMALL, **train}),
        ppo=PpoSection(**{**SMALL_PPO, **ppo}),
    )


def trainer(**changes: Any) -> Any:
    """Return a trainer for thirty jobs that are the same in every episode."""
    config = described(**changes)
    jobs = FixedEpisode(crowd(count=30))
    batch = QueueBatch(RULES, jobs, config.train.envs, threads=1, warns=False)
    made = make_trainer(config, TrainingEnv(batch, 1.0))
    made._setup_learn(1)
    return made


def collect(made: Any) -> None:
    """Collect one rollout."""
    callback = Silent()
    callback.init_callback(made)
    made.collect_rollouts(made.env, callback, made.rollout_buffer, made.n_steps)


def put_in(ours: DevicePPO, theirs: PPO) -> None:
    """Copy the network and the rollout of Stable-Baselines3 into ours."""
    ours.policy.load_state_dict(theirs.policy.state_dict())
    buffer, rollout = theirs.rollout_buffer, ours.rollout
    rollout.observations[:-1] = torch.tensor(buffer.observations)
    rollout.actions[:] = torch.tensor(buffer.actions[..., 0]).long()
    rollout.log_prob[:] = torch.tensor(buffer.log_probs)
    ended = np.vstack((buffer.episode_starts[1:], np.asarray(theirs._last_episode_starts)))
    ours._rewards[:], ours._ended[:] = buffer.rewards, ended
    ours._seen[:] = torch.tensor(theirs._last_obs)


def assert_same_networks(ours: DevicePPO, theirs: PPO) -> None:
    """Check that the networks are equal up to the last digits."""
    for mine, yours in zip(ours.policy.parameters(), theirs.policy.parameters(), strict=True):
        torch.testing.assert_close(mine, yours, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("changes", [{}, {"shared_trunk": True}, {"network": "kernel"}])
def test_an_update_is_that_of_stable_baselines3(changes: dict[str, Any]) -> None:
    """The same network and rollout give the same advantages, and then the same network."""
    theirs, ours = trainer(**changes), trainer(**changes, **ON_CPU)
    collect(theirs)
    assert theirs.rollout_buffer.episode_starts[1:].any()
    put_in(ours, theirs)
    ours._estimate([])  # episodes that were cut off are in the rewards already
    before = [each.clone() for each in theirs.policy.parameters()]
    np.testing.assert_allclose(ours.rollout.advantages, theirs.rollout_buffer.advantages, rtol=1e-5)
    theirs.train()
    ours.train()
    moved = [
        float((after - was).detach().abs().max())
        for after, was in zip(theirs.policy.parameters(), before, strict=True)
    ]
    assert min(moved) > 1e-6
    assert_same_networks(ours, theirs)
    for name in ("policy_gradient_loss", "value_loss", "entropy_loss", "explained_variance"):
        mine, yours = (each.logger.name_to_value[f"train/{name}"] for each in (ours, theirs))
        assert mine == pytest.approx(yours, rel=1e-3, abs=1e-5)


def test_a_rollout_keeps_what_the_environments_show() -> None:
    """The same actions in environments of the same seeds show the same observations."""
    made = trainer(algorithm="maskable-ppo", **ON_CPU)
    made.env.seed(5)
    made.env.reset()
    collect(made)
    again = trainer(algorithm="maskable-ppo").env
    again.seed(5)
    again.reset()
    for step in range(made.n_steps):
        torch.testing.assert_close(
            made.rollout.observations[step], torch.tensor(again.batch.observation)
        )
        again.advance(made.rollout.actions[step].numpy())


def test_a_masked_update_is_that_of_maskable_ppo() -> None:
    """The same holds for a network that learns with masks."""
    theirs, ours = (trainer(algorithm="maskable-ppo", **engine) for engine in ({}, ON_CPU))
    callback = Silent()
    callback.init_callback(theirs)
    theirs.collect_rollouts(
        theirs.env, callback, theirs.rollout_buffer, theirs.n_steps, use_masking=True
    )
    put_in(ours, theirs)
    masks = torch.tensor(theirs.rollout_buffer.action_masks)
    ours.rollout.masks[:] = masks.reshape(ours.rollout.masks.shape).bool()
    ours._estimate([])
    theirs.train()
    ours.train()
    assert_same_networks(ours, theirs)


def test_sums_to_come_by_hand() -> None:
    """A factor of 0 ends an episode: nothing of the next one is counted."""
    terms = torch.tensor([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
    factors = torch.tensor([[0.5, 0.5], [0.5, 0.0], [0.5, 0.5]])
    assert sums_to_come(terms, factors).tolist() == [[3, 2], [4, 2], [4, 4]]


def test_an_episode_that_is_cut_off_goes_on_in_its_value() -> None:
    """The reward of its last step includes the value of what it showed then."""
    made = trainer(**ON_CPU)
    collect(made)
    before = made._rewards.copy()
    seen = np.ones(made.env.batch.observation.shape[1], np.float32)
    made._estimate([(5, 2, seen)])
    value = made.policy.predict_values(torch.from_numpy(seen)[None]).item()
    assert made._rewards[5, 2] - before[5, 2] == pytest.approx(0.99 * value, abs=1e-6)


def test_masked_actions_are_never_drawn() -> None:
    """Every action that was drawn was allowed."""
    made = trainer(algorithm="maskable-ppo", **ON_CPU)
    collect(made)
    rollout = made.rollout
    assert not rollout.masks.all()
    assert rollout.masks.gather(-1, rollout.actions.unsqueeze(-1)).all()


def test_actions_are_drawn_as_likely_as_the_network_says() -> None:
    """In 4,000 draws in the same situation, every action has its share."""
    made = trainer(envs=4000, n_steps=1, batch_size=4000, **ON_CPU)
    made._chance.uniform_()
    made._act()
    shares = np.bincount(made._chosen.numpy(), minlength=9) / 4000
    with torch.no_grad():
        wanted = made.policy.get_distribution(made._seen[:1]).distribution.probs[0].numpy()
    np.testing.assert_allclose(shares, wanted, atol=0.03)


def test_far_from_the_old_policy_an_update_ends() -> None:
    """A target for the KL divergence ends it, as in Stable-Baselines3."""
    made = trainer(batch_size=32, n_epochs=50, learning_rate=0.01, target_kl=0.001, **ON_CPU)
    collect(made)
    made.train()
    assert 1 <= made._n_updates < 50


class Rates(Silent):
    """A callback that records the learning rate before each rollout."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[float] = []

    def _on_rollout_start(self) -> None:
        self.seen.append(float(self.model.policy.optimizer.param_groups[0]["lr"]))


@pytest.mark.parametrize("engine", [{}, ON_CPU], ids=["sb3", "gpu"])
def test_an_annealed_learning_rate_falls_to_nothing(engine: dict[str, Any]) -> None:
    """It falls linearly over the steps of the training."""
    made, rates = trainer(learning_rate=1e-3, anneal=True, **engine), Rates()
    made.learn(4 * 256, rates)
    assert rates.seen == pytest.approx([1e-3, 7.5e-4, 5e-4, 2.5e-4])
    assert made.policy.optimizer.param_groups[0]["lr"] == 0


def small_training(**changes: Any) -> TrainingConfig:
    """Return a complete training."""
    return training_config(
        {
            "environment": {"nodes": 64, "visible_jobs": 8, "max_steps": 200},
            "episodes": {"workload": "lublin:nodes=64", "jobs": 30},
            "train": {**SMALL, "network": [16], "steps": 1024, **changes},
            "ppo": {**SMALL_PPO, "batch_size": 64},
            "evaluation": {"episodes": 2},
        }
    )


def test_resumed_it_is_as_if_never_interrupted(tmp_path: Path) -> None:
    """On a processor, the model is the same to the last bit."""
    whole = train(small_training(**ON_CPU), tmp_path / "whole")
    config = small_training(**ON_CPU)
    train(config.with_train(steps=512), tmp_path / "half")
    resumed = train(config, tmp_path / "half", resume=True)
    assert resumed.results == whole.results
    ours, theirs = read_model(whole.model), read_model(resumed.model)
    for name, values in ours.parameters.items():
        np.testing.assert_array_equal(values, theirs.parameters[name])


@pytest.mark.slow
def test_both_engines_learn_alike(tmp_path: Path) -> None:
    """Over four seeds each, mean returns after a training differ by less than their spread."""
    settings = {"envs": 16, "n_steps": 128, "batch_size": 256, "n_epochs": 4, "gamma": 1.0}
    found: dict[str, list[float]] = {"sb3": [], "gpu": []}
    for seed in range(4):
        for name, engine in (("sb3", {}), ("gpu", ON_CPU)):
            made = trainer(
                **settings, algorithm="maskable-ppo", seed=seed, learning_rate=1e-3, **engine
            )
            made.learn(20_000)
            found[name].append(float(np.mean([each["r"] for each in made.ep_info_buffer])))
    untrained = trainer(envs=16, n_steps=128, **ON_CPU)
    collect(untrained)
    first = float(np.mean([each["r"] for each in untrained.ep_info_buffer]))
    sb3, gpu = (np.array(found[name]) for name in ("sb3", "gpu"))
    error = np.sqrt((sb3.var(ddof=1) + gpu.var(ddof=1)) / len(sb3))
    assert abs(sb3.mean() - gpu.mean()) < 4 * error
    assert min(sb3.mean(), gpu.mean()) > first + 10 * error


def test_a_device_that_is_not_there() -> None:
    """The error names the device and the alternative."""
    with pytest.raises(ParameterError, match=r'cannot use device "cuda:99".*engine = "sb3"'):
        trainer(engine="gpu", device="cuda:99")


def test_a_device_that_is_there() -> None:
    """The device ``auto`` is a GPU if there is one, otherwise a processor."""
    there = "cuda" if torch.cuda.is_available() else "cpu"
    assert trainer(engine="gpu", device="auto").device.type == there


def test_a_processor_computes_in_fp32_unless_asked() -> None:
    """Many processors have no bf16, and torch then warns at every product."""
    assert trainer(engine="gpu", device="cpu").precision == "fp32"


def test_bf16_on_a_device_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is used if asked for, and rollouts are kept in it."""
    monkeypatch.setattr(trainers, "has_bf16", lambda device: True)
    made = trainer(engine="gpu", device="cpu", precision="bf16")
    assert made.rollout.observations.dtype is torch.bfloat16


def test_bf16_on_a_device_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is one sentence, before anything is learnt."""
    monkeypatch.setattr(trainers, "has_bf16", lambda device: False)
    with pytest.raises(ParameterError, match='"bf16", which device "cpu" does not have; must be'):
        trainer(engine="gpu", device="cpu", precision="bf16")


def test_bf16_on_this_processor() -> None:
    """It computes without torch's warning, which would fail the test, or is refused."""
    asked = {"engine": "gpu", "device": "cpu", "precision": "bf16"}
    if not trainers.has_bf16("cpu"):
        with pytest.raises(ParameterError, match="bf16"):
            trainer(**asked)
        return
    made = trainer(**asked)
    collect(made)
    assert torch.isfinite(made.rollout.advantages).all()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"engine": "tpu"}, "engine"),
        ({"engine": "gpu", "precision": "fp8"}, "precision"),
        ({"engine": "gpu", "algorithm": "a2c"}, "a2c needs"),
        ({"device": "cuda"}, "device is a parameter of engine gpu"),
        ({"anneal": True}, "anneal needs a learning_rate"),
    ],
)
def test_what_the_engine_does_not_have(changes: dict[str, Any], sentence: str) -> None:
    """The error comes before anything is made."""
    with pytest.raises(SchedlabError, match=sentence):
        described(**changes)


def test_a_copy_acts_as_the_network_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU a copy of the network acts; it is renewed after each update."""
    alone = trainer(**ON_CPU)
    monkeypatch.setattr(trainers, "acting_layout", lambda train, device: Layout.of(train))
    copied = trainer(**ON_CPU)
    for made in (alone, copied):
        torch.manual_seed(1)
        for _ in range(3):
            collect(made)
            made.train()
    assert copied._acting is not None
    assert alone._acting is None
    assert copied.rollout.actions.tolist() == alone.rollout.actions.tolist()
    for one, other in zip(alone.policy.parameters(), copied.policy.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-6)


def test_one_launch_scores_as_the_network_does() -> None:
    """The agent that evaluates on a GPU gives the same scores."""
    made = trainer(**ON_CPU)
    shape = (3, made.policy.observation_space.shape[0])
    seen = np.random.default_rng(1).random(shape, dtype=np.float32)
    scores = DeviceAgent(made.policy, 3, masked=True).scores(seen)
    alone = TorchAgent(made.policy, masked=True).scores(seen)
    assert np.abs(scores - alone).max() < 1e-6
