"""Training on Gantt-v0: interrupted or not, it gives the same model, which the grid can use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from torch import nn

from schedlab import simulate
from schedlab.errors import InputError, ParameterError, PolicyError, WorkloadError
from schedlab.experiments.tuning.config import read_tuning
from schedlab.policies.learned.agent import Actions, Masks, Observations, SamplingAgent
from schedlab.rl import GanttBatch, GanttSettings
from schedlab.rl.agent import evaluate
from schedlab.rl.gantt import find_rule, schedule_by
from schedlab.rl.gantt.env import grid_episodes
from schedlab.rl.model_file import read_model
from schedlab.rl.onnx_export import export_onnx
from schedlab.rl.sampled_runs import sampled_schedules
from schedlab.rl.train import train
from schedlab.rl.training_config import TrainingConfig, training_config
from schedlab.testing.instances import jobs
from schedlab.workload import write_workload
from schedlab.workload.generators import Bernoulli

TINY: Mapping[str, Mapping[str, Any]] = {
    "environment": {"id": "schedlab/Gantt-v0", "observation": "flat", "max_steps": 300},
    "episodes": {"load": [0.7, 1.9], "units": 10},
    "train": {
        "algorithm": "ppo",
        "network": [20],
        "activation": "relu",
        "envs": 3,
        "steps": 192,
    },
    "ppo": {"n_steps": 16, "batch_size": 24, "n_epochs": 2, "gamma": 1.0},
    "evaluation": {"episodes": 2, "every": 96, "sampled": True},
}
TRAININGS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "ppo": {},
    "shared trunk": {"train": {"shared_trunk": True}},
    "maskable-ppo": {
        "train": {"algorithm": "maskable-ppo"},
        "environment": {"observation": "vector"},
    },
    "lean, annealed": {
        "train": {"engine": "gpu", "device": "cpu"},
        "ppo": {"learning_rate": 1e-3, "anneal": True},
    },
    "kernel with a teacher": {
        "environment": {"observation": "vector"},
        "clone": {"teacher": "sjf+ahead", "decisions": 50, "epochs": 1},
        "train": {"network": "kernel", "activation": None},
    },
    "a2c": {"train": {"algorithm": "a2c"}, "a2c": {"n_steps": 16, "gamma": 1.0}},
    "acer": {
        "train": {"algorithm": "acer"},
        "acer": {"n_steps": 16, "gamma": 1.0, "buffer_size": 144, "replay_start": 48},
    },
}

FIVE = jobs((0, 10, 3, 3), (0, 8, 4, 4), (0, 2, 1, 1), (1, 2, 1, 1), (2, 7, 2, 2))
Interrupt = Callable[[TrainingConfig, Path, int], None]


def tiny(**changes: Mapping[str, Any]) -> TrainingConfig:
    """Return a short training; the arguments go into its sections."""
    sections = {
        name: {**TINY.get(name, {}), **changes.get(name, {})} for name in {**TINY, **changes}
    }
    if "ppo" not in sections["train"]["algorithm"]:
        del sections["ppo"]
    return training_config(sections)


@pytest.mark.parametrize("which", TRAININGS)
def test_an_interrupted_training_ends_with_the_same_file(
    which: str, tmp_path: Path, interrupt: Interrupt
) -> None:
    """Every byte is the same: parameters, results and their description."""
    config = tiny(**TRAININGS[which])
    straight = train(config, tmp_path / "straight")
    interrupt(config, tmp_path / "interrupted", 70)
    resumed = train(config, tmp_path / "interrupted", resume=True)
    assert resumed.model.read_bytes() == straight.model.read_bytes()
    assert (tmp_path / "straight" / "best.zip").exists()


def test_a_checkpoint_of_the_queue_is_not_gone_on_from(
    tmp_path: Path, small_training: Callable[..., TrainingConfig]
) -> None:
    """The environment is part of the training."""
    train(small_training(train={"steps": 48}), tmp_path)
    with pytest.raises(InputError, match=r"was trained with \[environment\] id = None, not 'sched"):
        train(tiny(), tmp_path, resume=True)


def test_jobs_of_a_file_are_played_in_every_episode(tmp_path: Path) -> None:
    """The paper trains on one workload like this; it is looked for beside the training file."""
    write_workload(FIVE, tmp_path / "five.swf")
    file = {"workload": "five.swf", "load": None, "units": None}
    config = replace(tiny(episodes=file), folder=tmp_path)
    batch = GanttBatch(GanttSettings(), config.open_episodes()[0], 1, threads=1)
    batch.reset(0)
    assert batch.workload(0)["run_s"].tolist() == FIVE["run_s"].tolist()


def test_a_generator_with_units_means_jobs_that_the_core_draws() -> None:
    """It means the same as its load."""
    by_name, by_load = (
        grid_episodes(10, "bernoulli:load=1.3", units=50),
        grid_episodes(10, load=1.3, units=50),
    )
    assert by_name == by_load
    with pytest.raises(ParameterError, match='units is for jobs of "bernoulli"'):
        grid_episodes(10, "lublin:nodes=8", units=50)


def test_the_model_decides_as_its_network_did_in_training(tmp_path: Path) -> None:
    """The model file gives the same evaluation again."""
    config = tiny(evaluation={"sampled": False})
    trained = train(config, tmp_path)
    model = read_model(trained.model)
    again = evaluate(
        model.agent(), model.config.environment, config.open_episodes()[1], 2, seed=1_000_000
    )
    assert again == {key: trained.results[key] for key in again}
    assert isinstance(model.agent().policy.mlp_extractor.policy_net[1], nn.ReLU)


def test_sampled_runs_are_those_of_a_sampling_agent(tmp_path: Path) -> None:
    """Runs come one after the other, each with its own seed."""
    path = train(tiny(), tmp_path).model
    model = read_model(path)
    settings = model.config.require_grid(10)
    found = [each.start_s.tolist() for each in sampled_schedules(path, FIVE, 10, 2)]
    agents = (SamplingAgent(model.agent(), seed) for seed in range(2))
    assert found == [schedule_by(each, FIVE, settings).start_s.tolist() for each in agents]


def test_what_takes_a_model_of_the_queue_says_so(tmp_path: Path) -> None:
    """A grid's agent reserves ahead, which the simulator does not know."""
    path = train(tiny(), tmp_path).model
    sentence = "model.zip: was trained for schedlab/Gantt-v0; this takes a model for schedlab/Que"
    with pytest.raises(InputError, match=sentence):
        simulate(FIVE, 10, f"learned:{path}")
    with pytest.raises(InputError, match="was trained for schedlab/Gantt-v0"):
        export_onnx(read_model(path), tmp_path / "model.onnx")
    with pytest.raises(InputError, match="was trained for 10 resources; the machine has 16"):
        read_model(path).config.require_grid(16)


MISTAKES: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "both": ({"workload": "five.swf"}, "load is for generated jobs; omit it or the workload"),
    "seed": ({"seed": 1}, "seed in [episodes] is not for id ="),
    "jobs": ({"jobs": 3}, "jobs is for jobs of a workload"),
    "no load": ({"load": []}, "loads is empty"),
    "absent": ({"workload": "absent.swf", "load": None, "units": None}, "absent.swf: no such file"),
}


@pytest.mark.parametrize("which", MISTAKES)
def test_mistakes_in_the_episodes_are_named(which: str, tmp_path: Path) -> None:
    """The error comes before anything is trained."""
    episodes, sentence = MISTAKES[which]
    with pytest.raises((InputError, ParameterError)) as caught:
        train(replace(tiny(episodes=episodes), folder=tmp_path), tmp_path / "out")
    assert sentence in str(caught.value)


def test_the_queue_has_no_loads(small_training: Callable[..., TrainingConfig]) -> None:
    """A key that nothing reads is a mistake."""
    with pytest.raises(ParameterError, match=r'load in \[episodes\] is for id = "schedlab/Gantt'):
        small_training(episodes={"load": 1.0}).open_episodes()


def test_jobs_that_the_chart_cannot_hold_are_named(tmp_path: Path) -> None:
    """The error is about the first of them."""
    write_workload(jobs((0, 1, 30, 30)), tmp_path / "long.swf")
    file = {"workload": "long.swf", "load": None, "units": None}
    config = replace(tiny(episodes=file), folder=tmp_path)
    with pytest.raises(WorkloadError, match="requests 30 time units but the window has 20"):
        train(config, tmp_path / "out")


def test_a_tuning_has_the_parameters_and_scores_of_the_grid(tmp_path: Path) -> None:
    """Parameters and scores of the queue are refused."""
    (tmp_path / "grid.toml").write_text(
        '[environment]\nid = "schedlab/Gantt-v0"\nobservation = "flat"\n'
    )
    tune = '[tune]\ntraining = "grid.toml"\nscore = "{}"\n[space.environment]\n{}\n'
    path = tmp_path / "tune.toml"
    path.write_text(tune.format("mean_slowdown", "slots = [5, 10]"))
    assert read_tuning(path).config({"slots": 5}).require_grid(10).slots == 5
    path.write_text(tune.format("mean_slowdown", "visible_jobs = [5, 10]"))
    with pytest.raises(InputError, match=r'\[space.environment\] "visible_jobs"'):
        read_tuning(path)
    path.write_text(tune.format("utilisation", "slots = [5, 10]"))
    with pytest.raises(InputError, match='score of this environment: "utilisation"'):
        read_tuning(path)


class Idle:
    """An agent that only lets time pass."""

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return the last action."""
        return np.full(len(mask), mask.shape[1] - 1)


def test_an_agent_that_only_waits_is_not_asked_for_ever() -> None:
    """A workload may still take more steps than an episode."""
    few = GanttSettings(max_steps=50)
    with pytest.raises(PolicyError, match="placed no job in 50 steps"):
        schedule_by(Idle(), FIVE, few)
    long = Bernoulli(1.0).generate_units(200, seed=1)
    settings = replace(few, observation="vector")
    assert (schedule_by(find_rule("sjf", settings), long, settings).start_s >= 0).all()
