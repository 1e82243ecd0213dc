"""Output files that appear whole or not at all."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import FrameType

import pytest

from schedlab.atomic import atomic_write, require_writable
from schedlab.errors import OutputError


def test_the_file_appears_under_its_name(tmp_path: Path) -> None:
    """The temporary name is gone once the work is done."""
    with atomic_write(tmp_path / "a.txt") as temporary:
        temporary.write_text("whole")
        assert not (tmp_path / "a.txt").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    """Half a result must not take the place of a good one."""
    old = tmp_path / "a.txt"
    old.write_text("old")
    with pytest.raises(UnicodeEncodeError), atomic_write(old) as temporary:
        temporary.write_text("half\ud800")
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """People link results to other disks; the linked file is the one to replace."""
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with atomic_write(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_not_replaced() -> None:
    """Renaming a file to /dev/null would destroy the device."""
    with atomic_write("/dev/null") as temporary:
        assert temporary == Path("/dev/null")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("absent/a.txt", "folder .*absent does not exist"),
        ("", "cannot be written: is a directory"),
        ("file/a.txt", "cannot be written: not a directory|does not exist"),
        ("n" * 300, "cannot be written: file name too long"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(tmp_path: Path, name: str, reason: str) -> None:
    """The command line prints it and exits with 2."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=reason), atomic_write(tmp_path / name) as temporary:
        temporary.write_text("x")


@pytest.mark.parametrize("name", ["absent/a.txt", "", "file/a.txt"])
def test_what_cannot_be_written_is_known_beforehand(tmp_path: Path, name: str) -> None:
    """No one should wait an hour for a simulation whose result cannot be saved."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        require_writable(tmp_path / name)


@pytest.mark.parametrize("name", ["new.txt", "old.txt"])
def test_asking_changes_nothing(tmp_path: Path, name: str) -> None:
    """The result of the last run must survive a run that fails after the question."""
    (tmp_path / "old.txt").write_text("old")
    require_writable(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["old.txt"]
    assert (tmp_path / "old.txt").read_text() == "old"


def test_a_signal_ends_the_wait_for_a_reader_of_a_pipe(tmp_path: Path) -> None:
    """Libraries that open the pipe themselves would notice the signal only after their work."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    os.mkfifo(tmp_path / "pipe")
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "pipe"):
            pytest.fail("nobody reads the pipe")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
