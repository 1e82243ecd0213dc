"""The tuning file: what it may contain, and what is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

from schedlab.errors import InputError
from schedlab.experiments.tuning import read_tuning
from schedlab.experiments.tuning.space import ParameterRange

EXAMPLES = Path(__file__).parents[2] / "examples" / "tune"

TRAINING = "[train]\nenvs = 4\nsteps = 1000\n[ppo]\nn_steps = 64\nbatch_size = 64\n"
TUNING = """
[tune]
training = "base.toml"
score = "utilisation"
runs = 3
seed = 7

[space.train]
network = ["nn1", [64, 64]]

[space.ppo]
n_steps = [16, 64]

[space.environment]
observation = ["baseline", "proposal"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A tuning file beside its training file."""
    (tmp_path / "base.toml").write_text(TRAINING)
    path = tmp_path / "tuning.toml"
    path.write_text(TUNING)
    return path


def test_a_setting_is_a_training(file: Path) -> None:
    """The values go into their sections; everything else is the training file's."""
    tuning = read_tuning(file)
    assert list(tuning.about.seeds) == [7, 8, 9]
    settings = list(tuning.space.settings())
    assert len(settings) == 8
    config = tuning.config(settings[-1])
    assert (config.ppo.n_steps, config.train.network) == (64, (64, 64))
    assert (config.environment.observation, config.train.envs) == ("proposal", 4)
    assert tuning.training.environment == tuning.config(settings[1]).environment


def test_acer_s_own_parameters_have_their_own_section(file: Path) -> None:
    """The section has the same name as in the training file."""
    (file.parent / "base.toml").write_text("[train]\nalgorithm = 'acer'\n")
    file.write_text(TUNING.replace("[space.ppo]\n", "[space.acer]\nreplay_ratio = [0, 4]\n"))
    tuning = read_tuning(file)
    ratios = [tuning.config(each).acer.replay_ratio for each in tuning.space.settings()]
    assert ratios == ([0.0] * 4 + [4.0] * 4) * 2


def test_values_from_the_command_line_replace_those_of_the_file(file: Path) -> None:
    """A range is allowed as soon as there are trials."""
    file.write_text(TUNING + "\n[space.nothing]\n")
    with pytest.raises(InputError):
        read_tuning(file)
    file.write_text(TUNING.replace("[16, 64]", "{ low = 16, high = 64, log = true }"))
    tuning = read_tuning(file, trials=3, runs=1, seed=0)
    assert (tuning.about.trials, list(tuning.about.seeds)) == (3, [0])
    domain = tuning.space.parameters[1].domain
    assert domain == ParameterRange(low=16, high=64, log=True)
    assert isinstance(domain, ParameterRange)
    assert isinstance(domain.low, int)


@pytest.mark.parametrize(
    ("written", "instead", "sentence"),
    [
        ("runs = 3", "rums = 3", r'unknown key or section of \[tune\] "rums"; did you mean "runs"'),
        ("runs = 3", "runs = 0", r"\[tune\]: runs is 0; must be >= 1"),
        ("runs = 3", "prune_at = [10]", "prune_at needs trials; a grid is trained whole"),
        ("runs = 3", "trials = 2\nprune_at = [20, 10]", "must be steps in order"),
        ("runs = 3", "trials = 2\nprune_at = [1000]", "must be below the 1,000 steps of training"),
        ('"utilisation"', '"utilization"', 'score "utilization"; did you mean "utilisation"'),
        ("base.toml", "other.toml", "other.toml: no such file"),
        ("space.train", "space.trian", r'of \[space\] "trian"; did you mean "train"'),
        ("n_steps =", "n_step =", r'of \[space.ppo\] "n_step"; did you mean "n_steps"'),
        ("[16, 64]", "64", "n_steps is 64; must be a list of values, or low and high"),
        ("[16, 64]", "[]", r"n_steps is \[\]; must be a list of values"),
        ("[16, 64]", "[16, 1.5]", "n_steps is 1.5; must be a whole number >= 0"),
        ("[16, 64]", "[16, 64, 16]", "n_steps lists 16 twice"),
        ("[16, 64]", "{ low = 1, high = 9 }", r"\[space.ppo\] n_steps is a range, which needs"),
        ("[16, 64]", "{ low = 9, high = 1 }", "low is 9.0; must be below high, 1.0"),
        ("[16, 64]", "{ low = 0, high = 1, log = true }", "must be > 0 for a logarithm"),
        ("[16, 64]", "{ low = 1 }", "n_steps lacks the key high"),
        ("[16, 64]", "{ low = 1.5, high = 2 }", "n_steps is 1.5; must be a whole number"),
        ("network = [", "seed = [", "seed cannot be searched: every setting is trained with"),
        ("network = [", "steps = [", "steps cannot be searched: every setting learns from"),
        ("[tune]", "[tuning]", r'of the tuning "tuning"; did you mean "tune"'),
    ],
)
def test_a_mistake_is_told_in_one_sentence(
    file: Path, written: str, instead: str, sentence: str
) -> None:
    """The sentence names the file, the section, the value and what is allowed."""
    file.write_text(TUNING.replace(written, instead))
    with pytest.raises(InputError, match=sentence) as caught:
        read_tuning(file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[tune]\ntraining = "base.toml"\n', r"there is no section \[space\]"),
        ('[tune]\ntraining = "base.toml"\n[space]\n', r"\[space\] names no parameter"),
        ('space = 3\n[tune]\ntraining = "base.toml"\n', r"\[space\] is 3"),
        ('[tune]\ntraining = "base.toml"\n[space]\ntrain = 3\n', r"\[space\] train is 3"),
        ("[tune]\n[space.train]\n", r"\[tune\] lacks the key training"),
        ("[tune\n", "not TOML"),
    ],
)
def test_what_is_missing_is_told(file: Path, text: str, sentence: str) -> None:
    """A missing value is an error; it is not guessed."""
    file.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_tuning(file)


def test_the_grid_of_the_paper() -> None:
    """Five T, five M and three K; a rollout of 8 x 512 steps has no batch of 8192."""
    tuning = read_tuning(EXAMPLES / "paper-grid.toml")
    settings = list(tuning.space.settings())
    assert len(settings) == 75
    possible = [each for each in settings if each["batch_size"] <= 8 * each["n_steps"]]
    assert len(possible) * tuning.about.runs == 360
    for each in possible:
        assert tuning.config(each).train.steps == 4_000_000
