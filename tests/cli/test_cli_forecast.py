"""schedlab forecast: ranges of starts, in words and as JSON; what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.workload import Workload, apply, generate, write_workload

AT = 100_000


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of 600 jobs with a load that is a little too high for the machine."""
    jobs: Workload = apply(generate("lublin:nodes=64", 600, seed=1), ["load=1.2:64"], seed=1)
    path = tmp_path_factory.mktemp("forecast") / "trace.swf"
    write_workload(jobs, path)
    return path


def run(*arguments: object) -> tuple[int, str]:
    """Return the exit code and what was printed."""
    done = CliRunner().invoke(app, ["forecast", *map(str, arguments)])
    return done.exit_code, " ".join(done.output.split())


def test_ranges_as_json(trace: Path) -> None:
    """Every waiting job has a range; ``--job`` gives that of one job in words."""
    asked = (trace, "--nodes", 64, "--at", AT, "--forks", 20, "--moments", 5)
    done = CliRunner().invoke(app, ["forecast", *map(str, asked), "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["now_s"], found["forks"], found["policy"]) == (AT, 20, "easy")
    assert found["jobs"]
    for row in found["jobs"]:
        assert AT <= row["low_s"] <= row["start_s"] <= row["high_s"]
        assert row["submit_s"] <= AT
    first = found["jobs"][0]
    code, said = run(*asked, "--job", first["job_id"])
    assert code == 0
    assert f"job {first['job_id']} will start {first['words']}" in said


def test_a_picture(trace: Path, tmp_path: Path) -> None:
    """The picture is written to the given path."""
    path = tmp_path / "starts.svg"
    code, said = run(
        trace, "--nodes", 64, "--at", AT, "--forks", 5, "--moments", 0, "--figure", path
    )
    assert code == 0
    assert f"written: {path}" in said
    assert "most likely" in path.read_text()


def test_scores(trace: Path) -> None:
    """The scores stand beside those of two other forecasts."""
    code, said = run(trace, "--nodes", 64, "--score", "--moments", 12, "--forks", 5)
    assert code == 0
    assert "past waits of the size class" in said
    assert "one replay with requests" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "give either --at T or --score"),
        (("--at", "1d", "--score"), "give either --at T or --score"),
        (("--score", "--job", 3), "--score goes without --job and --figure"),
        (("--at", AT, "--job", 1), "job 1 does not wait at 100000 s"),
        (("--at", AT, "--job", 99999), "job 99999 does not wait"),
        (("--at", "2001-02-03"), "the trace has no dates"),
        (("--at", "soon"), "soon"),
        (("--at", "9999d"), "no job waits at"),
        (("--at", AT, "--predictor", "last-two"), "gives no distribution"),
        (("--at", AT, "--predictor", "nobody"), "nobody"),
        (("--at", AT, "--policy", "nobody"), "nobody"),
        (("--at", AT, "--forks", 0), "--forks"),
        (("--at", AT, "--figure", "starts.doc"), "starts.doc"),
    ],
)
def test_what_it_refuses(trace: Path, arguments: tuple[object, ...], says: str) -> None:
    """One sentence, exit code 2."""
    code, said = run(trace, "--nodes", 64, "--moments", 0, *arguments)
    assert code == 2
    assert says in said
