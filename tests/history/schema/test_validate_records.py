"""Validation of files of records: every fault, with its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from schedlab.errors import InputError
from schedlab.history.schema import validate_file

GOOD: dict[str, Any] = {
    "jobid": "1",
    "queue_time": "20261115T120000+0900",
    "req_walltime_sec": 600,
    "resource_req": {"num_host": 1},
    "start_time": "20261115T120010+0900",
    "end_time": "20261115T121000+0900",
    "per_host": [{"node_id": "n01"}],
}
SECOND = GOOD | {"jobid": "2"}


def faults(path: Path, text: str | bytes) -> list[str]:
    """Return the faults of a file with this content, without the file's name."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [str(fault).removeprefix(f"{path}") for fault in validate_file(path)]


def test_good_files_of_every_form(tmp_path: Path) -> None:
    """A file may hold one object, an array, lines, or packed lines."""
    array = json.dumps([GOOD, SECOND], indent=2)
    lines = json.dumps(GOOD) + "\n" + json.dumps(SECOND) + "\n"
    for text in (json.dumps(GOOD, indent=1), array, lines, gzip.compress(lines.encode())):
        assert faults(tmp_path / "jobs.json", text) == []


def test_a_fault_names_its_path(tmp_path: Path) -> None:
    """A fault is located by its index in an array, and by its line in a file of lines."""
    bad = SECOND | {"resource_req": {"num_host": 1.5}}
    path, where = tmp_path / "jobs.json", "$[1].resource_req.num_host: is 1.5"
    assert faults(path, json.dumps([GOOD, bad]))[0].startswith(f": {where}")
    assert faults(path, f"{json.dumps(GOOD)}\n{json.dumps(bad)}\n")[0].startswith(
        ":2: $.resource_req.num_host: is 1.5"
    )


def test_a_truncated_array_is_judged_up_to_its_end(tmp_path: Path) -> None:
    """A copy that broke off still has whole records before that."""
    text = json.dumps([GOOD | {"user_priority": -1}, SECOND])[:-40]
    found = faults(tmp_path / "jobs.json", text)
    assert found[0].startswith(": not JSON: EOF")
    assert found[1].startswith(": $[0].user_priority: is -1")
    assert len(found) == 2


def test_a_broken_line_does_not_hide_the_others(tmp_path: Path) -> None:
    """The good lines around a broken one are no faults."""
    found = faults(tmp_path / "jobs.jsonl", f"{json.dumps(GOOD)}\n{{broken\n{json.dumps(SECOND)}\n")
    assert len(found) == 1
    assert found[0].startswith(":2: not JSON")


def test_the_same_job_twice_is_a_fault(tmp_path: Path) -> None:
    """A job that counts twice would double its energy."""
    found = faults(tmp_path / "jobs.json", json.dumps([GOOD, GOOD]))
    assert found == [f': $[1]: is job "1" again, which stands at {tmp_path / "jobs.json"}: $[0]']


def test_offsets_must_be_one_in_a_file(tmp_path: Path) -> None:
    """Only with one offset is text order time order, so a file has no summer time."""
    other = SECOND | {"end_time": "20261115T051000+0100"}
    found = faults(tmp_path / "jobs.json", json.dumps([GOOD, other]))
    assert found == [": $[1].end_time: has the offset +0100; the file began with another"]


@pytest.mark.parametrize("text", ["", "[]", "3", "[[1]]"])
def test_a_file_without_records_is_a_fault(tmp_path: Path, text: str) -> None:
    """An empty export must not pass for a good one."""
    assert len(faults(tmp_path / "jobs.json", text)) == 1


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A missing file is the user's mistake, reported in one sentence."""
    with pytest.raises(InputError, match="no such file"):
        validate_file(tmp_path / "missing.json")
