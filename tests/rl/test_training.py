"""Training: the same seed gives the same model, interrupted or not, and it learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from schedlab import simulate
from schedlab.errors import InputError, OutputError, ParameterError
from schedlab.metrics import find_metric
from schedlab.rl.agent import TorchAgent, evaluate
from schedlab.rl.batch import QueueBatch
from schedlab.rl.checkpoint import KIND
from schedlab.rl.model_file import read_model
from schedlab.rl.tensor_archive import read_archive, write_archive
from schedlab.rl.train import BEST, CHECKPOINT, EVALUATIONS, train
from schedlab.rl.training_config import TrainingConfig, read_training
from schedlab.rl.training_env import TrainingEnv
from schedlab.rl.training_log import FILE
from schedlab.workload.episodes import GeneratedEpisodes

Make = Callable[..., TrainingConfig]
Interrupt = Callable[[TrainingConfig, Path, int], None]

TRAININGS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "kernel": {},
    "ppo": {
        "train": {"algorithm": "ppo", "network": [16, 8]},
        "environment": {"mode": "pick", "observation": "proposal", "reward": "terminal"},
    },
    "shared": {"train": {"algorithm": "ppo", "network": [16, 8], "shared_trunk": True}},
    "a2c": {"train": {"algorithm": "a2c"}, "a2c": {"n_steps": 16}},
    "acer": {
        "train": {"algorithm": "acer"},
        "acer": {"n_steps": 16, "buffer_size": 144, "replay_start": 48, "masked": True},
    },
}


def parameters(path: Path) -> dict[str, bytes]:
    """Return the numbers of a model, bit by bit."""
    return {name: each.tobytes() for name, each in read_model(path).parameters.items()}


class Chance(TorchAgent):
    """An agent that takes any sensible action."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(1)

    def choose(
        self, observation: NDArray[np.float32], mask: NDArray[np.uint8]
    ) -> NDArray[np.int64]:
        """Return one action per row."""
        return np.array([self.random.choice(np.flatnonzero(row)) for row in mask])


def test_what_it_is_judged_by_is_never_learnt_from(
    tmp_path: Path, small_training: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No seed draws jobs for both training and evaluation."""
    judged: list[Any] = []

    def judge(agent: Any, settings: Any, episodes: Any, count: int, **how: Any) -> dict[str, float]:
        judged.append((settings, episodes))
        return {"return": 0.0}

    monkeypatch.setattr("schedlab.rl.train.evaluate", judge)
    config = small_training()
    train(config, tmp_path / "run")
    learnt, _ = config.open_episodes()
    settings, held_out = judged[0]
    assert isinstance(learnt, GeneratedEpisodes)
    assert learnt.seeds.stop <= held_out.seeds.start
    assert settings.time_scale_s == learnt.longest_request_s


@pytest.mark.parametrize("which", TRAININGS)
def test_an_interrupted_training_ends_with_the_same_model(
    which: str, tmp_path: Path, small_training: Make, interrupt: Interrupt
) -> None:
    """Parameters, optimiser, chance and environments continue exactly where they were."""
    config = small_training(**TRAININGS[which])
    straight = train(config, tmp_path / "straight")
    folder = tmp_path / "interrupted"
    folder.mkdir()
    interrupt(config, folder, 70)
    np.random.default_rng()  # whatever happens in between
    resumed = train(config, folder, resume=True)
    assert resumed.steps == straight.steps == 192
    assert resumed.results == straight.results
    assert parameters(resumed.model) == parameters(straight.model)


def test_another_seed_gives_another_model(tmp_path: Path, small_training: Make) -> None:
    """The same seed gives the same model."""
    config = small_training()
    first, again = train(config, tmp_path / "1"), train(config, tmp_path / "2")
    other = train(config.with_train(seed=1), tmp_path / "3")
    assert parameters(first.model) == parameters(again.model)
    assert parameters(first.model) != parameters(other.model)


def test_a_training_can_be_prolonged(tmp_path: Path, small_training: Make) -> None:
    """A finished training with more steps equals one that had them from the beginning."""
    config = small_training()
    train(config.with_train(steps=96), tmp_path / "short")
    longer = train(config, tmp_path / "short", resume=True)
    assert parameters(longer.model) == parameters(train(config, tmp_path / "long").model)


def test_a_training_leaves_tables_and_models(
    tmp_path: Path, small_training: Make, interrupt: Interrupt
) -> None:
    """There is a row per update and per evaluation; steps that are repeated get no second row."""
    config = small_training(evaluation={"every": 48}, train={"checkpoint_every": 96})
    interrupt(config, tmp_path, 170)
    train(config, tmp_path, resume=True)
    rows = (tmp_path / FILE).read_text().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["48", "96", "144", "192"]
    rows = (tmp_path / EVALUATIONS).read_text().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["48", "96", "144", "192"]
    assert read_model(tmp_path / BEST).steps in (48, 96, 144, 192)


def test_environments_are_restored_by_playing_again(small_training: Make) -> None:
    """Environments get back to where they were, with episodes of different lengths."""
    config = small_training()
    episodes = config.all_episodes()
    rules = config.require_queue()
    batches = (QueueBatch(rules, episodes, 4, threads=1, warns=False) for _ in range(2))
    env, again = (TrainingEnv(batch) for batch in batches)
    env.seed(5)
    env.reset()
    random, returns = np.random.default_rng(5), np.zeros(4)
    for _ in range(73):
        _, dones, _ = env.advance(random.integers(7, size=4))
        returns = np.where(dones, 0, returns + env.batch.reward)
    again.restore(env.records())
    assert again._returns.tolist() == returns.tolist()
    assert again.records() == env.records()
    assert np.array_equal(again.batch.observation, env.batch.observation)
    assert np.array_equal(again.batch.mask, env.batch.mask)
    actions = np.zeros(4, np.int64)
    rewards, _, _ = env.advance(actions)
    assert np.array_equal(again.advance(actions)[0], rewards)


def test_a_folder_holds_one_training(tmp_path: Path, small_training: Make) -> None:
    """A second one would overwrite the first one's model."""
    config = small_training()
    train(config, tmp_path)
    with pytest.raises(ParameterError, match="holds a training already"):
        train(config, tmp_path)
    with pytest.raises(InputError, match=r"was trained with \[ppo\] gamma = None, not 0.5"):
        train(config.with_parameters(gamma=0.5), tmp_path, resume=True)


def test_what_cannot_be_resumed_or_written_is_said(tmp_path: Path, small_training: Make) -> None:
    """The checkpoint is missing or damaged, or a file is where the folder should be."""
    config = small_training()
    with pytest.raises(InputError, match="no such file"):
        train(config, tmp_path, resume=True)
    (tmp_path / CHECKPOINT).write_bytes(b"no zip")
    with pytest.raises(InputError, match="is damaged, or no schedlab checkpoint"):
        train(config, tmp_path, resume=True)
    write_archive(tmp_path / CHECKPOINT, KIND, {"config": {}}, {})
    with pytest.raises(InputError, match="is incomplete, without steps"):
        train(config, tmp_path, resume=True)
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be created"):
        train(config, tmp_path / "file")


def test_a_replay_buffer_in_pieces_is_not_gone_on_from(
    tmp_path: Path, small_training: Make
) -> None:
    """A changed checkpoint is an error, before anything is learnt from the rest."""
    config = small_training(**TRAININGS["acer"]).with_train(steps=96)
    train(config, tmp_path)
    document, tensors = read_archive(tmp_path / CHECKPOINT, KIND)
    del tensors["replay.masks"]
    write_archive(tmp_path / CHECKPOINT, KIND, document, tensors)
    with pytest.raises(InputError, match="is incomplete, its replay buffer is damaged"):
        train(config, tmp_path, resume=True)


@pytest.mark.slow
def test_a_kernel_network_learns_to_beat_easy(tmp_path: Path) -> None:
    """In well under two minutes the greedy policy has smaller slowdowns than EASY and than chance.

    All play the same episodes.
    """
    examples = Path(__file__).parents[2] / "examples" / "train"
    config = read_training(examples / "small.toml")
    trained = train(config, tmp_path)
    episodes, evaluation = config.all_episodes(), config.evaluation
    slowdowns = []
    for place in range(evaluation.episodes):
        workload = episodes.draw(np.random.default_rng(evaluation.seed + place))
        schedule = simulate(workload, config.require_queue().nodes, "easy", tick=1)
        slowdowns.append(find_metric("bounded_slowdown").value(schedule))
    chance = evaluate(
        Chance(), config.environment, episodes, evaluation.episodes, seed=evaluation.seed
    )
    assert trained.results["mean_bounded_slowdown"] < np.mean(slowdowns)
    assert trained.results["mean_bounded_slowdown"] < chance["mean_bounded_slowdown"]
