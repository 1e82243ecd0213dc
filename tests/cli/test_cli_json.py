"""The output of --json matches the schemas in docs/formats/commands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import typer
from jsonschema import Draft202012Validator
from tests.cli.conftest import TEN_JOBS
from tests.cli.test_cli_reference import COMMANDS
from tests.command_schemas import DOCS, check_json, schema
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.cli.reference import schema_of

SLURM_CONF = "ClusterName=c\nNodeName=n1 CPUs=8\nPartitionName=batch Nodes=ALL Default=YES\n"
HEADER = (
    "JobID|State|User|Partition|Submit|Eligible|Start|End|TimelimitRaw|ReqTRES|AllocTRES|NodeList"
)
BEGIN_S = 1_793_260_800
SACCT = "\n".join(
    [
        HEADER,
        *(
            f"{number}|COMPLETED|ann|batch|{BEGIN_S + 30 * number}|{BEGIN_S + 30 * number}|"
            f"{BEGIN_S + 61 * number}|{BEGIN_S + 61 * number + 60}|10|cpu=8,node=1|cpu=8,node=1|n1"
            for number in range(1, 41)
        ),
        "",
    ]
)
"""Forty jobs of a minute that run one after the other, but are submitted twice as fast."""
EXPERIMENT = """
[experiment]
name = "small"
policies = ["fcfs", "easy"]
metrics = ["wait"]
seeds = [1, 2]

[[workload]]
name = "lublin"
generate = "lublin:nodes=32"
jobs = 50
nodes = 32
"""
TUNING = """
[tune]
training = "training.toml"
score = "mean_bounded_slowdown"
runs = 1

[space.ppo]
n_steps = [8, 16]
"""
PLATFORM = "".join(
    f'[[cluster]]\nname = "c{number}"\n[[cluster.nodes]]\ncount = 64\n' for number in range(1, 5)
)

DATED = """; UnixStartTime: 1272639895
; TimeZoneString: Asia/Tokyo
; MaxNodes: 4
1 0   0 100 2 -1 -1 2 100 -1 1 1 1 -1 -1 -1 -1 -1
2 1 200  95 4 -1 -1 4 100 -1 1 2 1 -1 -1 -1 -1 -1
3 2   8  90 2 -1 -1 2  90 -1 1 1 1 -1 -1 -1 -1 -1
"""
BUSY = "--workload lublin:nodes=4 --jobs-per-episode 20 --transform interarrival=0.01"

RUNS = (
    "version",
    "policies",
    "demo --out {new}",
    "demo history --out {new}",
    "simulate {trace} --policy easy",
    "simulate {trace} --policy fcfs --policy easy --no-past --by user --metric wait",
    "simulate multi-cluster --jobs 30 --platform {platform} --policy coalloc:solver=wd",
    "simulate lublin:nodes=8 --jobs 50 --policy easy --failures up=2d,repair=1h --preempt srpt",
    "audit {schedule} --policy easy",
    "audit {schedule} --policy sjf",
    "analyse {trace}",
    "analyse {dated}",
    "analyse lublin:nodes=8 --jobs 100",
    "predict {trace} --predictor last-two --predictor request",
    "predict {trace} --predictor nearest-quantiles --by user --levels 0.1,0.9 --elapsed 1s",
    "forecast {dated} --at 50s --forks 2 --moments 1",
    "forecast lublin:nodes=8 --jobs 200 --at 1d --forks 3 --moments 2",
    "forecast lublin:nodes=8 --jobs 200 --score --forks 3 --moments 3",
    "workload info {trace}",
    "workload info {dated}",
    "workload info lublin:nodes=8 --jobs 20",
    "workload convert {trace} {new}.csv",
    "workload generate wl1 --jobs 5 --out {new}.swf",
    "workload transform {trace} {new}.swf --transform head=3",
    "workload catalog",
    "experiment list",
    "experiment run {experiment} --out {run} --workers 1",
    "experiment report {run}",
    "incentive users shared --jobs 300 --policy easy",
    "incentive honesty {trace} --policy easy --users 1 --min-jobs 1 --workers 1",
    "coalloc generate --jobs 4 --out {new}.toml",
    "coalloc show {problem}",
    "coalloc solve {problem} --solver greedy",
    "coalloc solve {problem} --solver dpop",
    "coalloc compare {problem} --solver greedy --solver dpop",
    "learn train {training} --out {model}",
    "learn evolve lublin:nodes=16 --metric wait --out {new}.toml --jobs-per-episode 20 "
    "--generations 1 --population 4 --episodes 1 --pool 2 --test 2 --threads 1",
    "learn tune {tuning} --out {new} --workers 1",
    "learn explain {model}/model.zip {busy} --episodes 2 --states 5",
    "learn explain {model}/model.zip {busy} --episodes 2 --states 5 --error-sweep",
    "learn export {model}/model.zip --out {new}.onnx",
    "slurm import {dump} --out {new}",
    "slurm fidelity {site} --phases 2",
    "slurm what-if {site} --set bf_interval=5 --phases 2",
    "slurm what-if {site} --policy easy --phases 2",
    "slurm forecast {site} --at 300s --forks 2 --moments 1",
    "slurm tune {site} --out {new} --generations 1 --phases 1 --parameter bf_interval",
    "live rehearse {site} --policy saf --every 30s --phases 2",
    "history doctor --site {history}/site.toml --at 2026-01-06",
    "history ingest --site {history}/site.toml",
    "history status --site {history}/site.toml",
    "history alerts --site {history}/site.toml",
    "history report --site {history}/site.toml --period month --date 2026-01-07",
    "history show --site {history}/site.toml --limit 5",
    "history export {new}.jsonl --site {history}/site.toml",
    "history export {new}.json --site {history}/site.toml --release spring --key {key}",
    "history validate {history}/jobs.jsonl",
    "history archive --site {history}/site.toml --before 2026-02-01",
    'history query "SELECT count(*) AS jobs FROM archived_jobs" --site {history}/site.toml',
    "history user list --site {history}/site.toml",
    "history token list --site {history}/site.toml",
)
"""Commands in an order in which each finds what it needs; ``{new}`` is a new name each time."""


SETTING_UP = (
    "simulate lublin:nodes=8 --jobs 60 --policy easy --out {schedule}",
    "coalloc generate --jobs 6 --out {problem}",
    "slurm import {dump} --out {site}",
    "demo history --out {history}",
    "history user add eve --single-sign-on --site {history}/site.toml",
    "history token add hook --scope ingest --site {history}/site.toml",
)


def with_json() -> Iterator[str]:
    """Yield every command that prints JSON."""
    whole: Any = typer.main.get_command(app)
    for path in COMMANDS:
        found = whole
        for name in path:
            found = found.commands[name]
        if any("--json" in each.opts for each in found.params):
            yield " ".join(path)


@pytest.mark.parametrize("command", list(with_json()))
def test_every_json_has_a_schema(command: str) -> None:
    """The schema is valid, and its title names the command."""
    found = schema(command)
    Draft202012Validator.check_schema(found)
    assert found["title"] == f"schedlab {command} --json"


def test_every_schema_has_a_command() -> None:
    """A command that is renamed takes its schema along."""
    wanted = {Path(schema_of(command)).name for command in with_json()}
    assert {each.name for each in (DOCS / "formats" / "commands").glob("*.json")} == wanted


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The values for the names in the commands, with the files needed before the first command."""
    folder = tmp_path_factory.mktemp("json")
    texts = {
        "experiment": EXPERIMENT,
        "platform": PLATFORM,
        "training": (TEN_JOBS.parent / "small_training.toml").read_text(),
        "tuning": TUNING,
    }
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    (folder / "dated.swf").write_text(DATED)
    (folder / "dump").mkdir()
    (folder / "dump" / "slurm.conf").write_text(SLURM_CONF)
    (folder / "dump" / "sacct.txt").write_text(SACCT)
    key = folder / "key"
    key.touch(mode=0o600)
    key.write_text("k" * 64)
    others = ("dump", "history", "key", "model", "run", "site")
    found: dict[str, object] = {
        **{name: folder / f"{name}.toml" for name in (*texts, "problem")},
        **{name: folder / name for name in others},
        "schedule": folder / "schedule.csv",
        "trace": TEN_JOBS,
        "dated": folder / "dated.swf",
        "busy": BUSY,
        "new": folder / "new",
    }
    for line in SETTING_UP:
        done = CliRunner().invoke(app, line.format(**found).split())
        assert done.exit_code == 0, done.stderr
    site = folder / "history" / "site.toml"
    site.write_text(f'{site.read_text()}\n[archive]\nfolder = "kept"\n')
    return found


@pytest.mark.slow
def test_what_is_printed_is_as_the_schemas_say(words: dict[str, object]) -> None:
    """Every key is in the schema, has the type given there, and is present if it is required."""
    number, commands = count(), list(with_json())
    for line in RUNS:
        new = f"{words['new']}-{next(number)}"
        arguments = shlex.split(line.format(**{**words, "new": new}))
        done = CliRunner().invoke(app, [*arguments, "--json"])
        assert done.exit_code in (0, 1), f"{line}: {done.stderr}"
        command = max((each for each in commands if line.startswith(each)), key=len)
        check_json(command, json.loads(done.stdout))
