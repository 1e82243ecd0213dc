"""Any number for an option or a parameter gives a right answer or one sentence.

Options come from the command line itself, parameters from the tables, so that new ones are tried,
too. Numbers are huge, negative, fractional or not finite.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.numbers_to_try import any_number, ending
from typer.testing import CliRunner

from schedlab import simulate
from schedlab.audit.feasible import find_violations
from schedlab.cli.app import app
from schedlab.coalloc import SOLVERS, Limits, generate_problem, solve
from schedlab.errors import SchedlabError
from schedlab.metrics import METRICS, compare
from schedlab.metrics.metric import JobMetric
from schedlab.policies.backfills import BACKFILLS
from schedlab.policies.orders import ORDERS
from schedlab.policies.standalone import STANDALONE
from schedlab.predict import PREDICTORS
from schedlab.workload import GENERATORS, apply, generate
from schedlab.workload.transforms import TRANSFORMS

JOBS = apply(
    generate("lublin:nodes=16", 40, seed=1), ["set_request=random:0.5", "load=0.9:16"], seed=1
)
JOBS = JOBS.replace(**{name: [1, 3] * 20 for name in ("user", "partition", "queue", "status")})
DONE = simulate(JOBS, 16, "easy")
PROBLEM = generate_problem(6, seed=1)


def transformed(text: str) -> None:
    """Apply the transform, simulate the result, and check the schedule."""
    assert find_violations(simulate(apply(JOBS, [text]), 16, "easy")) == []


def scheduled(policy: str) -> None:
    """Check that the policy's schedule is feasible."""
    assert find_violations(simulate(JOBS, 16, policy)) == []


def predicted(predictor: str) -> None:
    """Check that a schedule planned with the predictor is feasible."""
    assert find_violations(simulate(JOBS, 16, "easy", predict=predictor)) == []


def measured(metric: str) -> None:
    """Check that the percentile lies between the least and the greatest value."""
    name = metric.partition(":")[0]
    low, value, high = (
        compare([DONE], [text])[text][0]
        for text in (f"{name}:percentile=0", metric, f"{name}:percentile=100")
    )
    assert low <= value <= high or value != value


def generated(text: str) -> None:
    """Check that the generator makes exactly the jobs that it is asked for."""
    assert len(generate(text, 20)) == 20


def solved(solver: str) -> None:
    """Let the solver search for a second."""
    solve(PROBLEM, solver, limits=Limits(time_s=1))


def tables() -> Iterator[tuple[Callable[[str], None], str]]:
    """Yield what to try, and the text in which ``{}`` stands for a number."""
    for transform in TRANSFORMS.values():
        for form in transform.form.split(" or "):
            for found in re.finditer(r"\d+(?:\.\d+)?", form):
                yield transformed, f"{form[: found.start()]}{{}}{form[found.end() :]}"
    policies = {name: order.parameters for name, order in ORDERS.items()}
    policies |= {f"fcfs+{name}": backfill.parameters for name, backfill in BACKFILLS.items()}
    policies |= {name: alone.parameters for name, alone in STANDALONE.items()}
    for tried, table in (
        (scheduled, policies),
        (predicted, {name: each.parameters for name, each in PREDICTORS.items()}),
        (generated, {name: each.parameters for name, each in GENERATORS.items()}),
        (solved, {name: each.parameters for name, each in SOLVERS.items()}),
    ):
        for name, parameters in table.items():
            for key in parameters:
                yield tried, f"{name}:{key}={{}}"
    for name, metric in METRICS.items():
        if isinstance(metric, JobMetric):
            yield measured, f"{name}:percentile={{}}"


@pytest.mark.parametrize(("tried", "template"), list(tables()))
@any_number(8)
def test_any_number_in_a_table(tried: Callable[[str], None], template: str, number: str) -> None:
    """The number is refused in a sentence, or the result is right."""
    with ending(), suppress(SchedlabError):
        tried(template.format(number))


COMMANDS: dict[str, str] = {
    "demo": "--out {new}",
    "simulate": "{trace} --policy easy",
    "audit": "{schedule} --policy easy",
    "analyse": "{trace}",
    "forecast": "{trace} --score --moments 3 --forks 2",
    "predict": "{trace} --policy easy --predictor last-two",
    "serve": "--site {absent}",
    "jobs": "--url http://127.0.0.1:1 --token-file {key}",
    "learn train": "{absent}",
    "learn evolve": "lublin:nodes=16 --metric wait --out {new} --jobs-per-episode 20 "
    "--generations 1 --population 4 --episodes 1 --pool 2 --test 2 --threads 1",
    "learn explain": "{absent}",
    "learn tune": "{absent}",
    "workload info": "{trace}",
    "workload convert": "{trace} {new}.csv",
    "workload generate": "wl1 --jobs 5 --out {new}.swf",
    "workload transform": "{trace} {new}.swf",
    "experiment run": "{absent}",
    "incentive users": "{trace} --policy easy",
    "incentive honesty": "{trace} --policy easy --users 1 --min-jobs 1 --workers 1",
    "coalloc generate": "--jobs 4 --out {new}.toml",
    "coalloc solve": "{problem} --solver greedy",
    "coalloc compare": "{problem} --solver greedy",
    "batsim serve": "--policy easy --endpoint nowhere",
    "slurm fidelity": "{site}",
    "slurm what-if": "{site} --set bf_interval=5",
    "slurm forecast": "{site} --at 5s --forks 2 --moments 1",
    "slurm replay": "{absent} --out {new} --yes",
    "live mirror": "{absent} --looks 1",
    "live advise": "{absent} --policy saf",
    "live shadow": "{absent} --policy saf --looks 1",
    "live steer": "{absent} --policy saf --looks 1 --yes",
    "operate": "{absent}",
    "live rehearse": "{absent} --policy saf",
    "live score": "{absent}",
    "live trial": "{absent} --site {absent} --policy saf --out {new} --yes",
    "slurm tune": "{site} --out {new} --generations 1 --phases 1 --parameter bf_interval",
    "history mirror": "--site {absent} --looks 1",
    "history show": "--store {store}",
    "history export": "{new}.jsonl --store {store} --release r --key {key}",
    "history token add": "name --store {store}",
}
"""How to run commands with numeric options; those that would go on for ever lack a file."""

SLURM_CONF = "NodeName=n1 CPUs=8\nPartitionName=batch Nodes=ALL Default=YES\n"
SACCT = """\
JobID|State|User|Partition|Submit|Eligible|Start|End|TimelimitRaw|ReqTRES|AllocTRES|NodeList
1|COMPLETED|ann|batch|1793260800|1793260800|1793260810|1793260870|10|cpu=2,node=1|cpu=2,node=1|n1
"""


def numeric_options() -> Iterator[tuple[str, str]]:
    """Yield every option of the command line that takes a number."""
    for path, command in commands(typer.main.get_command(app), ()):
        for each in command.params:
            if re.search(r"\b(int|float)\b", str(each.type_descriptor.annotation)):
                yield " ".join(path), each.opts[0]


def commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command that runs, with its name."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, each in command.commands.items():
        yield from commands(each, (*path, name))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function that returns the words of commands; each call gives a new file name."""
    folder = tmp_path_factory.mktemp("any-number")
    key, names = folder / "key", count()
    key.touch(mode=0o600)
    key.write_text("k" * 64)
    words = {
        "trace": Path(__file__).parent / "data" / "ten.swf",
        "schedule": folder / "schedule.csv",
        "problem": folder / "problem.toml",
        "store": folder / "store.db",
        "dump": folder / "dump",
        "site": folder / "site",
        "key": key,
        "absent": folder / "absent",
    }
    words["dump"].mkdir()
    (words["dump"] / "slurm.conf").write_text(SLURM_CONF)
    (words["dump"] / "sacct.txt").write_text(SACCT)
    for line in (
        "slurm import {dump} --out {site}",
        "simulate {trace} --policy easy --out {schedule}",
        "coalloc generate --jobs 6 --out {problem}",
        "history init --store {store}",
    ):
        done = CliRunner().invoke(app, line.format(**words).split())
        assert done.exit_code == 0, done.stderr
    return lambda: {**words, "new": folder / f"new-{next(names)}"}


@pytest.fixture(scope="module")
def small_demo() -> Iterator[None]:
    """A demo of few jobs, in which the effect of a seed shows as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("schedlab.cli.demo.JOBS", 50)
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("small_demo")
@pytest.mark.parametrize(("command", "option"), list(numeric_options()))
@any_number(8)
def test_any_number_as_an_option(files: Any, command: str, option: str, number: str) -> None:
    """A command answers, or exits with 2 and one line; 1 says that it found nothing."""
    words = f"{command} {COMMANDS[command]}".format(**files()).split()
    with ending():
        done = CliRunner().invoke(app, [*words, f"{option}={number}"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1, 2)
    if done.exit_code == 2:
        assert re.fullmatch(r"schedlab: .+\n", done.stderr)
