"""The paper on a small grid: its figures, its models and its pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from schedlab.errors import InputError, ParameterError, PolicyError
from schedlab.experiments import (
    Experiment,
    LocalEngine,
    find_experiment,
    read_experiment,
    results,
    run_experiment,
    summary,
)
from schedlab.experiments.grid import grid
from schedlab.experiments.model_training import training_configs
from schedlab.experiments.other_simulators import GRID_RULES
from schedlab.experiments.plan import make_plan, untrained
from schedlab.experiments.run_folder import RunFolder
from schedlab.rl.gantt import RULES, find_rule, schedule_by
from schedlab.rl.model_file import read_model
from schedlab.sim import Schedule
from schedlab.workload import apply, generate, read_workload

DETERMINISTIC = ("EASY", "SJF", "Tetris", "Packer")

EXPERIMENT = """
[experiment]
name = "little"
policies = [{ name = "EASY", policy = "batsim:easy_bf" }, "gantt:sjf", "gantt:random"]
metrics = ["slowdown"]
seeds = [1, 2]

[[workload]]
name = "given"
file = "three.csv"
nodes = 10

[[workload]]
name = "drawn"
generate = "bernoulli:load=1.3"
jobs = 30
transforms = ["pauses=10s:50s"]
nodes = 10

[[model]]
name = "Same"
training = "same.toml"
on = ["given/*"]
tested_on = []
sampled = 2
seeds = 1
steps = { "given/*" = 48 }

[[model]]
name = "Other"
training = "other.toml"
on = ["drawn/*"]
redraw = true
tested_on = []
sampled = 1

[[model]]
name = "Any"
training = "other.toml"
tested_on = ["drawn/*"]
sampled = 1

[[picture]]
name = "over-workloads"
title = "Slowdowns"
metric = "slowdown"
on = ["*"]
lines = ["EASY", "Same (sampled)", "Other (sampled)", "Any (sampled)"]

[[picture]]
name = "curves"
of = "learning"
metric = "slowdown"
on = ["given/*"]
lines = ["EASY", "Same (sampled)"]
"""
TRAINING = """
[environment]
id = "schedlab/Gantt-v0"
observation = "flat"
max_steps = 300

[train]
network = [8]
activation = "relu"
envs = 2
steps = 64

[ppo]
n_steps = 24
batch_size = 16
n_epochs = 1

[evaluation]
episodes = 1
sampled = true
"""
JOBS = "job_id,submit_s,nodes,request_s,run_s\n1,0,6,3,3\n2,0,6,2,2\n3,1,4,1,1\n"

Describe = Callable[..., Experiment]


@pytest.fixture
def described(tmp_path: Path) -> Describe:
    """A function that replaces texts in the little experiment's file and reads it."""

    def describe(*pairs: tuple[str, str]) -> Experiment:
        text = EXPERIMENT
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        for name, content in {
            "little.toml": text,
            "same.toml": TRAINING,
            "other.toml": f"[episodes]\nunits = 10\n{TRAINING}",
            "three.csv": JOBS,
        }.items():
            (tmp_path / name).write_text(content)
        return read_experiment(tmp_path / "little.toml")

    return describe


def mean_slowdown(schedule: Schedule) -> float:
    """Return the mean over all jobs of time in the system over run time."""
    return float(((schedule.wait_s + schedule.ran_s) / schedule.ran_s).mean())


def test_the_rules_are_those_of_the_grid() -> None:
    """They are named twice, so that an experiment can be read where Gymnasium is not installed."""
    assert set(GRID_RULES) == set(RULES)


def test_the_authors_figures_of_deterministic_policies_are_equal(
    shared_data: Path, tmp_path: Path
) -> None:
    """They are equal in every published digit, even in the quick form."""
    quick = read_experiment(find_experiment("grid-rl")).reduced()
    run_experiment(quick, tmp_path, data=shared_data / "grid", engine=LocalEngine(1), only="load ")
    rows = summary(tmp_path).filter(metric="slowdown").to_dicts()
    found = [row for row in rows if row["policy"] in DETERMINISTIC]
    assert len(found) == 4 * 7
    assert [round(row["ours"], 2) for row in found] == [row["theirs"] for row in found]


@pytest.mark.slow
def test_ppo_passes_easy_at_load_100(shared_data: Path, tmp_path: Path) -> None:
    """``--quick`` trains 400,000 steps; the paper says PPO passes EASY within 250,000."""
    quick = read_experiment(find_experiment("grid-rl")).reduced()
    run_experiment(
        quick,
        tmp_path,
        data=shared_data / "grid",
        engine=LocalEngine(1),
        only="load 100/",
        models=True,
    )
    found = {row["policy"]: row["slowdown"] for row in results(tmp_path).to_dicts()}
    assert found["PPO from load 100/original (sampled)"] < found["EASY"]
    assert (tmp_path / "figure-2.svg").exists()


def run(experiment: Experiment, folder: Path, **options: Any) -> Any:
    """Run the experiment with its models; greedy ones may wait for ever, sampled ones do not."""
    return run_experiment(experiment, folder, engine=LocalEngine(1), models=True, **options)


@pytest.mark.slow
def test_models_of_the_grid_are_policies_of_the_experiment(
    described: Describe, tmp_path: Path
) -> None:
    """They learn from given jobs, from redrawn ones, or from episodes of their training file."""
    done = run(described(), tmp_path / "out", only="sampled")
    assert (done.cells, done.finished, done.failures) == (5, 5, {})
    configs = {
        (path.parent.name, read_model(path).config)
        for path in (tmp_path / "out").rglob("model.zip")
    }
    learnt = sorted((c.episodes.workload or "", c.train.steps, c.train.seed) for _, c in configs)
    (given,) = (each for each in learnt if each[0].endswith(".parquet"))
    assert given[1:] == (48, 1)
    learnt.remove(given)
    assert learnt == [
        ("", 64, 1),
        ("", 64, 2),
        ("bernoulli:load=1.3", 64, 1),
        ("bernoulli:load=1.3", 64, 2),
    ]
    names = {(row["workload"], row["policy"]) for row in results(tmp_path / "out").to_dicts()}
    assert names == {
        ("given", "Same from given/original (sampled)"),
        ("drawn", "Other from drawn/original (sampled)"),
        ("drawn", "Any (sampled)"),
    }


def test_the_longest_training_comes_first(described: Describe, tmp_path: Path) -> None:
    """If it started last, one worker would be busy while all others had nothing to do."""
    experiment = described()
    plan = make_plan(experiment, grid(experiment), {}, RunFolder(tmp_path / "out"))
    steps = [task.config.train.steps for task in untrained(plan.cells)]
    assert steps == [64, 64, 64, 64, 48]


def test_models_of_the_grid_may_have_a_teacher() -> None:
    """The teacher is a rule, which needs no file beside the training file."""
    configs = training_configs(read_experiment(find_experiment("grid-rl")), [])
    assert configs["PPO, tuned, redrawn"].clone.teacher == "sjf+ahead"


def test_rules_are_run_on_the_grid_and_chance_with_every_seed(
    described: Describe, tmp_path: Path
) -> None:
    """On given jobs the other rules do the same with every seed."""
    experiment = described()
    counts = [cell.policy.name for cell in grid(experiment) if cell.recipe.workload.file]
    assert (counts.count("gantt:random"), counts.count("gantt:sjf")) == (2, 1)
    run_experiment(experiment, tmp_path / "out", engine=LocalEngine(1))
    jobs = apply(generate("bernoulli:load=1.3", 30, seed=2), ["pauses=10s:50s"])
    by_hand = schedule_by(find_rule("random", seed=2), jobs)
    rows = results(tmp_path / "out").filter(workload="drawn", policy="gantt:random", seed=2)
    assert rows["slowdown"].to_list() == pytest.approx([mean_slowdown(by_hand)])


@pytest.mark.slow
def test_a_trained_model_is_a_policy_by_its_file(described: Describe, tmp_path: Path) -> None:
    """The file is found beside the experiment; a model that would wait for ever is an error."""
    run(described(), tmp_path / "out", only="Same from*sampled")
    (model,) = (tmp_path / "out").rglob("model.zip")
    model.rename(tmp_path / "mine.zip")
    experiment = described(('"gantt:sjf"', '{ name = "mine", policy = "gantt:mine.zip" }'))
    done = run_experiment(experiment, tmp_path / "again", engine=LocalEngine(1), only="given/*mine")
    found = [row["slowdown"] for row in results(tmp_path / "again").to_dicts()]
    found += list(done.failures.values())
    trained, jobs = read_model(tmp_path / "mine.zip"), read_workload(tmp_path / "three.csv")
    try:
        by_hand: float | str = mean_slowdown(
            schedule_by(trained.agent(), jobs, trained.config.require_grid(10))
        )
    except PolicyError as error:
        by_hand = str(error)
    assert found == [by_hand]


@pytest.mark.slow
def test_pictures_are_drawn_beside_the_report(described: Describe, tmp_path: Path) -> None:
    """Only pictures that have something to show are drawn."""
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    run(described(), out, only="sampled")
    assert (out / "over-workloads.svg").exists()
    assert "![Slowdowns](over-workloads.svg)" in (out / "report.md").read_text()
    assert "data:image/svg+xml;base64," in (out / "report.html").read_text()
    assert ">Same<" in (out / "curves.svg").read_text()
    few = tmp_path / "few"
    run_experiment(described(), few, engine=LocalEngine(1), only="given/*EASY")
    assert [path.name for path in few.glob("*.svg")] == ["over-workloads.svg"]


@pytest.mark.slow
def test_a_quick_run_trains_some_models_only(described: Describe, tmp_path: Path) -> None:
    """It trains the models that ``[quick]`` names."""
    quick = '[quick]\nmodels = ["Any (*"]\nsteps = 48\n[[model]]\nname = "Same"'
    done = run(described(('[[model]]\nname = "Same"', quick)).reduced(), tmp_path / "out")
    assert done.trained == 1
    assert done.cells == 3 + 3 + 1


ON_READING = {
    "rule": ("gantt:sjf", "gantt:sfj", 'unknown policy "gantt:sfj"; did you mean "gantt:sjf"?'),
    "batsim": ("batsim:easy_bf", "batsim:easy", 'did you mean "batsim:easy_bf"?'),
    "depth": ('"gantt:sjf"', '{ policy = "gantt:sjf", depth = 3 }', "takes no tick, depth or"),
    "metric": ('"*"]\n', '"*"]\n#', "lacks the key lines"),
    "line": ('["EASY", "Same (sampled)"]', '["Sam"]', 'did you mean "Same"?'),
    "kind": ('of = "learning"', 'of = "learn"', 'did you mean "learning"?'),
    "name": ('name = "curves"', 'name = "a/b"', "must be letters, digits, - and _"),
    "nothing": ('["EASY", "Same (sampled)"]', "[]", "on and lines must not be empty"),
}


@pytest.mark.parametrize("what", ON_READING)
def test_a_mistake_is_told_on_reading(what: str, described: Describe) -> None:
    """The error names the file and what is wrong."""
    old, new, sentence = ON_READING[what]
    with pytest.raises(InputError) as caught:
        described((old, new))
    assert "little.toml: " in str(caught.value)
    assert sentence in str(caught.value)


def test_an_unknown_metric_of_a_picture_is_told(described: Describe) -> None:
    """It must be one that the experiment computes."""
    with pytest.raises(InputError, match=r'unknown metric in \[\[picture\]\] "curves" "slowdwn"'):
        described(('of = "learning"\nmetric = "slowdown"', 'of = "learning"\nmetric = "slowdwn"'))


def test_only_generators_can_be_redrawn(described: Describe, tmp_path: Path) -> None:
    """A file always has the same jobs."""
    experiment = described(('on = ["drawn/*"]', 'on = ["given/*"]'))
    with pytest.raises(ParameterError, match='has redraw, which needs a generator; workload "give'):
        run(experiment, tmp_path / "out")
