"""How fast the learning environments step, and what they cost while a network learns."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.table import Row

if TYPE_CHECKING:
    from schedlab.rl.sb3_env import NativeVecEnv
    from schedlab.rl.vector_env import NativeVectorEnv

BATCH, STEPS, REPEATS = 64, 1_500, 3
LEARNING_ENVS, LEARNING_STEPS = 8, 8_192


def environments() -> list[Row]:
    """Measure Takizawa's Proposal and Casagrande's grid; nothing if the extra is not installed."""
    try:
        import gymnasium  # noqa: F401
        import stable_baselines3  # noqa: F401
    except ModuleNotFoundError:
        return []
    return [*batch_rates(), single_rate(), *learning()]


def sensible(masks: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int64]:
    """Return for each environment one of the actions that make sense."""
    chosen: NDArray[np.int64] = np.where(masks, random.random(masks.shape), -1).argmax(axis=1)
    return chosen


def batch_rates() -> list[Row]:
    """Measure the native batches, with new episodes but without the choice of actions."""
    from schedlab.rl import GanttVectorEnv, QueueVectorEnv

    rows = []
    for name, make, target in (
        ("Queue-v0", QueueVectorEnv, 200_000.0),
        ("Gantt-v0", GanttVectorEnv, 300_000.0),
    ):
        for threads in (1, 2):
            env = make(BATCH, threads=threads, copy=False)
            rate = max(batch_rate(env) for _ in range(REPEATS))
            called = f"{name}, batch of {BATCH}, {threads} thread{'s' * (threads > 1)}"
            rows.append(Row(called, rate, "steps/s", target if threads == 1 else None))
    return rows


def batch_rate(env: NativeVectorEnv[Any]) -> float:
    """Return the steps of all environments per second."""
    env.reset(seed=1)
    random, took = np.random.default_rng(1), 0.0
    for _ in range(STEPS):
        actions = sensible(env.action_masks(), random)
        began = time.perf_counter()
        env.step(actions)
        took += time.perf_counter() - began
    return BATCH * STEPS / took


def single_rate() -> Row:
    """Measure one environment through Gymnasium's interface."""
    import gymnasium

    from schedlab.rl import QueueEnv

    env, random, best = gymnasium.make("schedlab/Queue-v0"), np.random.default_rng(1), 0.0
    queue = env.unwrapped
    assert isinstance(queue, QueueEnv)
    for _ in range(REPEATS):
        env.reset(seed=1)
        steps, took, ended = 0, 0.0, False
        while not ended:
            action = sensible(queue.action_masks()[None], random)[0]
            began = time.perf_counter()
            _, _, terminated, truncated, _ = env.step(action)
            took += time.perf_counter() - began
            ended, steps = terminated or truncated, steps + 1
        best = max(best, steps / took)
    return Row("Queue-v0, one environment through Gymnasium", best, "steps/s", 30_000.0)


def learning() -> list[Row]:
    """Measure SB3's PPO with the paper's NN1 on one core, and the environments' share of it."""
    import torch
    from stable_baselines3 import PPO

    from schedlab.rl import GeneratedEpisodes, QueueBatch, QueueSettings
    from schedlab.rl.sb3_env import NativeVecEnv

    torch.set_num_threads(1)
    batch = QueueBatch(
        QueueSettings(estimate="actual"), GeneratedEpisodes("wl1", 1000), LEARNING_ENVS, threads=1
    )
    env = NativeVecEnv(batch)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=512,
        batch_size=512,
        n_epochs=4,
        policy_kwargs={"net_arch": [1024, 512, 256]},
        device="cpu",
        seed=1,
    )
    stepping = Stopwatch(env)
    began = time.perf_counter()
    model.learn(LEARNING_STEPS)
    took = time.perf_counter() - began
    return [
        Row("SB3 PPO, NN1, 8 environments, one core", LEARNING_STEPS / took, "steps/s"),
        Row("  the environments' share of its time", 100 * stepping.took_s / took, "%", 5.0),
    ]


class Stopwatch:
    """Adds up the time of an environment's steps."""

    def __init__(self, env: NativeVecEnv[Any]) -> None:
        self.took_s, self._step = 0.0, env.step_wait
        env.step_wait = self.step_wait  # type: ignore[method-assign]

    def step_wait(self) -> Any:
        """Step the environment, and add the time that it takes."""
        began = time.perf_counter()
        try:
            return self._step()
        finally:
            self.took_s += time.perf_counter() - began
