"""A user's mistake: one line on stderr, exit code 2, nothing half-written."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Trace = Callable[[Path], str | Path]

TEN_JOBS = Path(__file__).parents[1] / "data" / "ten.swf"


def folder(tmp_path: Path) -> Path:
    """Return a directory where a file should be."""
    (tmp_path / "folder.swf").mkdir()
    return tmp_path / "folder.swf"


def file(name: str, content: bytes) -> Trace:
    """Return a function that writes a file with this name and content."""

    def make(tmp_path: Path) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return make


def ten_jobs(_: Path) -> Path:
    """Return a trace with nothing wrong."""
    return TEN_JOBS


TRUNCATED = gzip.compress(TEN_JOBS.read_bytes())[:-40]

BAD_INPUTS: dict[str, tuple[Trace, list[str], str]] = {
    "missing file": (lambda _: "absent.swf", [], "absent.swf: no such file"),
    "directory": (folder, [], "is a directory"),
    "truncated gzip": (file("a.swf.gz", TRUNCATED), [], "truncated"),
    "binary": (file("a.swf", bytes(range(256)) * 9), [], "binary file"),
    "empty": (file("a.swf", b""), [], "is empty"),
    "wrong columns": (file("a.swf", b"1 2 3\n"), [], "a.swf:1: 3 fields; must have 18"),
    "job wider than machine": (ten_jobs, ["--nodes", "2"], "job 1 needs 4 nodes"),
    "unknown policy": (ten_jobs, ["--policy", "eazy"], 'did you mean "easy"?'),
    "unknown parameter": (ten_jobs, ["--policy", "easy:dept=3"], 'did you mean "depth"?'),
    "unwritable output": (ten_jobs, ["--out", "absent/out.csv"], "folder absent does not exist"),
}


@pytest.mark.parametrize("what", BAD_INPUTS)
def test_bad_input_is_answered_with_one_line(what: str, run: Run, tmp_path: Path) -> None:
    """The user learns where the mistake is, not where our code met it."""
    trace, options, sentence = BAD_INPUTS[what]
    result = run("simulate", trace(tmp_path), "--policy", "fcfs", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("schedlab: ")
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr


@pytest.mark.parametrize("what", ["missing file", "unknown policy"])
def test_a_process_ends_so_too(what: str, schedlab: Run, tmp_path: Path) -> None:
    """The entry point adds nothing of its own, least of all a traceback."""
    trace, options, sentence = BAD_INPUTS[what]
    result = schedlab("simulate", trace(tmp_path), "--policy", "fcfs", *options)
    assert (result.returncode, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["simulate", "x.swf", "--nods", "4"], "no such option: --nods"),
        (["simulate", "x.swf"], "missing option '--policy'"),
        (["simulate", "x.swf", "--policy"], "--policy needs a value: P; see schedlab simulate"),
        (
            ["simulate", "x.swf", "--partitions", "--policy", "easy"],
            "--partitions needs a value: trace|1=N,2=N; see schedlab simulate --help",
        ),
        (["simulate", "--policy", "easy"], "missing argument 'TRACE'"),
        (["simulate", "x.swf", "--policy", "easy", "--nodes", "0"], "'--nodes': must be >= 1; see"),
        (
            ["simulate", "x.swf", "--policy", "easy", "--nodes", "x"],
            "'--nodes': must be a whole number; see",
        ),
        (["simulate", "x.swf", "--policy", "easy", "--procs", "x"], "'--procs': 'x' is not one"),
        (["simulat"], "no such command 'simulat'; did you mean 'simulate'? See schedlab --help"),
        (["--nods"], "no such option: --nods"),
    ],
)
def test_wrong_usage_is_one_line_too(arguments: list[str], sentence: str, run: Run) -> None:
    """The line points to --help, before any file is opened."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("schedlab: ")
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr
    assert "--help" in result.stderr


@pytest.mark.parametrize(
    "mistake",
    [
        ["--policy", "eazy"],
        ["--policy", "easy", "--policy", "fcfs+easy"],
        ["--policy", "easy", "--out", "schedule.xls"],
        ["--policy", "easy", "--policy", "fcfs", "--out", "schedule.swf"],
        ["--policy", "easy", "--transform", "heat=3"],
        ["--policy", "easy", "--platform", "absent.toml"],
        ["--policy", "easy", "--cluster", "fat"],
        ["--policy", "easy", "--nodes", "4", "--platform", "four.toml"],
    ],
)
def test_options_are_checked_before_the_trace_is_read(mistake: list[str], run: Run) -> None:
    """No user should wait for a large trace to learn of a typing error."""
    result = run("simulate", "absent.swf", *mistake)
    assert result.exit_code == 2
    assert "absent.swf" not in result.stderr


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (["--metric", "wat"], 'did you mean "wait"?'),
        (["--figure", "a.gif"], "a.gif"),
        (["--report", "absent/a.html"], "folder absent does not exist"),
        (["--figure", "absent/a.png"], "folder absent does not exist"),
    ],
)
def test_pictures_and_metrics_are_checked_first(
    mistake: list[str], sentence: str, run: Run
) -> None:
    """A simulation whose picture cannot be drawn is time lost."""
    result = run("simulate", "absent.swf", "--policy", "easy", *mistake)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_failed_run_leaves_the_last_result(run: Run, ten_jobs: str, tmp_path: Path) -> None:
    """The output file is replaced as a whole or not at all."""
    out = tmp_path / "schedule.csv"
    out.write_text("the last result")
    result = run("simulate", ten_jobs, "--nodes", "2", "--policy", "easy", "--out", out)
    assert result.exit_code == 2
    assert out.read_text() == "the last result"
    assert list(tmp_path.iterdir()) == [out]


def test_strict_reading_refuses_what_must_be_repaired(run: Run, ten_jobs: str) -> None:
    """The line to correct is named."""
    result = run("simulate", ten_jobs, "--policy", "easy", "--strict")
    assert result.exit_code == 2
    assert "ten.swf:" in result.stderr


def test_an_unfetched_trace_names_the_command_that_fetches_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A name in the catalog is not taken for a mistyped file name."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = run("workload", "info", "KTH-SP2-1996-2.1-cln")
    assert result.exit_code == 2
    assert "schedlab workload fetch KTH-SP2-1996-2.1-cln" in result.stderr


HUGE = "99999999999999999999"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--policy", ":"), 'policy ":" is unknown; your own is written package.module:name'),
        (("--policy", ".:a"), 'policy ".:a" is unknown; your own is written package.module:name'),
        (("--policy", "zipfile:ZipFile"), "cannot be called: missing a required argument: 'file'"),
        (("--policy", f"easy:depth={HUGE}"), "must be an integer >= 1 and <= 2^53"),
        (("--policy", "easy", "--tick", HUGE), "--tick is 99999999999999999999; must be at most"),
        (("--policy", "easy", "--tick", str(2**50)), "tick is 1125899906842624; must be from 0"),
        (("--policy", "easy", "--depth", HUGE), "--depth is 99999999999999999999; must be at most"),
        (("--policy", "easy", "--cores-per-node", HUGE), "--cores-per-node is 999"),
        (("--policy", "easy", "--transform", "os:getcwd"), 'transform "os:getcwd" failed with Typ'),
        (
            ("--policy", "easy", "--transform", "head=" + "9" * 5000),
            "is not a whole number >= 0 and",
        ),
        (("--policy", "easy", "--transform", "min_run=" + "9" * 500), "is not a duration"),
    ],
)
def test_what_is_no_name_and_what_is_too_large(
    run: Run, ten_jobs: str, options: tuple[str, ...], sentence: str
) -> None:
    """Each of these once ended in a traceback."""
    done = run("simulate", ten_jobs, *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
