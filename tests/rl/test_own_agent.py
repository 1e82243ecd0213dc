"""A user's own agent is a policy: a model of Stable-Baselines3, or any function."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from typer.testing import CliRunner

from schedlab import Workload, simulate
from schedlab.cli.app import app
from schedlab.errors import InputError, ParameterError, PolicyError
from schedlab.policies import View, find_policy
from schedlab.rl import (
    QueueBatch,
    QueueEnv,
    QueueSettings,
    QueueVectorEnv,
    as_policy,
    save_settings,
)
from schedlab.rl.sb3_env import NativeVecEnv
from schedlab.testing.instances import crowd
from schedlab.workload.episodes import FixedEpisode
from schedlab.workload.writers import write_workload

RULES: Mapping[str, Any] = {"nodes": 16, "visible_jobs": 5, "sim_step_s": 1, "doubling": False}
ORDER: Mapping[str, Any] = {**RULES, "mode": "order+guard", "observation": "jobs"}


def env_of(**rules: Any) -> QueueEnv:
    """Return an environment of a small machine with forty jobs, the same in each episode."""
    return QueueEnv(crowd(), None, **{**ORDER, **rules})


def first(observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> int:
    """Pick the first job that makes sense, which is EASY."""
    return int(np.argmax(mask))


def played(env: QueueEnv, choose: Any) -> list[int]:
    """Return the starts of an episode in which ``choose`` gets observation and mask."""
    observation, _ = env.reset()
    ended = False
    while not ended:
        observation, _, terminated, truncated, _ = env.step(choose(observation, env.action_masks()))
        ended = terminated or truncated
    found: list[int] = env.schedule().start_s.tolist()
    return found


def starts(policy: Any, workload: Workload | None = None) -> list[int]:
    """Return the starts of a simulation."""
    found: list[int] = simulate(workload or crowd(), 16, policy, tick=1).start_s.tolist()
    return found


def test_a_function_is_a_policy() -> None:
    """The first sensible job is EASY's; a function of the observation alone is enough."""
    assert starts(as_policy(first, env_of())) == starts("easy")

    def by_features(observation: NDArray[np.float32]) -> int:
        jobs = observation[:50].reshape(5, 10)
        allowed = np.flatnonzero(jobs[:, 9])
        return int(allowed[np.argmin(jobs[allowed, 1])]) if len(allowed) else 5

    assert starts(as_policy(by_features, env_of())) == played(
        env_of(), lambda seen, _: by_features(seen)
    )
    assert starts(as_policy(by_features, env_of())) != starts("easy")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (6, "the agent chose action 6; must be from 0 to 5"),
        (-1, "the agent chose action -1; must be from 0 to 5"),
        (0.5, "the agent answered 0.5; must be the number of an action"),
        ([0, 1], r"the agent answered an array of shape \(2,\); must be"),
    ],
)
def test_a_wrong_answer_is_told(answer: Any, sentence: str) -> None:
    """The error is one sentence, and no job starts."""
    with pytest.raises(PolicyError, match=sentence):
        starts(as_policy(lambda seen: answer, env_of()))


ALGORITHMS = {
    "ppo": (PPO, {"n_steps": 8, "batch_size": 8}),
    "a2c": (A2C, {}),
    "dqn": (DQN, {"buffer_size": 100}),
    "maskable": (MaskablePPO, {"n_steps": 8, "batch_size": 8}),
}


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("mode", ["pick", "order+guard"])
def test_a_saved_model_decides_as_in_its_environment(name: str, mode: str, tmp_path: Path) -> None:
    """It is the file that ``model.save()`` writes, with the settings beside it."""
    make, settings = ALGORITHMS[name]
    env = env_of(mode=mode)
    model = make("MlpPolicy", env, seed=3, device="cpu", **settings)
    model.save(tmp_path / "mine.zip")
    save_settings(tmp_path / "mine.toml", env)
    masked = name == "maskable" or mode != "pick"
    agent = as_policy(model, env)._agent

    def choose(observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> int:
        if name == "maskable":
            return int(model.predict(observation, action_masks=mask, deterministic=True)[0])
        if not masked:
            return int(model.predict(observation, deterministic=True)[0])
        return int(agent.choose(observation[None], mask[None].astype(np.uint8))[0])

    expected = played(env_of(mode=mode), choose)
    if min(expected) >= 0:  # an untrained network without a mask may start nothing
        assert starts(f"learned:{tmp_path}/mine.zip") == expected
        assert starts(as_policy(model, env)) == expected
    else:
        with pytest.raises(PolicyError, match="wait"):
            starts(f"learned:{tmp_path}/mine.zip")
    assert find_policy(f"learned:{tmp_path}/mine.zip:sample=1").name.endswith("sample=1")


def test_settings_are_found_in_wrappers_and_vectors(tmp_path: Path) -> None:
    """After training, users have the environment in one of these forms."""
    env = env_of()
    batch = QueueBatch(QueueSettings(**ORDER), FixedEpisode(crowd()), 2, threads=1)
    given = (
        gymnasium.make("schedlab.rl:schedlab/Queue-v0", workload=crowd(), jobs=None, **ORDER),
        DummyVecEnv([env_of]),
        VecNormalize(NativeVecEnv(batch)),
        QueueVectorEnv(2, crowd(), None, threads=1, **ORDER),
        env.settings,
    )
    save_settings(tmp_path / "alone.toml", env)
    for each in given:
        save_settings(tmp_path / "mine.toml", each)
        assert (tmp_path / "mine.toml").read_text() == (tmp_path / "alone.toml").read_text()
    with pytest.raises(ParameterError, match="there is no schedlab/Queue-v0 in the environment"):
        save_settings(tmp_path / "mine.toml", gymnasium.make("CartPole-v1"))


OWN = '''
"""An environment and an agent of one's own."""
import numpy as np
from gymnasium.spaces import Box
from schedlab.rl import QueueEnv


class Widths(QueueEnv):
    """Shows the nodes of the first jobs and the free ones; pays for jobs that wait."""

    def __init__(self, *given, **rules):
        super().__init__(*given, **rules)
        self.observation_space = Box(0, np.inf, (6,), np.float32)

    def observe(self, view, numbers):
        shown = np.zeros(6, np.float32)
        nodes = view.queue.nodes[:5]
        shown[: len(nodes)] = nodes
        shown[5] = view.free_nodes
        return shown

    def reward(self, before, info, given):
        return -before["waiting"] * (info["time_s"] - before["time_s"]) / 3600


def narrowest(seen):
    """Pick the narrowest job."""
    waiting = np.flatnonzero(seen[:5])
    return int(waiting[np.argmin(seen[waiting])]) if len(waiting) else 5
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A module in the current folder."""
    (tmp_path / "own_env.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    import own_env  # type: ignore[import-not-found]

    yield own_env
    del sys.modules["own_env"]


def test_an_environment_of_ones_own(own: Any, tmp_path: Path) -> None:
    """A subclass has other observations and rewards; its agent is still a policy."""
    rules = {**ORDER, "mode": "order"}
    env = own.Widths(crowd(), None, **rules)
    observation, info = env.reset()
    assert env.observation_space.contains(observation)
    assert observation.tolist() == [*crowd()["nodes"][:1], 0, 0, 0, 0, 16]
    paid, ended, before = 0.0, False, info
    while not ended:
        observation, reward, ended, _, info = env.step(own.narrowest(observation))
        assert reward == -before["waiting"] * (info["time_s"] - before["time_s"]) / 3600
        paid, before = paid + reward, info
    assert paid < -1
    expected = env.schedule().start_s.tolist()
    assert starts(as_policy(own.narrowest, env)) == expected
    save_settings(tmp_path / "own.toml", env, call="own_env:narrowest")
    assert starts("learned:own.toml") == expected
    PPO("MlpPolicy", env, n_steps=8, batch_size=8, device="cpu").save("own.zip")
    save_settings(tmp_path / "own.toml", env)
    assert min(starts("learned:own.zip")) >= 0


def test_an_environment_in_no_module_cannot_be_named(tmp_path: Path) -> None:
    """A program that reads the file could not make the environment."""

    class Hidden(QueueEnv):
        def observe(self, view: View, numbers: NDArray[np.float32]) -> Any:
            return numbers[:1]

    with pytest.raises(ParameterError, match="is in no module that others can import"):
        save_settings(tmp_path / "mine.toml", Hidden(crowd(), None, **ORDER))


def refused(*arguments: str) -> str:
    """Return the only line on stderr of a command that ends with exit code 2."""
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 2, done.output
    return " ".join(done.stderr.split())


def test_a_network_for_another_observation_is_refused(tmp_path: Path) -> None:
    """The error is one sentence, with exit code 2."""
    write_workload(crowd(), tmp_path / "jobs.swf")
    PPO("MlpPolicy", env_of(), n_steps=8, batch_size=8, device="cpu").save(tmp_path / "mine.zip")
    save_settings(tmp_path / "mine.toml", env_of(visible_jobs=7))
    command = ("simulate", str(tmp_path / "jobs.swf"), "--nodes", "16", "--policy")
    told = refused(*command, f"learned:{tmp_path}/mine.zip")
    assert "its network takes 65 numbers and has 6 actions; " in told
    assert "the environment shows 85 numbers and has 8" in told
    (tmp_path / "mine.toml").unlink()
    assert "write the environment's settings beside it" in refused(
        *command, f"learned:{tmp_path}/mine.zip"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[agent]\ncall = 'a:b'\n", "there is no section [environment]"),
        ("[environment]\nnodes = 4\n", "[environment] lacks the key time_scale_s"),
        ("[environment]\nscaled = false\n", "[agent] must say either call or model"),
        ("[environment]\nscaled = false\n[agent]\ncall = 'no_such_module:f'\n", "No module named"),
        ("[environment]\nscaled = false\n[agent]\ncall = 'math:pi'\n", "must be a function"),
        ("[environment]\nscaled = false\n[agent]\nmodel = 'no.zip'\n", "no.zip: no such file"),
        ("[environment]\nscaled = false\nid = 'math:sqrt'\n", "has no observe()"),
        ("[environment]\nscaled = false\nid = 'Queue'\n", 'must be "schedlab/Queue-v0" or'),
        ("[environment]\nscaled = false\nwidth = 3\n", "unknown key or section"),
    ],
)
def test_a_file_that_does_not_say_enough(text: str, sentence: str, tmp_path: Path) -> None:
    """The error names what is missing."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises((InputError, ParameterError)) as raised:
        find_policy(f"learned:{path}")
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_only_networks_draw_actions(tmp_path: Path) -> None:
    """A function has no probabilities."""
    path = tmp_path / "mine.toml"
    path.write_text("[environment]\nscaled = false\n[agent]\ncall = 'math:floor'\n")
    with pytest.raises(ParameterError, match="is a function, whose actions cannot be drawn"):
        find_policy(f"learned:{path}:sample=1")


def test_a_trace_brings_its_own_machine() -> None:
    """A trace's header and a model give the nodes; otherwise the user must."""
    assert QueueEnv("lublin:nodes=32", 10).settings.nodes == 32
    assert QueueEnv("lublin:nodes=32", 10, nodes=64).settings.nodes == 64
    assert QueueVectorEnv(2, "lublin:nodes=32", 10, threads=1).batch.settings.nodes == 32
    ten = Path(__file__).parents[1] / "data" / "ten.swf"
    assert QueueEnv(ten, None).settings.nodes == QueueEnv(str(ten), 3).settings.nodes == 338
    with pytest.raises(ParameterError, match='"crowd" does not say how large its machine is'):
        QueueEnv(crowd(), None)


def test_the_estimate_is_the_request() -> None:
    """This is the default everywhere else, too."""
    assert QueueSettings().estimate == "request"
