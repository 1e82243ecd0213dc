"""Models that an experiment trains itself and runs beside the other policies."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from schedlab import simulate
from schedlab.errors import InputError, ParameterError
from schedlab.experiments import (
    Experiment,
    LocalEngine,
    Task,
    TaskOutcome,
    read_experiment,
    results,
    run_experiment,
    summary,
)
from schedlab.experiments.engine import run_task
from schedlab.experiments.grid import grid
from schedlab.experiments.model_training import training_configs
from schedlab.experiments.tuning.training_task import TrainingTask
from schedlab.metrics import METRICS
from schedlab.rl.model_file import read_model
from schedlab.rl.train import train
from schedlab.rl.training_env import TrainingEnv
from schedlab.workload import apply, generate, read_workload

pytestmark = [
    pytest.mark.slow,
    # Held-out jobs may ask for more time than any job of the training.
    pytest.mark.filterwarnings("ignore::schedlab.errors.OutsideTrainingWarning"),
]

EXPERIMENT = """
[experiment]
name = "little"
tick = 60
depth = 10
policies = ["fcfs"]
metrics = ["utilisation"]
seeds = [1, 2]

[[workload]]
name = "small"
generate = "lublin:nodes=4"
jobs = 20
nodes = 4

[[variant]]
name = "a"
transforms = ["head=10"]

[[variant]]
name = "b"
transforms = ["tail=10"]

[[model]]
name = "Little"
training = "train/little.toml"
on = ["*/a"]
sampled = 2

[published]
file = "expected.csv"
"""
PUBLISHED = "variant,policy,utilisation\nb,fcfs,0.5\nb,Little from small/a (sampled),0.6\n"
TRAINING = """
[environment]
nodes = 4
visible_jobs = 4
max_steps = 200

[train]
algorithm = "maskable-ppo"
network = [8]
envs = 2
steps = 64

[ppo]
n_steps = 16
batch_size = 16
n_epochs = 2

[evaluation]
episodes = 1
"""
TABLES = ("results.csv", "summary.csv", "report.md")

Describe = Callable[..., Experiment]


class Counting:
    """An engine that computes here; it is interrupted after ``limit`` tasks."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit, self.trained, self.simulated = limit, 0, 0

    def run(self, tasks: Sequence[Task]) -> Generator[TaskOutcome, None, None]:
        """Run the tasks one after the other."""
        for task in tasks:
            if self.trained + self.simulated == self.limit:
                raise KeyboardInterrupt
            self.trained += isinstance(task, TrainingTask)
            self.simulated += not isinstance(task, TrainingTask)
            yield run_task(task)


@pytest.fixture
def described(tmp_path: Path) -> Describe:
    """A function that replaces texts in the files of the experiment and the training."""

    def describe(*pairs: tuple[str, str]) -> Experiment:
        texts = {"little.toml": EXPERIMENT, "train/little.toml": TRAINING}
        for old, new in pairs:
            assert any(old in text for text in texts.values())
            texts = {name: text.replace(old, new) for name, text in texts.items()}
        (tmp_path / "train").mkdir(exist_ok=True)
        for name, text in {**texts, "expected.csv": PUBLISHED}.items():
            (tmp_path / name).write_text(text)
        return read_experiment(tmp_path / "little.toml")

    return describe


def run(experiment: Experiment, folder: Path, engine: Any = None, **options: Any) -> Any:
    """Run the experiment with its models."""
    return run_experiment(experiment, folder, engine=engine or Counting(), models=True, **options)


def models(folder: Path) -> dict[int, Path]:
    """Return the models of a run by the seeds of their trainings."""
    found = (folder / "models").glob("*/model.zip")
    return {read_model(path).config.train.seed: path for path in found}


def tables(folder: Path) -> dict[str, bytes]:
    """Return the files that the run wrote."""
    return {name: (folder / name).read_bytes() for name in TABLES}


def test_models_are_policies_of_the_grid(described: Describe, tmp_path: Path) -> None:
    """Each is trained on the jobs of one cell and simulated on all cells of the same seed."""
    out = tmp_path / "out"
    done = run(described(), out)
    assert (done.cells, done.finished, done.trained, done.failures) == (12, 12, 2, {})
    jobs = {seed: generate("lublin:nodes=4", 20, seed=seed) for seed in (1, 2)}
    found = {
        (row["variant"], row["policy"], row["seed"]): row["utilisation"]
        for row in results(out).to_dicts()
    }
    for seed, path in models(out).items():
        learnt_from = out / "workloads" / str(read_model(path).config.episodes.workload)
        assert read_workload(learnt_from)["run_s"].tolist() == jobs[seed]["run_s"][:10].tolist()
        tail = apply(jobs[seed], ["tail=10"], seed=seed)
        by_hand = [
            METRICS["utilisation"].value(
                simulate(tail, 4, f"learned:{path}:predict=actual{how}", tick=60)
            )
            for how in ("", ",sample=0", ",sample=1")
        ]
        assert found["b", "Little from small/a", seed] == by_hand[0]
        assert found["b", "Little from small/a (sampled)", seed] == fmean(by_hand[1:])


def test_a_model_is_tested_on_what_its_section_says(described: Describe, tmp_path: Path) -> None:
    """It is also tested on what it was trained on, but not on other forms of the same jobs."""
    experiment = described(
        ('name = "b"', 'name = "c"\ntransforms = ["head=9"]\n\n[[variant]]\nname = "b"'),
        ("sampled = 2", 'sampled = 2\ntested_on = ["*/b"]'),
    )
    run(experiment, tmp_path / "out")
    learnt = results(tmp_path / "out").filter(policy="Little from small/a")
    assert sorted(set(learnt["variant"])) == ["a", "b"]


def test_each_model_has_a_table_of_its_own(described: Describe, tmp_path: Path) -> None:
    """Its columns are the training jobs, with the published figures in brackets."""
    run(described(), tmp_path / "out")
    report = (tmp_path / "out" / "report.md").read_text()
    assert "## utilisation, Little: trained on\n\n| variant | small/a |" in report
    table = report.partition("## utilisation, Little, sampled: trained on")[2]
    assert "(0.600) |" in table.partition("###")[0]
    assert "torch" in report
    [row] = summary(tmp_path / "out").filter(theirs=0.6).to_dicts()
    assert (row["policy"], row["seeds"]) == ("Little from small/a (sampled)", 2)


def test_models_are_left_out_unless_asked_for(described: Describe, tmp_path: Path) -> None:
    """A user who cannot train gets the other policies at once."""
    engine = Counting()
    done = run_experiment(described(), tmp_path / "out", engine=engine)
    assert (done.cells, done.finished, engine.trained) == (4, 4, 0)


def test_who_does_not_train_needs_nothing_that_trains(described: Describe, tmp_path: Path) -> None:
    """Neither Gymnasium nor torch is imported, so they need not be installed."""
    described()
    code = (
        "import sys\n"
        "from schedlab.experiments import LocalEngine, read_experiment, run_experiment\n"
        "run_experiment(read_experiment('little.toml'), 'out', engine=LocalEngine(1))\n"
        "sys.exit(bool({'gymnasium', 'torch'} & sys.modules.keys()))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0


def test_nothing_is_trained_twice(described: Describe, tmp_path: Path) -> None:
    """A cell that is computed again needs no training, nor do cells that are added."""
    out, engine = tmp_path / "out", Counting()
    run(described(), out)
    done = run(described(), out, engine)
    assert (done.computed, engine.trained) == (0, 0)
    more = run(described(('"fcfs"', '"fcfs", "easy"'), ("tail=10", "tail=9")), out, engine)
    assert (more.computed, more.trained, engine.trained) == (10, 0, 0)


def test_models_that_no_cell_needs_are_not_trained(described: Describe, tmp_path: Path) -> None:
    """Only the cells that are selected count."""
    done = run(described(), tmp_path / "out", only="seed 2")
    assert (done.cells, done.trained) == (6, 1)
    assert models(tmp_path / "out").keys() == {2}


@pytest.mark.parametrize("limit", [1, 7])
def test_an_interrupted_run_is_taken_up(limit: int, described: Describe, tmp_path: Path) -> None:
    """The interruption may come during training or after, and the folder may be moved."""
    with pytest.raises(KeyboardInterrupt):
        run(described(), tmp_path / "before", Counting(limit=limit))
    (tmp_path / "before").rename(tmp_path / "after")
    rest = Counting()
    run(described(), tmp_path / "after", rest)
    assert rest.trained + rest.simulated == 14 - limit
    run(described(), tmp_path / "whole")
    assert tables(tmp_path / "after") == tables(tmp_path / "whole")


def test_an_interrupted_training_goes_on(
    described: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It continues from its checkpoint, to the same model as without the interruption."""
    out, step_wait, steps = tmp_path / "out", TrainingEnv.step_wait, []

    def stopped(env: TrainingEnv) -> Any:
        steps.append(1)
        if len(steps) == 20:
            raise KeyboardInterrupt
        return step_wait(env)

    monkeypatch.setattr(TrainingEnv, "step_wait", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(described(), out)
    assert models(out) == {}
    assert len(list((out / "models").glob("*/checkpoint.zip"))) == 1
    run(described(), out)
    for path in models(out).values():
        config = replace(read_model(path).config, folder=out / "workloads")
        assert train(config, tmp_path / path.parent.name).model.read_bytes() == path.read_bytes()


def test_a_failed_training_is_told_and_the_rest_goes_on(
    described: Describe, tmp_path: Path
) -> None:
    """Cells without a model are not tried; they are only missing."""
    absent = ("[train]", '[train]\nengine = "gpu"\ndevice = "cuda:99"')
    done = run(described(absent), tmp_path / "out")
    assert (done.cells, done.finished) == (12, 4)
    assert done.failures.keys() == {f"training Little on small/a/seed {seed}" for seed in (1, 2)}
    assert "cuda:99" in done.failures["training Little on small/a/seed 1"]
    assert "Failed: training Little on small/a/seed 1" in (tmp_path / "out/report.md").read_text()


def test_every_seed_trains_even_where_it_draws_no_jobs(described: Describe, tmp_path: Path) -> None:
    """The same trace gives other models with other seeds; textbook policies are run once."""
    (tmp_path / "four.csv").write_text(
        "job_id,submit_s,nodes,request_s,run_s\n" + "".join(f"{i},0,1,9,9\n" for i in range(1, 5))
    )
    trace = ('generate = "lublin:nodes=4"\njobs = 20', 'file = "four.csv"')
    cells = grid(described(trace))
    assert sum(cell.policy.name == "fcfs" for cell in cells) == 2
    assert {cell.recipe.seed for cell in cells} == {1, 2}


def test_a_model_may_have_few_seeds_and_a_quick_run_few_steps(described: Describe) -> None:
    """Trainings cost more than simulations."""
    experiment = described(("sampled = 2", "seeds = 1\n\n[quick]\nsteps = 32\nseeds = 2"))
    trained = [each for each in grid(experiment) if each.policy.name != "fcfs"]
    assert {each.recipe.seed for each in trained} == {1}
    quick = experiment.reduced()
    assert training_configs(quick, grid(quick))["Little"].train.steps == 32
    assert training_configs(experiment, trained)["Little"].train.steps == 64


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(described: Describe, tmp_path: Path) -> None:
    """Trainings are tasks like any other."""
    for workers in (1, 2):
        run(described(), tmp_path / str(workers), LocalEngine(workers))
    assert tables(tmp_path / "1") == tables(tmp_path / "2")


ON_READING = {
    "unknown workload": ('["*/a"]', '["small/c"]', 'in [[model]] "Little" "small/c"; did you mean'),
    "redraws of nothing": ('on = ["*/a"]', "redraw = true", "redraw needs on, which names what"),
    "steps of nothing": ('on = ["*/a"]', 'steps = {"*/a" = 9}', "steps needs on, which names"),
    "no steps": ("sampled = 2", 'steps = {"*/a" = 0}', "steps has a 0; must be >= 1"),
    "unknown steps": ("sampled = 2", 'steps = {"small/c" = 9}', '"small/c"; did you mean'),
    "no training": ('training = "train/little.toml"', "", "lacks the key training"),
    "depth": ("sampled = 2", "depth = 2", 'key or section of [[model]] "Little" "depth"'),
    "predictor": ("sampled = 2", 'predict = "actuall"', 'did you mean "actual"?'),
    "not tested": ("sampled = 2", 'tested_on = ["*/x"]', "small/b"),
    "no seeds": ("sampled = 2", "seeds = 0", "seeds is 0; must be >= 1"),
}
BEFORE_RUNNING = {
    "no file": ("train/little.toml", "train/absent.toml", "absent.toml: no such file"),
    "no jobs": ('on = ["*/a"]', "", "little.toml: has no [episodes], which [[model]] "),
    "own jobs": ("[train]", "[episodes]\n[train]", "little.toml: has [episodes]; a model of"),
    "tick": ("tick = 60", "tick = 30", "has tick 30, but"),
    "machine": ("visible_jobs", "nodes = 8\nvisible_jobs", "is trained for nodes = 8"),
    "key": ("n_epochs", "epochs", 'did you mean "n_epochs"?'),
}


@pytest.mark.parametrize("what", ON_READING)
def test_a_mistake_in_the_section_is_told(what: str, described: Describe) -> None:
    """The error names the file and the model."""
    old, new, sentence = ON_READING[what]
    with pytest.raises(InputError) as caught:
        described((old, new))
    assert "little.toml: " in str(caught.value)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("what", BEFORE_RUNNING)
def test_a_mistake_in_the_training_is_told_before_anything_runs(
    what: str, described: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trainings take long, so the error must come first."""
    old, new, sentence = BEFORE_RUNNING[what]
    if what == "machine":
        old, new = f"nodes = 4\n{old}", new
    if what == "no jobs":
        monkeypatch.setitem(globals(), "PUBLISHED", "policy,utilisation\nfcfs,0.5\n")
    with pytest.raises((InputError, ParameterError)) as caught:
        run(described((old, new)), tmp_path / "out")
    assert sentence in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_models_must_be_there_to_be_asked_for(described: Describe, tmp_path: Path) -> None:
    """Otherwise ``--models`` would silently do nothing."""
    section = EXPERIMENT[EXPERIMENT.index("[[model]]") : EXPERIMENT.index("[published]")]
    published = ('[published]\nfile = "expected.csv"\n', "")
    with pytest.raises(ParameterError, match=r"little\.toml: has no \[\[model\]\]"):
        run(described((section, ""), published), tmp_path / "out")
