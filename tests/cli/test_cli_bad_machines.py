"""Jobs that can never run and impossible machines are refused in one sentence.

This happens before anything runs, on the command line and in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedlab import simulate
from schedlab.errors import SchedlabError
from schedlab.platform import Platform, read_platform
from schedlab.workload import Workload, read_workload

Run = Callable[..., Any]

MACHINE = """
[[cluster]]
name = "c"
[[cluster.nodes]]
hosts = "n[1-4]"
cores = 4
memory = "8 GiB"
features = ["ib"]
[[cluster.partition]]
name = "main"
nodes = "n[1-4]"
default = true
max_time = "1h"
max_nodes = 3
[[cluster.outage]]
begin = 10
end = 50
[[consumable]]
name = "matlab"
capacity = 2
[[consumable.step]]
at = 5
capacity = 1
"""
HEAD = "job_id,submit_s,nodes,request_s,run_s,cores_per_node,memory_per_node_kb"
JOBS = f"""{HEAD},constraint,dependencies,licences
1,0,1,60,50,2,1000,,,
2,0,1,60,50,2,1000,,,
"""


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., tuple[Path, Path]]:
    """Write the files of the machine and the jobs, with one text replaced."""

    def write(old: str = "", new: str = "") -> tuple[Path, Path]:
        machine, jobs = tmp_path / "machine.toml", tmp_path / "jobs.csv"
        assert old in MACHINE or old in JOBS
        machine.write_text(MACHINE.replace(old, new) if old in MACHINE else MACHINE)
        jobs.write_text(JOBS.replace(old, new) if old in JOBS else JOBS)
        return machine, jobs

    return write


SECOND = "2,0,1,60,50,2,1000,,,"
BAD = [
    (
        SECOND,
        "2,0,1,60,50,2,9000000,,,",
        'job 2 asks for 1 node with 2 cores and 8.58 GiB memory of partition "main", which has '
        "none such; its largest node has 4 cores and 8.00 GiB memory",
    ),
    (
        SECOND,
        "2,0,1,60,50,5,1000,,,",
        'job 2 asks for 1 node with 5 cores and 1,000 KiB memory of partition "main", which has '
        "none such; its largest node has 4 cores and 8.00 GiB memory",
    ),
    (SECOND, "2,0,1,60,50,2,1000,gpu,,", 'with constraint "gpu", which has none such'),
    (SECOND, "2,0,1,60,50,2,1000,ib&(x,,", 'job 2: constraint is "ib&(x": it ends too early'),
    (SECOND, "2,0,4,60,50,2,1000,,,", 'job 2 asks for 4 nodes; partition "main" allows 1 to 3'),
    (
        SECOND,
        "2,0,1,7200,50,2,1000,,,",
        'job 2 asks for 2 h; partition "main" allows at most 1 h',
    ),
    (SECOND, "2,0,1,60,50,2,1000,,,matlab:3", 'job 2: asks for 3 of "matlab", of which there'),
    (
        SECOND,
        "2,0,1,60,50,2,1000,,afterok:2,",
        "job 2 can never start: its dependencies form a cycle",
    ),
    (
        JOBS.partition("\n")[2],
        "1,0,1,60,50,2,1000,,afterok:2,\n2,0,1,60,50,2,1000,,after:1,\n",
        "job 1 can never start: its dependencies form a cycle",
    ),
    ('nodes = "n[1-4]"', 'nodes = "n[1-5]"', 'partition "main": unknown node "n5"'),
    ("end = 50", "end = 5", "[[cluster.outage]]: end_s is 5; must be after begin_s, 10"),
    ("capacity = 2", "capacity = -2", '"matlab": capacity is -2; must be a whole number >= 0'),
    ("capacity = 1", "capacity = -1", "[[step]]: capacity is -1; must be a whole number >= 0"),
]


@pytest.mark.parametrize(("old", "new", "said"), BAD)
def test_on_the_command_line(run: Run, files: Any, old: str, new: str, said: str) -> None:
    """The exit code is 2, one line names place and value, and there is no table."""
    machine, jobs = files(old, new)
    words = ("--policy", "easy", "--policy", "fcfs")
    result = run("simulate", jobs, "--platform", machine, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("old", "new", "said"), BAD)
def test_in_python(files: Any, old: str, new: str, said: str) -> None:
    """Python raises a SchedlabError with the same sentence."""
    machine, jobs = files(old, new)
    with pytest.raises(SchedlabError) as error:
        simulate(read_workload(jobs), read_platform(machine), "easy")
    assert said in str(error.value)


def test_what_can_run_does(run: Run, files: Any) -> None:
    """The same files run when nothing is wrong in them."""
    machine, jobs = files()
    result = run("simulate", jobs, "--platform", machine, "--policy", "easy")
    assert result.exit_code == 0, result.stderr


def test_a_circle_on_plain_nodes() -> None:
    """A cycle of dependencies is found even if only the size of the machine is known."""
    same = {"submit_s": [0, 0], "nodes": [1, 1], "request_s": [9, 9], "run_s": [1, 1]}
    labels = {"dependencies": ["afterok:2", "afterany:1"]}
    jobs = Workload({"job_id": [1, 2], **same, "dependencies": [0, 1]}, labels=labels)
    with pytest.raises(SchedlabError, match="job 1 can never start"):
        simulate(jobs, Platform.homogeneous(4), "easy")
