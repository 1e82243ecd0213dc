"""The environments are what Gymnasium expects: one by one, and as a vector."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import _schedlab_gymnasium

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from schedlab.policies.learned.settings import MODES, OBSERVATIONS, REWARDS
from schedlab.rl import GanttEnv, GanttVectorEnv, QueueEnv, QueueVectorEnv
from schedlab.rl.gantt.settings import OBSERVATIONS as GRID_OBSERVATIONS
from schedlab.rl.vector_env import NativeVectorEnv
from schedlab.testing.instances import crowd

ROOT = Path(__file__).parents[2]
SMALL: dict[str, Any] = {"nodes": 16, "visible_jobs": 5, "max_steps": 40}


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_and_observation_pass_gymnasium_s_check(mode: str, observation: str) -> None:
    """Warnings count as failures: spaces, seeds, copies, rendering and closing are as expected."""
    pytest.importorskip("matplotlib")
    rules: dict[str, Any] = {**SMALL, "mode": mode, "observation": observation}
    env = gymnasium.make("schedlab/Queue-v0", workload=crowd(count=12), jobs=None, **rules)
    check_env(env.unwrapped)


@pytest.mark.parametrize("reward", REWARDS)
def test_raw_numbers_and_every_reward_pass_too(reward: str) -> None:
    """Without scaling, only the type bounds the numbers."""
    rules: dict[str, Any] = {**SMALL, "reward": reward, "scaled": False, "mode": "order"}
    env = gymnasium.make("schedlab/Queue-v0", workload=crowd(count=12), jobs=None, **rules)
    check_env(env.unwrapped, skip_render_check=True)


def test_the_default_is_the_paper_s_proposal() -> None:
    """256 nodes, 100 visible jobs, WL1 jobs that differ from episode to episode."""
    env = gymnasium.make("schedlab/Queue-v0")
    assert env.observation_space.shape == (812,)
    assert env.action_space == gymnasium.spaces.Discrete(101)
    env.reset(seed=1)
    queue = env.unwrapped
    assert isinstance(queue, QueueEnv)
    first = queue.batch.workload[0]
    env.reset()
    second = queue.batch.workload[0]
    assert first is not None
    assert len(first) == 1000
    assert first != second


def test_the_paper_s_baseline_sees_456_numbers() -> None:
    """256 nodes and twice 100 jobs: no estimates."""
    env = gymnasium.make("schedlab/Queue-v0", observation="baseline")
    assert env.observation_space.shape == (456,)


def test_a_seed_gives_the_same_episodes_again() -> None:
    """This holds for the episode that begins with the seed and for those that follow."""
    env = QueueEnv(crowd(count=60), 12, **SMALL)
    episodes = []
    for _ in range(2):
        env.reset(seed=5)
        first = env.batch.workload[0]
        env.reset()
        episodes.append((first, env.batch.workload[0]))
    assert episodes[0] == episodes[1]
    env.reset(seed=6)
    assert env.batch.workload[0] != episodes[0][0]


def test_make_vec_gives_the_native_batch() -> None:
    """This works with and without a ``vectorization_mode``."""
    for mode in (None, "vector_entry_point"):
        env = gymnasium.make_vec(
            "schedlab/Queue-v0", 3, vectorization_mode=mode, workload=crowd(), jobs=12, **SMALL
        )
        assert isinstance(env, QueueVectorEnv)
        assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        observation, info = env.reset(seed=1)
        assert observation.shape == (3, 2 * 16 + 3 * 5)
        assert env.observation_space.contains(observation)
        assert info["waiting"].shape == info["_waiting"].shape == (3,)
        assert set(info["free_nodes"]) == {16}


def assert_same(one: Any, other: Any) -> None:
    """Check that two vector environments return the same, at every depth."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key, value in one.items():
            assert_same(value, other[key])
    elif isinstance(one, tuple):
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    elif one.dtype == object:
        for left, right in zip(one, other, strict=True):
            np.testing.assert_array_equal(left, right)
    else:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def assert_same_play(native: NativeVectorEnv[Any], single: Callable[[], gymnasium.Env]) -> None:
    """Check that the batch does what Gymnasium's vector of single environments does."""
    plain = SyncVectorEnv([single] * native.num_envs, autoreset_mode=AutoresetMode.SAME_STEP)
    assert_same(native.reset(seed=7), plain.reset(seed=7))
    random, ended = np.random.default_rng(7), 0
    for _ in range(150):
        masks = native.action_masks()
        assert_same(masks, np.stack(plain.call("action_masks")))
        wished = np.where(masks, random.random(masks.shape), -1).argmax(axis=1)
        outcome = native.step(wished)
        assert_same(outcome, plain.step(wished))
        ended += "final_info" in outcome[-1]
    assert ended > 3


@pytest.mark.parametrize("mode", MODES)
def test_the_vector_is_gymnasium_s_own_of_single_environments(mode: str) -> None:
    """Observations, rewards, ends, infos, ``final_obs`` and ``final_info`` are equal, masks too."""
    native = QueueVectorEnv(3, crowd(count=60), 12, mode=mode, threads=2, **SMALL)
    assert_same_play(native, lambda: QueueEnv(crowd(count=60), 12, mode=mode, **SMALL))


@pytest.mark.parametrize("observation", GRID_OBSERVATIONS)
def test_the_vector_of_grids_is_too(observation: str) -> None:
    """The jobs that the core draws are the same, too."""
    rules: dict[str, Any] = {"observation": observation, "units": 8, "load": 1.5}
    assert_same_play(GanttVectorEnv(5, threads=2, **rules), lambda: GanttEnv(**rules))


def test_some_of_the_vector_can_begin_anew() -> None:
    """Gymnasium's ``reset_mask`` restarts some environments; the others continue."""
    native = QueueVectorEnv(3, crowd(count=60), 12, **SMALL)
    native.reset(seed=7)
    before = native.step([0, 0, 0])[0]
    after, _ = native.reset(options={"reset_mask": np.array([True, False, True])})
    assert (before != after).any(axis=1).tolist() == [True, False, True]


def test_what_the_vector_returns_is_the_caller_s() -> None:
    """If copies are declined, the next step writes into the same arrays."""
    for copy in (True, False):
        env = QueueVectorEnv(2, crowd(count=60), 12, copy=copy, **SMALL)
        before, _ = env.reset(seed=1)
        kept = before.copy()
        env.step([0, 0])
        assert np.array_equal(before, kept) is copy


def test_gymnasium_s_statistics_see_whole_episodes() -> None:
    """Its wrapper counts the same steps as the environment."""
    env = RecordEpisodeStatistics(QueueVectorEnv(2, crowd(count=60), 12, **SMALL))
    env.reset(seed=1)
    seen = 0
    for _ in range(120):
        info = env.step(np.zeros(2, np.int64))[-1]
        if "episode" in info:
            which = info["_episode"]
            steps = info["final_info"]["steps"][which]
            assert info["episode"]["l"][which].tolist() == steps.tolist()
            seen += len(steps)
    assert seen > 2


@pytest.mark.parametrize("name", ["schedlab/Queue-v0", "schedlab/Gantt-v0"])
def test_a_name_with_its_module_needs_no_import(name: str) -> None:
    """Gymnasium has no entry points for environments; it imports the module before the colon."""
    code = f"import gymnasium; print(gymnasium.make('schedlab.rl:{name}').reset(seed=1)[0].shape)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("(")


def test_gymnasium_knows_the_environments_by_itself() -> None:
    """Importing Gymnasium is enough, and imports nothing of schedlab."""
    program = (
        "import _schedlab_gymnasium, sys, gymnasium\n"  # a .pth file imports the first
        "assert not any(name.startswith('schedlab') for name in sys.modules)\n"
        "assert type(gymnasium.__spec__.loader).__name__ == 'SourceFileLoader'\n"
        "for name in ('schedlab/Queue-v0', 'schedlab/Gantt-v0'):\n"
        "    gymnasium.make(name).reset(seed=1)\n"
        "    print(gymnasium.make_vec(name, 2).num_envs)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("2\n2\n", 0), done.stderr


def test_python_starts_with_what_tells_gymnasium() -> None:
    """The ``.pth`` file that is installed beside the package imports the module."""
    installed = ROOT / "src" / "schedlab-gymnasium.pth"
    assert installed.read_text().strip() == f"import {_schedlab_gymnasium.__name__}"
    assert set(_schedlab_gymnasium.ENVIRONMENTS) == {"schedlab/Queue-v0", "schedlab/Gantt-v0"}
