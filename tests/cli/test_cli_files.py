"""No command writes over what it reads, none replaces a file silently, none leaves half a file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

Run = Callable[..., Any]

READS_IT = "this command reads it and would write over it; write to another file\n"

WRITING = {
    "simulate": ("simulate", "{trace}", "--policy", "easy", "--out", "{out}"),
    "report": ("simulate", "{trace}", "--policy", "easy", "--report", "{out}"),
    "analyse": ("analyse", "{trace}", "--report", "{out}"),
    "convert": ("workload", "convert", "{trace}", "{out}"),
    "transform": ("workload", "transform", "{trace}", "{out}", "--transform", "head=2"),
}


@pytest.fixture
def trace(tmp_path: Path, ten_jobs: str) -> Path:
    """A fresh copy of the trace for each test."""
    return Path(copy(ten_jobs, tmp_path / "a.swf"))


def written(name: str, trace: Path, out: Path) -> list[str]:
    """Return the command that reads the trace and writes to ``out``."""
    return [word.format(trace=trace, out=out) for word in WRITING[name]]


@pytest.mark.parametrize("name", WRITING)
def test_a_command_does_not_write_over_its_input(run: Run, trace: Path, name: str) -> None:
    """The recorded waits of a trace cannot be computed again."""
    before = trace.read_bytes()
    done = run(*written(name, trace, trace))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"schedlab: {trace}: {READS_IT}"
    assert trace.read_bytes() == before


@pytest.mark.parametrize("make", [Path.symlink_to, Path.hardlink_to])
def test_another_name_of_the_input_is_the_input(
    run: Run, trace: Path, make: Callable[[Path, Path], None]
) -> None:
    """People link traces from large disks."""
    other = trace.with_name("b.swf")
    make(other, trace)
    assert run("workload", "convert", trace, other).stderr == f"schedlab: {trace}: {READS_IT}"


def test_a_problem_is_not_drawn_over(run: Run, tmp_path: Path) -> None:
    """A link to the problem is refused, whatever its name."""
    problem = tmp_path / "problem.json"
    assert run("coalloc", "generate", "--jobs", "4", "--out", problem).exit_code == 0
    picture = tmp_path / "problem.png"
    picture.symlink_to(problem)
    done = run("coalloc", "show", problem, "--figure", picture)
    assert (done.exit_code, done.stderr) == (2, f"schedlab: {problem}: {READS_IT}")


@pytest.mark.parametrize("name", ["history.db", "site.toml"])
def test_a_history_is_not_exported_over_itself(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Neither the store nor the site file is overwritten."""
    monkeypatch.chdir(tmp_path)
    assert run("history", "init").exit_code == 0
    before = Path(name).read_bytes()
    done = run("history", "export", name, "--format", "csv")
    assert (done.exit_code, done.stderr) == (2, f"schedlab: {name}: {READS_IT}")
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("name", WRITING)
def test_a_read_only_file_stays(run: Run, trace: Path, name: str) -> None:
    """A removed write permission is respected, even for root."""
    kept = trace.with_name("kept.swf")
    kept.write_text("kept")
    kept.chmod(0o444)
    done = run(*written(name, trace, kept))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"schedlab: {kept}: cannot be written: the file is read-only\n"
    assert kept.read_text() == "kept"


def test_the_file_beside_the_table_counts_too(run: Run, trace: Path) -> None:
    """A schedule in CSV is two files; neither is written if one cannot be."""
    beside = trace.with_name("easy.csv.meta.json")
    beside.touch(mode=0o444)
    done = run("simulate", trace, "--policy", "easy", "--out", trace.with_name("easy.csv"))
    assert done.stderr == f"schedlab: {beside}: cannot be written: the file is read-only\n"
    assert not trace.with_name("easy.csv").exists()


@pytest.mark.parametrize("name", WRITING)
def test_a_replaced_file_is_told(run: Run, trace: Path, name: str) -> None:
    """The second run says that it replaced the file of the first."""
    out = trace.with_name("out.swf")
    first, second = (run(*written(name, trace, out)) for _ in range(2))
    assert (first.exit_code, first.stderr) == (0, "")
    assert (second.exit_code, second.stderr) == (0, f"schedlab: {out}: existed and was replaced\n")


def test_a_replaced_file_keeps_its_mode(run: Run, trace: Path) -> None:
    """A private file does not become public when it is written again."""
    out = trace.with_name("out.swf")
    out.touch(mode=0o600)
    assert run("workload", "convert", trace, out).exit_code == 0
    assert out.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_only_regular_files_are_read(run: Run, trace: Path, tmp_path: Path, kind: str) -> None:
    """/dev/zero never ends, and a pipe without a writer never begins."""
    path = tmp_path / "b.swf"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    for command in (
        ("workload", "info", path),
        ("simulate", path, "--policy", "easy"),
        ("simulate", trace, "--policy", "easy", "--failures", path),
        ("audit", path, "--policy", "easy"),
        ("coalloc", "show", path),
        ("history", "validate", path),
        ("jobs", "--url", "http://127.0.0.1:1", "--token-file", path),
    ):
        done = run(*command)
        assert done.exit_code == 2
        assert f"{path}: is not a regular file; give a file" in done.stderr


def test_standard_input_is_a_dash(schedlab: Run, trace: Path) -> None:
    """A pipe can still be read, under the name ``-``."""
    done = schedlab("workload", "info", "-", "--json", input=trace.read_text())
    assert done.returncode == 0, done.stderr
    assert '"name": "stdin"' in done.stdout


@pytest.mark.parametrize(
    ("number", "ending"),
    [(signal.SIGTERM, "terminated"), (signal.SIGHUP, "hung up"), (signal.SIGINT, "interrupted")],
)
def test_a_signal_leaves_no_temporary_file(
    trace: Path, number: signal.Signals, ending: str
) -> None:
    """A scheduler's time limit sends SIGTERM, a closed terminal SIGHUP."""
    (trace.parent / "dying.py").write_text(
        "import os, signal\n"
        "from schedlab.workload.writers import Writer\n"
        "class Dying(Writer):\n"
        "    def write(self, workload, stream):\n"
        "        stream.write(b'half')\n"
        f"        os.kill(os.getpid(), {number})\n"
        "        signal.pause()\n"
    )
    convert = ("workload", "convert", "a.swf", "b.swf", "--out-format", "dying:Dying")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "schedlab", *convert],
        cwd=trace.parent,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    code = 130 if number is signal.SIGINT else -number
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"schedlab: {ending}\n")
    assert sorted(each.name for each in trace.parent.iterdir()) == ["a.swf", "dying.py"]


@pytest.mark.parametrize("command", [("workload", "info", "{trace}"), ("version",), ("--help",)])
def test_a_full_disk_under_standard_output_is_one_sentence(
    trace: Path, command: tuple[str, ...]
) -> None:
    """A full disk gives neither a traceback nor success."""
    words = [word.format(trace=trace) for word in command]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "schedlab", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    reason = "no space left on device"
    assert done.stderr == f"schedlab: standard output cannot be written: {reason}\n"
