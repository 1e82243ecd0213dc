"""A learned policy does in the simulator what its agent does in the environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from schedlab import Workload, simulate
from schedlab.errors import OutsideTrainingWarning, ParameterError, PolicyError
from schedlab.policies import find_policy
from schedlab.policies.learned import learned_policy
from schedlab.rl import QueueEnv
from schedlab.rl.model_file import read_model, write_model
from schedlab.testing.instances import crowd, jobs
from schedlab.workload.transforms import head

Make = Callable[..., Any]

MODES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "order": {"environment": {"mode": "order", "reward": "utilisation"}},
    "order+guard": {},
    "guard, no mask": {"train": {"algorithm": "ppo"}},
    "pick": {"environment": {"mode": "pick"}},
    "pick, no mask": {
        "environment": {"mode": "pick", "observation": "proposal", "reward": "terminal"},
        "train": {"algorithm": "ppo", "network": [16, 8]},
    },
    "a prediction": {"environment": {"mode": "pick", "estimate": "last-two", "sim_step_s": 60}},
}


def greedy_starts(path: Path, workload: Workload) -> list[int]:
    """Return the starts of the model's own episode."""
    model = read_model(path)
    agent = model.agent()
    env = QueueEnv(workload, None, **vars(model.settings))
    env.reset()
    ended = False
    while not ended:
        action = agent.choose(env.batch.observation, env.batch.mask)[0]
        _, _, terminated, truncated, _ = env.step(action)
        ended = terminated or truncated
    starts: list[int] = env.batch.played(0)[1].start_times().tolist()
    return starts


@pytest.mark.parametrize("which", MODES)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_schedule_is_the_greedy_episode(
    which: str, seed: int, drawn: Make, scheduled_starts: Make
) -> None:
    """Start by start: the simulator asks the network what the environment would ask.

    A network that picks may leave jobs waiting for ever; then they wait in both.
    """
    path, workload = drawn(seed, **MODES[which]), crowd(count=60)
    assert scheduled_starts(path, workload) == greedy_starts(path, workload)


def test_simulate_runs_it_like_any_other(drawn: Make) -> None:
    """It runs by its name, with a tick and a predictor."""
    path, workload = drawn(environment={"estimate": "actual"}), crowd(count=60)
    schedule = simulate(workload, 16, f"learned:{path}", tick=1, predict="actual")
    assert schedule.start_s.tolist() == greedy_starts(path, workload)


def test_a_policy_can_be_used_twice(drawn: Make) -> None:
    """It forgets the first simulation when the second begins."""
    policy = learned_policy(drawn())
    first, again = (simulate(crowd(count=30), 16, policy) for _ in range(2))
    assert first.start_s.tolist() == again.start_s.tolist()


def test_features_of_jobs_fit_machines_of_any_size(drawn: Make) -> None:
    """The kernel network does not count nodes; a network that sees every node does."""
    with pytest.warns(OutsideTrainingWarning, match="on 16 nodes; the machine has 32"):
        schedule = simulate(crowd(count=30), 32, f"learned:{drawn()}")
    assert (schedule.start_s >= 0).all()
    by_nodes = drawn(1, **MODES["pick, no mask"])
    with pytest.raises(PolicyError, match="was trained for 16 nodes; the machine has 32"):
        simulate(crowd(count=30), 32, f"learned:{by_nodes}")


def test_what_a_network_was_not_trained_on_is_said(drawn: Make) -> None:
    """Its results there may mean little, and do not show this themselves."""
    path = drawn(environment={"sim_step_s": 60, "time_scale_s": 50.0})
    workload = jobs((0, 2, 50, 20), (0, 2, 51, 20), (0, 2, 90, 20))
    with pytest.warns(OutsideTrainingWarning) as told:
        simulate(workload, 4, f"learned:{path}", tick=30)
    assert [str(each.message) for each in told] == [
        f"learned:{path} was trained on 16 nodes; the machine has 4",
        f"learned:{path} was trained with 50 s as the longest request; a job asks for 90 s",
        f"learned:{path} was trained with a tick of 60 s; "
        "it is asked at 30 s, which is no multiple of it",
    ]
    simulate(head(workload, 1), 16, f"learned:{path}", tick=60)  # warnings are errors


def test_a_network_that_starts_nothing_is_not_asked_for_ever(drawn: Make, tmp_path: Path) -> None:
    """It would wait for an event that never comes; the error says which jobs are waiting."""
    model = read_model(drawn(environment={"mode": "pick", "max_steps": 50}))
    only_wait = {name: np.zeros_like(each) for name, each in model.parameters.items()}
    only_wait["mlp_extractor.wait_score.4.bias"] += 1
    path = tmp_path / "lazy.zip"
    write_model(path, replace(model, parameters=only_wait))
    with pytest.raises(PolicyError, match="jobs waiting for ever"):
        simulate(crowd(count=10), 16, f"learned:{path}")


def test_the_name_says_file_and_predictor(drawn: Make) -> None:
    """Results record where a schedule came from; a network takes no depth."""
    path = drawn()
    assert find_policy(f"learned:{path}").name == f"learned:{path}"
    predicted = find_policy(f"learned:{path}:predict=last-two")
    assert predicted.name == f"learned:{path}:predict=last-two"
    with pytest.raises(ParameterError, match="takes no backfill or depth"):
        find_policy(f"learned:{path}", depth=10)


def test_threads_change_nothing(drawn: Make) -> None:
    """Scores are equal to the last bit for any number of threads, and torch keeps its threads."""
    import torch

    agent = read_model(
        drawn(1, train={"network": "nn1"}, environment={"mode": "pick", "observation": "proposal"})
    ).agent()
    shape = agent.policy.observation_space.shape or ()
    seen, scores = np.random.default_rng(1).random((1, *shape), dtype=np.float32), []
    threads = torch.get_num_threads()
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            scores.append(agent.scores(seen).tolist())
            assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(threads)
    assert scores[0] == scores[1]
