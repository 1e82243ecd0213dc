"""Any number in a file gives a right answer or one sentence, never anything else.

The files are those that we ship as examples, and one of each kind with every key that takes a
number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from tests.numbers_to_try import any_number, ending, number_of
from typer.testing import CliRunner

from schedlab import simulate
from schedlab.audit.feasible import find_violations
from schedlab.cli.app import app
from schedlab.errors import SchedlabError
from schedlab.experiments.config import read_experiment
from schedlab.history.alerts_section import AlertsSection
from schedlab.history.efficiency_section import EfficiencySection
from schedlab.history.factors import CarbonSection, CostSection
from schedlab.history.notify.section import MailSection
from schedlab.history.reports_section import ReportsSection
from schedlab.history.service_section import ServiceSection
from schedlab.history.site import read_site
from schedlab.history.storage_sections import ArchiveSection, StoreSection
from schedlab.platform import draw_failures, keep_apart, read_platform
from schedlab.rl.training_config import read_training
from schedlab.workload import Workload

ROOT = Path(__file__).parents[1]

MACHINE = """
[[cluster]]
name = "c"
[[cluster.nodes]]
count = 2
cores = 4
memory = "8 GiB"
gpus = { a100 = 2 }
gpu_memory = "40 GiB"
resources = { fpga = 1 }
peak_flop_per_s = 1e12
memory_byte_per_s = 1e11
power = { idle_w = 100, busy_w = 200 }
weight = 3
[[cluster.nodes]]
hosts = "n[01-02]"
cores = 8
[[cluster.partition]]
name = "main"
nodes = "[0-3]"
default = true
default_time = 60
max_time = "2h"
priority_tier = 2
min_nodes = 1
max_nodes = 4
memory_per_core = "1 GiB"
[[cluster.outage]]
begin = 100
end = 200
nodes = "0"
[[cluster.drain]]
begin = 300
end = 400
[[cluster.reservation]]
begin = 500
end = 600
users = ["ada"]
[[consumable]]
name = "matlab"
capacity = 2
[[consumable.step]]
at = 10
capacity = 1
"""
JOBS = Workload(
    {
        "job_id": [1, 2, 3],
        "submit_s": [0, 5, 10],
        "nodes": [1, 2, 1],
        "request_s": [60, 60, 60],
        "run_s": [50, 60, 10],
        "cores_per_node": [2, 4, 1],
        "partition": [0, 0, 1],
        "wait_s": [0, 0, 0],
    },
    header={"MaxNodes": ["4"]},
)


def platform(path: Path) -> None:
    """Read the machine, and check a simulation on it."""
    read = read_platform(path)
    jobs = Workload({name: JOBS[name] for name in JOBS.columns if name != "partition"})
    assert find_violations(simulate(jobs, read, "easy")) == []


SECTIONS: dict[str, type] = {
    "efficiency": EfficiencySection,
    "carbon": CarbonSection,
    "archive": ArchiveSection,
    "store": StoreSection,
    "service": ServiceSection,
    "service.alerts": AlertsSection,
    "service.cost": CostSection,
    "service.mail": MailSection,
    "service.reports": ReportsSection,
}


REQUIRED = {
    "service.mail": 'server = "localhost"\nsender = "ops@example.org"\n',
    "service.reports": 'folder = "reports"\n',
}


def site_text() -> Iterator[str]:
    """Yield a site file for each number that its sections take."""
    for name, section in SECTIONS.items():
        for each in fields(section):
            if re.search(r"\b(int|float)\b", str(each.type)):
                yield f'[site]\nname = "s"\n[{name}]\n{REQUIRED.get(name, "")}{each.name} = 1\n'


TEXTS: list[tuple[Callable[[Path], Any], str, str]] = [
    (platform, "machine", MACHINE),
    *((read_site, "site", text) for text in site_text()),
    *(
        (reader, str(path.relative_to(ROOT)), path.read_text())
        for reader, pattern in (
            (read_platform, "examples/*.toml"),
            (read_site, "examples/sites/*/site.toml"),
            (read_training, "examples/train/small.toml"),
            (read_training, "examples/train/acer.toml"),
            (read_experiment, "experiments/classic/*.toml"),
        )
        for path in sorted(ROOT.glob(pattern))
    ),
]
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\.py)")


def places() -> Iterator[Any]:
    """Yield every number in every file, with the function that reads it."""
    for reader, name, text in TEXTS:
        for found in NUMBER.finditer(text):
            line_start = text.rfind("\n", 0, found.start()) + 1
            line = text[line_start : text.find("\n", found.end())]
            if not line.startswith("#") and "sha256" not in line:
                yield pytest.param(reader, text, found.span(), id=f"{name}: {line.strip()[:40]}")


@pytest.mark.parametrize(("reader", "text", "span"), list(places()))
@any_number(4, "5e-324")
def test_any_number_in_a_file(
    tmp_path: Path, reader: Callable[[Path], Any], text: str, span: tuple[int, int], number: str
) -> None:
    """The number is refused in a sentence, or accepted."""
    path = tmp_path / "file.toml"
    path.write_text(text[: span[0]] + number + text[span[1] :])
    with ending(), suppress(SchedlabError):
        reader(path)


TEXT_OPTIONS = [
    "simulate {trace} --policy easy --partitions 1={number}",
    "simulate {trace} --policy easy --partitions 1=2,2={number}",
    "compare {trace} --policy easy --metric wait:percentile={number}",
    "analyse {trace} --min-run {number}",
    "analyse {trace} --min-run {number}h",
    "workload info {jobs} --rename cores=cores*{number}",
    "coalloc solve {problem} --solver greedy --time-limit {number}s",
    "coalloc solve {problem} --solver greedy --memory {number}GB",
    "history alerts --site {site} --at {number}",
    "history report --site {site} --date {number}",
    "history show --site {site} --from {number}",
    "serve --site {site} --host {number} --port 1",
]
ALERTS = ("source_lag_h", "coverage", "idle_gpu_h", "queue_factor", "queue_least")


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files that the options need."""
    folder = tmp_path_factory.mktemp("texts")
    found = {
        "trace": ROOT / "tests" / "data" / "ten.swf",
        "jobs": folder / "jobs.csv",
        "problem": folder / "problem.toml",
        "site": folder / "site.toml",
    }
    found["jobs"].write_text("job_id,submit_s,nodes,request_s,run_s,cores\n1,0,1,9,9,2\n")
    for line in ("coalloc generate --jobs 4 --out {problem}", "history init --site {site}"):
        assert CliRunner().invoke(app, line.format(**found).split()).exit_code == 0
    return found


@pytest.mark.parametrize("line", TEXT_OPTIONS)
@any_number(4)
def test_any_number_in_a_text(words: dict[str, Path], line: str, number: str) -> None:
    """The value of such an option holds a number among other things."""
    with ending():
        done = CliRunner().invoke(app, line.format(**words, number=number).split())
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1, 2)
    if done.exit_code == 2:
        assert re.fullmatch(r"schedlab: .+\n", done.stderr)


@pytest.mark.parametrize("key", ALERTS)
@any_number(4, "1e300", str(2**53 - 1), "5e-324")
def test_any_number_of_an_alert(words: dict[str, Path], key: str, number: str) -> None:
    """A number that the section takes must also work in a query of the store."""
    site = words["site"].with_name("alerts.toml")
    site.write_text(f"{words['site'].read_text()}\n[service.alerts]\n{key} = {number}\n")
    with ending():
        done = CliRunner().invoke(app, ["history", "alerts", "--site", str(site)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda number: keep_apart(JOBS, sizes={"0": number}),
        lambda number: keep_apart(JOBS, nodes=number),
        lambda number: simulate(JOBS, number, "easy"),
        lambda number: simulate(JOBS, 4, "easy", tick=number),
        lambda number: simulate(JOBS, 4, "easy", depth=number),
        lambda number: draw_failures(2, 1000, mean_up_s=number, mean_repair_s=10),
        lambda number: draw_failures(2, 1000, mean_up_s=100, mean_repair_s=number),
        lambda number: draw_failures(2, 1000, mean_up_s=100, mean_repair_s=10, shape=number),
        lambda number: draw_failures(number, 1000, mean_up_s=100, mean_repair_s=10),
        lambda number: draw_failures(2, number, mean_up_s=100, mean_repair_s=10),
        lambda number: draw_failures(2, 9, mean_up_s=100, mean_repair_s=10, seed=number),
    ],
)
@any_number(4, "inf", "1e300", "5e-324")
def test_any_number_in_python(call: Callable[[Any], Any], number: str) -> None:
    """The number is refused in a sentence, or accepted."""
    with ending(), suppress(SchedlabError):
        call(number_of(number))
