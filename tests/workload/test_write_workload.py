"""Writing workloads: which format, what it cannot carry, and what can go wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import BinaryIO

import pytest

from schedlab.errors import OutputError, ParameterError, UnknownNameError
from schedlab.workload import Workload, read_workload, write_workload
from schedlab.workload.writers import Writer

DATA = Path(__file__).parents[1] / "data"


class CountWriter(Writer):
    """A user's own writer, which writes the number of jobs."""

    def write(self, workload: Workload, stream: BinaryIO) -> None:
        """Write the number of jobs."""
        stream.write(str(len(workload)).encode())


class NotAWriter:
    """A class that is no writer."""


@pytest.fixture
def ten() -> Workload:
    """Ten jobs with power, and with names of users and queues."""
    return read_workload(DATA / "ten.csv")


def test_what_the_format_cannot_carry_is_returned(tmp_path: Path, ten: Workload) -> None:
    """No user loses a column without notice."""
    assert write_workload(ten, tmp_path / "a.swf") == ("power_w",)
    assert write_workload(ten, tmp_path / "a.json") == ()
    assert write_workload(ten, tmp_path / "a.parquet") == ()


def test_swf_text_is_plain(tmp_path: Path) -> None:
    """Whole numbers have no point; fractions stay where the source had them."""
    write_workload(read_workload(DATA / "ten.swf"), tmp_path / "a.swf")
    lines = (tmp_path / "a.swf").read_text().splitlines()
    jobs = [line for line in lines if not line.startswith(";")]
    assert jobs[0] == "1 0 5 100 4 98.5 2048 4 200 4096 1 1 1 7 1 1 -1 -1"
    assert jobs[3] == "3 30 0 50 -1 -1 -1 8 600 -1 0 1 1 -1 2 1 -1 -1"
    assert "; Queue: 2 long; nights only" in lines


def test_swf_counts_give_back_the_nodes(tmp_path: Path) -> None:
    """After a change of ``nodes`` the source's old counts must not come back on reading."""
    workload = read_workload(DATA / "ten.swf")
    halved = workload.replace(nodes=(workload["nodes"] + 1) // 2)
    write_workload(halved, tmp_path / "a.swf")
    assert read_workload(tmp_path / "a.swf")["nodes"].tolist() == halved["nodes"].tolist()


def test_swf_names_queues_in_its_header_and_nobody_else(tmp_path: Path, ten: Workload) -> None:
    """``Queue:`` is a standard key; names of users do not belong in a trace to be passed on."""
    write_workload(ten, tmp_path / "a.swf")
    text = (tmp_path / "a.swf").read_text()
    assert "; Queue: 0 short\n; Queue: 1 long\n" in text
    assert "alice" not in text


def test_batsim_gets_delays_and_enough_hosts(tmp_path: Path, ten: Workload) -> None:
    """Batsim refuses jobs wider than its platform."""
    write_workload(ten, tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text())
    assert content["nb_res"] == 8
    assert content["jobs"][0] == {
        "id": 1,
        "subtime": 0,
        "res": 4,
        "walltime": 200,
        "profile": "delay_100",
        "user": "alice",
        "queue": "short",
        "status": 1,
        "power_w": 812.5,
    }
    assert content["profiles"]["delay_100"] == {"type": "delay", "delay": 100}


def test_gwf_names_have_no_blanks(tmp_path: Path, ten: Workload) -> None:
    """Blanks separate the fields; two names must not become one."""
    columns = {name: ten[name] for name in ten.columns}
    spaced = Workload(columns, labels={"user": ["a b", "c", "d", "e"]})
    write_workload(spaced, tmp_path / "a.gwf")
    assert read_workload(tmp_path / "a.gwf").labels["user"][0] == "a_b"
    merged = Workload(columns, labels={"user": ["a b", "a_b", "d", "e"]})
    with pytest.raises(OutputError, match="column user are not distinct"):
        write_workload(merged, tmp_path / "b.gwf")
    assert not (tmp_path / "b.gwf").exists()


def test_gzip_by_suffix_gives_the_same_bytes_every_time(tmp_path: Path, ten: Workload) -> None:
    """A digest of the file is a digest of the workload."""
    write_workload(ten, tmp_path / "a.csv.gz")
    write_workload(ten, tmp_path / "b.csv.gz")
    content = (tmp_path / "a.csv.gz").read_bytes()
    assert content == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress(content).startswith(b"job_id,")


def test_anybodys_writer_is_accepted_by_its_path(tmp_path: Path, ten: Workload) -> None:
    """Outside code needs no registration."""
    write_workload(ten, tmp_path / "a.txt", format=f"{__name__}:CountWriter")
    assert (tmp_path / "a.txt").read_text() == "10"


def test_wrong_names_and_places_are_one_sentence(tmp_path: Path, ten: Workload) -> None:
    """No file is left behind."""
    with pytest.raises(OutputError, match=r"a\.xyz: no format has this suffix; known: \.swf"):
        write_workload(ten, tmp_path / "a.xyz")
    with pytest.raises(UnknownNameError, match='unknown format "cvs"; did you mean "csv"'):
        write_workload(ten, tmp_path / "a.csv", format="cvs")
    with pytest.raises(ParameterError, match="is not a Writer"):
        write_workload(ten, tmp_path / "a.csv", format=f"{__name__}:NotAWriter")
    with pytest.raises(OutputError, match="does not exist"):
        write_workload(ten, tmp_path / "absent" / "a.csv")
    with pytest.raises(OutputError, match="is a directory"):
        write_workload(ten, tmp_path, format="csv")
    assert not list(tmp_path.iterdir())
