"""Each mistake in the training file is reported in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

from schedlab.errors import InputError
from schedlab.rl.training_config import TrainingConfig, read_training, training_config

ROOT = Path(__file__).parents[2]

PAPER = ROOT / "examples" / "train" / "paper-proposal-nn1.toml"

WRONG = {
    "section": ("[training]\nsteps = 1", 'unknown key or section of the training "training"'),
    "key": ("[ppo]\nlerning_rate = 1e-3", 'did you mean "learning_rate"?'),
    "rule": ("[environment]\nnode = 8", 'did you mean "nodes"?'),
    "text": ("[train]\nsteps = 'many'", "[train]: steps is 'many'; must be a whole number >= 0"),
    "algorithm": ("[train]\nalgorithm = 'pppo'", 'unknown algorithm "pppo"; did you mean "ppo"?'),
    "network": ("[train]\nnetwork = 'nn3'", 'unknown network "nn3"; did you mean "nn'),
    "widths": ("[train]\nnetwork = [64, 0]", "network is [64, 0]; must have widths >= 1"),
    "activation": (
        "[train]\nactivation = 'rely'",
        'unknown activation "rely"; did you mean "relu"?',
    ),
    "environment": (
        "[environment]\nid = 'schedlab/Gant-v0'",
        'unknown environment "schedlab/Gant-v0"; did you mean "schedlab/Gantt-v0"?',
    ),
    "of the other environment": (
        "[environment]\nid = 'schedlab/Gantt-v0'\nnodes = 8",
        'unknown key or section of [environment] "nodes"',
    ),
    "image": (
        "[environment]\nid = 'schedlab/Gantt-v0'",
        'observation is "image", for networks of your own; give "flat"',
    ),
    "grid kernel": (
        "[environment]\nid = 'schedlab/Gantt-v0'\nobservation = 'flat'\n"
        "[train]\nnetwork = 'kernel'",
        'network kernel needs observation = "vector"',
    ),
    "grid easy": (
        "[environment]\nid = 'schedlab/Gantt-v0'\nobservation = 'flat'\n[train]\nbaseline = 'easy'",
        'baseline needs id = "schedlab/Queue-v0" and reward = "slowdown" or "utilisation"',
    ),
    "grid teacher": (
        "[environment]\nid = 'schedlab/Gantt-v0'\nobservation = 'flat'\n[clone]\nteacher = 'sfj'",
        'unknown teacher "sfj"; did you mean "sjf"?',
    ),
    "loads": ("[episodes]\nload = ['1']", "load is ['1']; must be a number or a list of numbers"),
    "kernel": ("[train]\nnetwork = 'kernel'", 'network kernel needs observation = "jobs"'),
    "a2c": (
        "[train]\nalgorithm = 'a2c'\n[ppo]\nn_epochs = 4",
        '[ppo] is for algorithm = "ppo" or "maskable-ppo" in [train]; it is "a2c"',
    ),
    "acer": (
        "[train]\nalgorithm = 'acer'\n[acer]\ngae_lambda = 0.9",
        'unknown key or section of [acer] "gae_lambda"',
    ),
    "minibatches": (
        "[train]\nalgorithm = 'maskable-ppo'\nbatch_size = 32",
        "batch_size in [train] is a parameter of the algorithm; write it in [ppo]",
    ),
    "engine": (
        "[train]\nalgorithm = 'acer'\nengine = 'gpu'",
        "engine gpu has ppo and maskable-ppo; acer needs engine sb3",
    ),
    "replay": ("[acer]\nreplay_ration = 2", 'did you mean "replay_ratio"?'),
    "not acer": (
        "[acer]\nreplay_ratio = 2",
        '[acer] is for algorithm = "acer" in [train]; it is "ppo"',
    ),
    "never": (
        "[train]\nalgorithm = 'acer'\n[acer]\nbuffer_size = 1000",
        "replay_start is 10,000; must be <= buffer_size, which is 1,000",
    ),
    "truncation": (
        "[train]\nalgorithm = 'acer'\n[acer]\nc = 0",
        "[acer]: c is 0.0; must be > 0",
    ),
    "average": (
        "[train]\nalgorithm = 'acer'\n[acer]\nalpha = 1.5",
        "alpha is 1.5; must be from 0 to 1",
    ),
    "negative": (
        "[train]\nalgorithm = 'acer'\n[acer]\ndelta = -1.0",
        "delta is -1.0; must be >= 0",
    ),
    "share": ("[ppo]\ngamma = 1.5", "[ppo]: gamma is 1.5; must be from 0 to 1"),
    "rate": ("[ppo]\nlearning_rate = 0", "learning_rate is 0.0; must be > 0"),
    "envs": ("[train]\nenvs = 0", "envs is 0; must be >= 1"),
    "batch": (
        "[train]\nenvs = 3\n[ppo]\nn_steps = 16\nbatch_size = 20",
        "[ppo]: batch_size 20 does not divide the 48 steps of a rollout",
    ),
    "weights": (
        "[environment]\nreward_weights = [1, 2]",
        "reward_weights is [1, 2]; must be a list of three numbers",
    ),
    "episodes": ("[evaluation]\nepisodes = 0", "episodes is 0; must be >= 1"),
    "toml": ("[train\n", ":1: not TOML"),
}


@pytest.mark.parametrize("which", WRONG)
def test_mistakes_are_named(which: str, tmp_path: Path) -> None:
    """A typing error must not train something else for hours."""
    text, sentence = WRONG[which]
    path = tmp_path / "training.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_training(path)
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)


def test_what_is_left_out_has_the_paper_s_rules() -> None:
    """The environment's defaults are the paper's, and so are those of a training."""
    assert training_config({}) == TrainingConfig()
    assert training_config({}).require_queue().visible_jobs == 100


def test_a_configuration_survives_its_document() -> None:
    """The model file holds the configuration as JSON."""
    config = read_training(PAPER)
    assert training_config(config.document()) == config


def test_the_paper_s_training_has_four_million_steps() -> None:
    """8 environments, 10,000 steps per episode, 50 episodes each."""
    train = read_training(PAPER).train
    assert train.steps == 8 * 10_000 * 50
    assert train.widths == (1024, 512, 256)


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "train").glob("*.toml")))
def test_examples_are_well_formed(path: Path) -> None:
    """People copy them."""
    config = read_training(path)
    assert config.all_episodes().longest_request_s > 0
