"""Reading the Standard Workload Format."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from schedlab.errors import InputError
from schedlab.workload import header_int, read_workload

SAMPLE = Path(__file__).parents[1] / "data" / "ten.swf"
JOB = "1 0 5 100 4 98.5 2048 4 200 4096 1 11 12 13 14 15 -1 -1\n"


def write(folder: Path, text: str | bytes, name: str = "a.swf") -> Path:
    """Write a file with this content; return its path."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_all_eighteen_fields_are_kept(tmp_path: Path) -> None:
    """An analysis may need fields that a replay does not."""
    text = JOB + "2 9 7 50 2 40 1024 3 60 2048 0 21 22 23 24 25 1 30\n"
    workload = read_workload(write(tmp_path, text))
    second = {name: workload[name][1].item() for name in workload.columns}
    assert second == {
        "job_id": 2,
        "submit_s": 9,
        "wait_s": 7,
        "run_s": 50,
        "nodes": 2,
        "allocated_procs": 2,
        "cpu_time_s": 40.0,
        "used_memory_kb": 1024.0,
        "requested_procs": 3,
        "request_s": 60,
        "requested_memory_kb": 2048.0,
        "status": 0,
        "user": 21,
        "group": 22,
        "application": 23,
        "queue": 24,
        "partition": 25,
        "depends_on": 1,
        "think_time_s": 30,
    }
    assert workload["cpu_time_s"][0] == 98.5
    assert not list(workload.report.lines())


def test_the_header_keeps_every_value_of_every_key() -> None:
    """Keys are indented and repeated, values hold ``;`` and continue on the next line."""
    header = read_workload(SAMPLE).header
    assert header["Computer"] == ("Sample; a cluster of the mind",)
    assert header["MaxQueues"] == ("2", "2")
    assert header["Queue"] == ("1 short", "2 long; nights only")
    assert header["Note"] == ("Lines are numbered in the tests,\n       see: docs/formats/swf.md",)
    assert "made by hand" in header[""][0]


def test_the_machines_size_is_the_first_integer_of_its_key() -> None:
    """Archives write ``MaxNodes: 338 (batch partition; 512 total)``."""
    header = read_workload(SAMPLE).header
    assert header_int(header, "MaxNodes") == 338
    assert header_int(header, "MaxProcs") is None


def test_a_field_nobody_filled_in_is_no_column(tmp_path: Path) -> None:
    """A column of -1 says nothing and takes memory."""
    workload = read_workload(
        write(tmp_path, "1 0 -1 100 4 -1 -1 -1 200 -1 1 1 -1 -1 -1 -1 -1 -1\n")
    )
    assert "group" not in workload
    assert workload["group"].tolist() == [-1]


def test_how_it_was_read_is_remembered() -> None:
    """The digest ties results to the very file they were made from."""
    (step,) = read_workload(SAMPLE, procs="requested").provenance
    assert step["step"] == "read"
    assert step["format"] == "swf"
    assert step["file"] == "ten.swf"
    assert len(step["sha256"]) == 64
    assert step["options"]["procs"] == "requested"


@pytest.mark.parametrize("name", ["a.swf.gz", "a.swf", "a.SWF.GZ"])
def test_gzip_is_unpacked(tmp_path: Path, name: str) -> None:
    """The archive's files are compressed; the content decides, not the name alone."""
    workload = read_workload(write(tmp_path, gzip.compress(SAMPLE.read_bytes()), name))
    assert workload == read_workload(SAMPLE)
    assert workload.name == "a"


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf; Version: 2.2\n" + JOB.encode(),
        b"; Version: 2.2\r\n\r\n" + JOB.strip().encode() + b"\r\n",
        b"; Version: 2.2\n; Acknowledge: \xc5ke\n\t " + JOB.strip().encode(),
        b"; Version: 2.2\n" + JOB.encode() + b"\n; a comment below\n",
    ],
    ids=["byte-order mark", "Windows line ends", "Latin-1, no last line end", "late comment"],
)
def test_what_editors_do_to_files_is_survived(tmp_path: Path, text: bytes) -> None:
    """None of these changes affects the meaning of the file."""
    workload = read_workload(write(tmp_path, text))
    assert workload["job_id"].tolist() == [1]
    assert workload.header["Version"] == ("2.2",)


def test_a_malformed_line_is_named_with_the_number_of_others(tmp_path: Path) -> None:
    """An editor can jump to ``file:line``."""
    path = write(tmp_path, f"; Version: 2\n{JOB}1 2 x\n1 2 3\n")
    with pytest.raises(
        InputError, match=r'a\.swf:3: field 3 is "x"; must be a number \(and 1 more'
    ):
        read_workload(path)


@pytest.mark.parametrize("number", ["1e300", "-1e17"])
def test_a_number_no_clock_can_hold_is_refused(tmp_path: Path, number: str) -> None:
    """Converted to an integer, it would wrap around silently."""
    path = write(tmp_path, JOB + JOB.replace(" 100 ", f" {number} "))
    with pytest.raises(InputError, match=r"a\.swf:2: run_s is .*; must be below"):
        read_workload(path)
