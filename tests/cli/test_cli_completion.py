"""The words that a shell offers while a command is typed, asked for as shells do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import TEN_JOBS


def offered(line: str, folder: Path, **more: str) -> list[str]:
    """Return the words that bash gets for the last word of the line."""
    words = line.split(" ")
    done = subprocess.run(
        [sys.executable, "-m", "schedlab"],
        cwd=folder,
        env={
            **os.environ,
            "_SCHEDLAB_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
            **more,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_policies_are_completed(tmp_path: Path) -> None:
    """A shell offers orders, backfills after a plus sign, and policies that come with schedlab."""
    assert {"fcfs", "easy", "conservative"} <= set(
        offered("schedlab simulate x --policy ", tmp_path)
    )
    assert "sjf+easy" in offered("schedlab simulate x --policy sjf+", tmp_path)
    assert offered("schedlab audit x --policy evolved:s", tmp_path) == ["evolved:slowdown"]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("schedlab predict x --predictor last", "last-two"),
        ("schedlab simulate x --metric bounded", "bounded_slowdown"),
        ("schedlab simulate x --by us", "user"),
        ("schedlab simulate x --place best", "best-fit"),
        ("schedlab simulate x --transform he", "head="),
        ("schedlab simulate x --format slurm-sacct-", "slurm-sacct-json"),
        ("schedlab workload convert x y --out-format batsim", "batsim-json"),
        ("schedlab workload fetch KTH", "KTH-SP2-1996-2.1-cln"),
        ("schedlab workload generate lub", "lublin"),
        ("schedlab coalloc solve x --solver cp", "cpsat"),
        ("schedlab experiment run clas", "classic"),
        ("schedlab simulate x --oversize cl", "clip"),
        ("schedlab lea", "learn"),
    ],
)
def test_names_are_completed(line: str, word: str, tmp_path: Path) -> None:
    """The names come from the tables that the commands use."""
    assert offered(line, tmp_path) == [word]


def test_traces_are_completed(tmp_path: Path) -> None:
    """Files, models and fetched traces are offered; an unfetched trace cannot be replayed."""
    shutil.copy(TEN_JOBS, tmp_path / "library.swf")
    cache = tmp_path / "cache" / "schedlab" / "traces"
    cache.mkdir(parents=True)
    (cache / "KTH-SP2-1996-2.1-cln.swf.gz").touch()
    places = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert offered("schedlab simulate l", tmp_path, **places) == ["lublin", "library.swf"]
    assert offered("schedlab simulate K", tmp_path, **places) == ["KTH-SP2-1996-2.1-cln"]
    assert offered("schedlab simulate K", tmp_path, XDG_CACHE_HOME=str(tmp_path)) == []


def test_files_are_completed(tmp_path: Path) -> None:
    """A folder ends in a slash; a lone folder comes with its files, so no space is added."""
    folder = tmp_path / "machines"
    folder.mkdir()
    (folder / "a.toml").touch()
    (tmp_path / ".hidden").touch()
    command = "schedlab simulate x --platform "
    assert offered(command, tmp_path) == ["machines/", "machines/a.toml"]
    assert offered(f"{command}machines/a", tmp_path) == ["machines/a.toml"]
    assert offered(f"{command}.h", tmp_path) == [".hidden"]
    assert offered(f"{command}absent/", tmp_path) == []
    home = {"HOME": str(tmp_path)}
    assert offered(f"{command}~/machines/", tmp_path, **home) == ["~/machines/a.toml"]
