"""Reading the text and SQLite forms of the Grid Workloads Format."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from schedlab.errors import InputError
from schedlab.workload import read_workload, write_workload
from schedlab.workload.readers.gwf import GWF_FIELDS

SAMPLE = Path(__file__).parents[1] / "data" / "ten.gwf"


def database(path: Path, names: tuple[str, ...], rows: list[tuple[object, ...]]) -> Path:
    """Write a SQLite file with a table Jobs; return its path."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE Jobs ({', '.join(names)})")
        marks = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO Jobs VALUES ({marks})", rows)
    return path


def archive_names() -> tuple[str, ...]:
    """Return the names that the archive's own databases use."""
    archive = {"NProcs": "NProc", "AverageCPUTimeUsed": "UsedCPUTime"}
    return tuple(archive.get(name, name) for name in GWF_FIELDS)


def test_users_and_the_like_are_names() -> None:
    """GWF has texts where SWF has numbers; they become codes with labels."""
    workload = read_workload(SAMPLE)
    assert workload.labels["user"] == ("U1", "U2", "U3")
    assert workload.labelled("user").tolist() == [
        "U1",
        "U2",
        "U1",
        "U3",
        "U3",
        "U1",
        "",
        "U1",
        "U2",
    ]
    assert workload.header["MaxNodes"] == ("64",)


def test_the_same_repairs_as_in_swf() -> None:
    """The first sixteen fields mean the same in SWF and GWF."""
    report = read_workload(SAMPLE).report
    assert report.records == 10
    assert report.repaired == {
        "no requested time, run time taken": 1,
        "not in order of submission, sorted": 1,
    }
    assert report.dropped == {"never ran (run time below 0)": 1}


def test_tabs_and_numbers_for_names(tmp_path: Path) -> None:
    """Some traces are separated by tabs, and in some users are numbers."""
    path = tmp_path / "a.gwf"
    path.write_text("1\t5 0\t10 2 -1 -1 2 60 -1 1 17 3" + " -1" * 16 + " \n")
    workload = read_workload(path)
    assert workload["user"].tolist() == [17]
    assert not workload.labels


def test_a_number_with_leading_zeros_is_a_name(tmp_path: Path) -> None:
    """Users 007 and 7 are two people."""
    fields = "0 10 2 -1 -1 2 60 -1 1 {} 3" + " -1" * 16 + "\n"
    path = tmp_path / "a.gwf"
    path.write_text(f"1 5 {fields.format('007')}2 6 {fields.format('7')}")
    assert read_workload(path).labels["user"] == ("007", "7")


def test_a_wrong_number_of_fields_is_named(tmp_path: Path) -> None:
    """A line cut short would shift every field after it."""
    path = tmp_path / "a.gwf"
    path.write_text("# GWF\n1 2 3\n\n4 5\n")
    with pytest.raises(InputError, match=r"a\.gwf:2: 3 fields; must have 29 \(and 1 more"):
        read_workload(path)


def test_a_text_where_a_number_must_be(tmp_path: Path) -> None:
    """Only users and the like may be texts."""
    path = tmp_path / "a.gwf"
    path.write_text("1 5 0 soon" + " 1" * 25 + "\n")
    with pytest.raises(InputError, match=r'a\.gwf:1: run_s is "soon"; must be a number'):
        read_workload(path)


def test_the_database_says_the_same_as_the_text(tmp_path: Path) -> None:
    """Both forms of one trace are the same workload."""
    rows = [
        tuple(line.split()) for line in SAMPLE.read_text().splitlines() if not line.startswith("#")
    ]
    path = database(tmp_path / "a.db3", archive_names(), list(rows))
    workload = read_workload(path)
    assert workload == read_workload(SAMPLE)
    assert workload.labels == read_workload(SAMPLE).labels


def test_null_in_the_database_is_missing(tmp_path: Path) -> None:
    """A NULL stands for an unknown value."""
    row = (1, 5, None, 10, 2, None, None, 2, 60, None, 1, "U1", *[None] * 17)
    workload = read_workload(database(tmp_path / "a.sqlite", archive_names(), [row]))
    assert workload["wait_s"].tolist() == [-1]
    assert workload.labels == {"user": ("U1",)}


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("JobID", "SubmitTime"), "table Jobs has no column WaitTime"),
        ((), "has no table Jobs"),
    ],
)
def test_another_database_is_one_sentence(
    tmp_path: Path, names: tuple[str, ...], reason: str
) -> None:
    """A suffix says little about what is in a database."""
    path = tmp_path / "a.sqlite"
    if names:
        database(path, names, [])
    else:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE Other (x)")
    with pytest.raises(InputError, match=reason):
        read_workload(path)


def test_a_damaged_database_is_one_sentence(tmp_path: Path) -> None:
    """Half a download begins like a whole one."""
    path = tmp_path / "a.sqlite"
    write_workload(read_workload(SAMPLE), path)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(InputError, match=r"a\.sqlite: .*(malformed|disk image)"):
        read_workload(path)


def test_a_compressed_database_must_be_unpacked(tmp_path: Path) -> None:
    """SQLite reads files, not streams."""
    path = tmp_path / "a.sqlite.gz"
    write_workload(read_workload(SAMPLE), path)
    with pytest.raises(InputError, match="must be unpacked first"):
        read_workload(path)
