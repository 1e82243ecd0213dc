"""Model files hold numbers and text: errors name what is wrong, and nothing in a file is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from stable_baselines3 import PPO

from schedlab.errors import InputError
from schedlab.policies import find_policy
from schedlab.rl import QueueEnv
from schedlab.rl.model_file import TrainedModel, read_model, write_model
from schedlab.rl.tensor_archive import DOCUMENT, TENSORS
from schedlab.rl.train import Training
from schedlab.rl.training_config import TrainingConfig
from schedlab.testing.instances import crowd

Make = Callable[..., TrainingConfig]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, small_training: Make) -> Path:
    """The file of an untrained network."""
    training = Training(small_training(), tmp_path_factory.mktemp("training"), None)
    training.evaluations = [{"return": -1.5}]
    path = tmp_path_factory.mktemp("models") / "model.zip"
    write_model(path, training.model())
    return path


def rewritten(model: Path, folder: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """Return a copy of the file with other parts."""
    with ZipFile(model) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    path = folder / "changed.zip"
    with ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def configured(**values: Any) -> Callable[[dict[str, bytes]], None]:
    """Return a change that puts other values into the configuration."""

    def change(parts: dict[str, bytes]) -> None:
        document = json.loads(parts[DOCUMENT])
        for key, value in values.items():
            if isinstance(value, dict):
                document[key].update(value)
            else:
                document[key] = value
        parts[DOCUMENT] = json.dumps(document).encode()

    return change


def left_out(key: str) -> Callable[[dict[str, bytes]], None]:
    """Return a change that takes a key out of the configuration."""

    def change(parts: dict[str, bytes]) -> None:
        document = json.loads(parts[DOCUMENT])
        del document[key]
        parts[DOCUMENT] = json.dumps(document).encode()

    return change


DAMAGES: dict[str, tuple[Callable[[dict[str, bytes]], Any], str]] = {
    "no numbers": (lambda parts: parts.pop(TENSORS), f"has no {TENSORS} in it"),
    "no configuration": (lambda parts: parts.pop(DOCUMENT), f"has no {DOCUMENT} in it"),
    "no JSON": (lambda parts: parts.update({DOCUMENT: b"\x80\x04"}), "is not JSON"),
    "a list": (lambda parts: parts.update({DOCUMENT: b"[]"}), "must be a schedlab model"),
    "numbers": (lambda parts: parts.update({TENSORS: b"\x10\x00"}), "is damaged"),
    "another kind": (configured(kind="schedlab checkpoint"), "holds 'schedlab checkpoint'"),
    "another version": (configured(version=9), "format version 9; this schedlab reads version 1"),
    "an unknown rule": (configured(environment={"gpus": 4}), '[environment] "gpus"'),
    "a missing section": (left_out("train"), "lacks the key train"),
    "no scale": (configured(time_scale_s=0), "time_scale_s is 0.0; must be > 0"),
    "a text for a number": (configured(steps="many"), "cannot be understood"),
    "another window": (
        configured(environment={"observation": "proposal"}, train={"network": [16, 8]}),
        "the model's configuration asks for",
    ),
}


def test_a_file_from_before_a_section_was_thought_of_is_read(model: Path, tmp_path: Path) -> None:
    """A section that is missing has its defaults."""
    path = rewritten(model, tmp_path, left_out("acer"))
    assert read_model(path).config == read_model(model).config


@pytest.mark.parametrize("which", DAMAGES)
def test_damage_is_named(which: str, model: Path, tmp_path: Path) -> None:
    """The error is one sentence with the file's name, whatever the file contains."""
    change, sentence = DAMAGES[which]
    path = rewritten(model, tmp_path, change)
    with pytest.raises(InputError) as caught:
        find_policy(f"learned:{path}")
    assert str(caught.value).startswith(f"{path}: ")
    assert sentence in str(caught.value)


@pytest.mark.parametrize("length", [0, 1, 100, -100, -1])
def test_a_file_cut_short_is_no_model(length: int, model: Path, tmp_path: Path) -> None:
    """A broken download leaves such a file."""
    path = tmp_path / "cut.zip"
    path.write_bytes(model.read_bytes()[:length])
    with pytest.raises(InputError, match=r"is damaged, or no schedlab model|is empty"):
        read_model(path)


def test_a_model_of_stable_baselines3_is_refused_with_a_way_out(tmp_path: Path) -> None:
    """It does not say what its network sees; a file beside it does."""
    path = tmp_path / "ppo.zip"
    PPO("MlpPolicy", QueueEnv(crowd(), None, nodes=16, visible_jobs=5), device="cpu").save(path)
    with pytest.raises(InputError, match=r"ppo.zip: is a model of Stable-Baselines3.*ppo.toml"):
        find_policy(f"learned:{path}")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The policy's name holds a path, which may be wrong."""
    with pytest.raises(InputError, match=r"nowhere.zip: no such file"):
        find_policy(f"learned:{tmp_path / 'nowhere.zip'}")


def test_a_model_survives_its_file(model: Path, tmp_path: Path, small_training: Make) -> None:
    """The same numbers, configuration and scale; the same bytes when written again."""
    again = read_model(model)
    assert isinstance(again, TrainedModel)
    assert again.config == small_training()
    assert again.results == {"return": -1.5}
    write_model(tmp_path / "again.zip", again)
    assert (tmp_path / "again.zip").read_bytes() == model.read_bytes()
    names = {name: np.asarray(each).shape for name, each in again.parameters.items()}
    expected = again.agent().policy.state_dict()
    assert names == {name: tuple(each.shape) for name, each in expected.items()}
