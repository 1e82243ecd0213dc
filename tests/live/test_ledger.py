"""The log of decisions: nothing in it can be changed without notice."""

from __future__ import annotations

import json
import resource
import signal
from pathlib import Path

import pytest

from schedlab.errors import InputError, OutputError
from schedlab.live.ledger import FIRST, Ledger, read_ledger


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of three entries."""
    ledger = Ledger(tmp_path / "steering.log")
    ledger.add("begin", 1.0, policy="saf")
    ledger.add("change", 2.0, job="7", of=0, to=5)
    ledger.add("change", 3.0, job="7_[1-3]", of=5, to=0)
    return ledger.path


def test_entries_come_back_in_order(log: Path) -> None:
    """Each entry has the hash of the one before."""
    entries = list(read_ledger(log))
    assert [entry["kind"] for entry in entries] == ["begin", "change", "change"]
    assert entries[0]["before"] == FIRST
    assert entries[1]["to"] == 5


def test_a_second_writer_goes_on_where_the_first_stopped(log: Path) -> None:
    """Two objects append to the same log, one after the other and back."""
    first, second = Ledger(log), Ledger(log)
    second.add("released", 4.0)
    first.add("end", 5.0)
    assert [entry["kind"] for entry in read_ledger(log)][-2:] == ["released", "end"]


@pytest.mark.parametrize("line", [0, 1, 2])
def test_a_changed_entry_is_found(log: Path, line: int) -> None:
    """A change is found in any entry, the first and the last too."""
    lines = log.read_text().splitlines()
    entry = json.loads(lines[line])
    lines[line] = json.dumps({**entry, "at": 99.0})
    log.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=f"steering.log:{line + 1}: this entry, or one before"):
        list(read_ledger(log))
    with pytest.raises(InputError):
        Ledger(log)


def test_a_lost_entry_is_found(log: Path) -> None:
    """The next entry names a hash that is not there."""
    lines = log.read_text().splitlines()
    log.write_text("\n".join([lines[0], lines[2]]) + "\n")
    with pytest.raises(InputError, match=":2:"):
        list(read_ledger(log))


def test_what_a_crash_cut_off_is_cut_off(log: Path) -> None:
    """An incomplete last line is removed: what it says was not done."""
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"at": 4.0, "kind": "cha')
    ledger = Ledger(log)
    assert ledger.torn
    assert log.read_bytes() == whole
    ledger.add("end", 5.0)
    assert len(list(read_ledger(log))) == 4


def test_a_full_disk_is_told(log: Path) -> None:
    """A change that cannot be logged must not be made; the log stays readable."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    ledger = Ledger(log)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 10, before[1]))
        with pytest.raises(OutputError, match="cannot be written"):
            ledger.add("change", 4.0, job="8", of=0, to=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    ledger.add("change", 5.0, job="8", of=0, to=2)
    assert list(read_ledger(log))[-1]["to"] == 2


def test_a_log_is_a_regular_file(tmp_path: Path) -> None:
    """Reading a device might never end."""
    path = tmp_path / "steering.log"
    path.symlink_to("/dev/full")
    with pytest.raises(InputError, match="is not a regular file"):
        Ledger(path)
