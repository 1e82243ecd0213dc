"""A learned policy that draws its actions, as ``learned:FILE:sample=SEED``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from schedlab import simulate
from schedlab.errors import ParameterError
from schedlab.policies import find_policy
from schedlab.policies.learned.agent import SamplingAgent
from schedlab.rl import QueueEnv
from schedlab.rl.model_file import read_model
from schedlab.testing.instances import crowd

Make = Callable[..., Any]

PICK = {"mode": "pick", "observation": "proposal", "reward": "terminal"}


def starts(path: Path, seed: int) -> list[int]:
    """Return the starts of a simulation."""
    schedule = simulate(crowd(count=40), 16, f"learned:{path}:sample={seed}", tick=1)
    found: list[int] = schedule.start_s.tolist()
    return found


def test_the_schedule_is_the_sampled_episode(drawn: Make) -> None:
    """Start by start: the same draws in the simulator and in the environment."""
    path = drawn(1, environment=PICK, train={"network": [16, 8], "algorithm": "ppo"})
    model = read_model(path)
    agent = SamplingAgent(model.agent(), seed=3)
    env = QueueEnv(crowd(count=40), None, **vars(model.settings))
    env.reset()
    ended = False
    while not ended:
        action = agent.choose(env.batch.observation, env.batch.mask)[0]
        _, _, terminated, truncated, _ = env.step(action)
        ended = terminated or truncated
    assert starts(path, 3) == env.batch.played(0)[1].start_times().tolist()
    assert starts(path, 3) != starts(path, 4)


def test_an_exported_model_draws_the_same(drawn: Make) -> None:
    """Its scores are the same to six digits, and the seed does the rest."""
    pytest.importorskip("onnxscript")
    pytest.importorskip("onnxruntime")
    from schedlab.rl.onnx_export import export_onnx

    path = drawn(1, environment=PICK, train={"network": [16, 8]})
    export_onnx(read_model(path), path.with_suffix(".onnx"))
    assert starts(path.with_suffix(".onnx"), 5) == starts(path, 5)


def test_the_name_says_the_seed(drawn: Make) -> None:
    """Results record how a schedule came about, so the name has the seed."""
    path = drawn()
    chosen = find_policy(f"learned:{path}:sample=7")
    assert chosen.name == f"learned:{path}:sample=7"
    both = find_policy(f"learned:{path}:predict=last-two,sample=7")
    assert both.name == f"learned:{path}:sample=7,predict=last-two"


def test_a_folder_may_have_an_equals_sign(drawn: Make) -> None:
    """Parameters come after the file."""
    path = drawn()
    folder = path.parent / "rate=0.1"
    folder.mkdir()
    moved = path.rename(folder / "model.zip")
    assert find_policy(f"learned:{moved}:sample=1").name == f"learned:{moved}:sample=1"


@pytest.mark.parametrize("seed", ["x", "-1", "0.5", ""])
def test_a_seed_is_a_whole_number(seed: str, drawn: Make) -> None:
    """Other values are refused; their meaning is not guessed."""
    with pytest.raises(ParameterError, match=r"sample is .*; must be an integer >= 0"):
        find_policy(f"learned:{drawn()}:sample={seed}")
