"""Old jobs go from the store to Parquet files, and none is lost on the way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.history.records import NOON_S, job, measured_job

from schedlab.errors import InputError, ParameterError
from schedlab.history.job_archive import move
from schedlab.history.job_archive.forget import delete_old
from schedlab.history.job_archive.listed import archived_count, listed_files
from schedlab.history.job_archive.months import month_end_s, month_of, months_before_s
from schedlab.history.job_archive.move import move_jobs
from schedlab.history.job_archive.query import ask
from schedlab.history.schema import JobRecord
from schedlab.history.storage_sections import ArchiveSection
from schedlab.history.store import Store
from schedlab.history.store.rows import document_of
from schedlab.history.store.tables import aggregates, hosts, tags

DAY_S = 86_400
DECEMBER_S = month_end_s("2023-11")
ROOT = Path(__file__).parents[2]
OLD = [
    measured_job("1", tags=["cfd"]),
    job("2", queued_s=60),
    job("3", queued_s=20 * DAY_S, user_identifier="ben"),
]
"""Two of November 2023, and one of December."""
NEW = job("4", queued_s=60 * DAY_S)


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A store with old jobs and a new one."""
    with Store.make(store_url) as made:
        made.put([*OLD, NEW], source="test")
        yield made


def archived(store: Store, folder: Path) -> list[str]:
    """Return the records in the archive."""
    answer = ask(listed_files(store, folder), "SELECT record FROM archived_jobs ORDER BY id")
    return [record for (record,) in answer.rows]


def test_old_jobs_are_moved_by_month(store: Store, tmp_path: Path) -> None:
    """Whole records move, with hosts and tags to query; the store keeps identities and users."""
    moved = move_jobs(store, tmp_path, NOON_S + 40 * DAY_S)
    assert (moved.jobs, moved.files, moved.waiting, moved.strange) == (3, 2, 0, ())
    assert archived(store, tmp_path) == [document_of(each) for each in OLD]
    assert [each.jobid for each in store.jobs()] == ["4"]
    for table in (hosts, tags, aggregates):
        left = store.select(select(func.count()).where(table.c.job < 4))
        assert left[0][0] == 0, table.name
    months = "SELECT month, count(*), sum(node_s) FROM archived_jobs GROUP BY month ORDER BY month"
    found = ask(listed_files(store, tmp_path), months)
    assert found.rows == [("2023-11", 2, 300), ("2023-12", 1, 100)]
    lists = "SELECT hosts, tags FROM archived_jobs WHERE jobid = '1'"
    assert ask(listed_files(store, tmp_path), lists).rows == [(["n01", "n02"], ["cfd"])]
    assert archived_count(store) == 3


def test_the_archive_is_its_owners(store: Store, tmp_path: Path) -> None:
    """Only its owner may read the archive, as it has every user's jobs."""
    move_jobs(store, tmp_path / "kept", DECEMBER_S)
    for path in (tmp_path / "kept").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_what_was_archived_is_not_read_in_again(store: Store, tmp_path: Path) -> None:
    """An ingest from the start meets the archived jobs and adds none; no key is used again."""
    move_jobs(store, tmp_path, NOON_S + 90 * DAY_S)
    changed = job("2", queued_s=60, state="failed")
    counts = store.put([OLD[0], changed, NEW], source="test")
    assert (counts.added, counts.changed, counts.same) == (0, 0, 3)
    reused = job("2", queued_s=90 * DAY_S)
    assert store.put([reused], source="test").keys == [5]


def test_a_job_whose_sensors_are_still_to_be_asked_stays(store: Store, tmp_path: Path) -> None:
    """A job whose sensors have not been asked would be archived without what it used."""
    store.put([job("5")], source="test", to_measure=True)
    moved = move_jobs(store, tmp_path, DECEMBER_S)
    assert (moved.jobs, moved.waiting) == (2, 1)


def test_a_second_run_adds_files_and_changes_none(store: Store, tmp_path: Path) -> None:
    """Late jobs of a month get a file of their own."""
    move_jobs(store, tmp_path, DECEMBER_S)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    store.put([job("5")], source="late")
    move_jobs(store, tmp_path, DECEMBER_S)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    assert len(after) == len(before) + 1
    assert before.items() <= after.items()


def test_a_file_of_another_store_is_left_alone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that a killed run left is removed only by the store that still has its jobs."""
    monkeypatch.setattr(move, "_forget", _fail)
    with pytest.raises(RuntimeError):
        move_jobs(store, tmp_path, DECEMBER_S)
    monkeypatch.undo()
    (left,) = tmp_path.rglob("*.parquet")
    with Store.make(str(tmp_path / "other.db")) as other:
        moved = move_jobs(other, tmp_path, DECEMBER_S)
    assert moved.strange == (str(left.relative_to(tmp_path)),)
    assert left.exists()
    assert move_jobs(store, tmp_path, DECEMBER_S).strange == ()
    assert not left.exists()
    assert len(archived(store, tmp_path)) == 2


def _fail(*_: object) -> None:
    raise RuntimeError


def test_what_is_too_old_is_deleted(store: Store, tmp_path: Path) -> None:
    """Files, timelines and names are deleted, and an ingest does not bring the jobs back."""
    move_jobs(store, tmp_path, NOON_S + 40 * DAY_S)
    for day in ("2023-11-30", "2023-12-01"):
        (tmp_path / "cluster=one" / f"date={day}" / "item=power_watt").mkdir(parents=True)
    deleted = delete_old(store, tmp_path, DECEMBER_S)
    assert (deleted.jobs, deleted.files, deleted.days) == (2, 1, 1)
    assert [path.name for path in tmp_path.glob("cluster=one/*")] == ["date=2023-12-01"]
    assert archived(store, tmp_path) == [document_of(OLD[2])]
    assert store.put(OLD, source="test").added == 0
    assert delete_old(store, tmp_path, DECEMBER_S).files == 0


def test_a_deletion_that_was_cut_off_is_completed(store: Store, tmp_path: Path) -> None:
    """A run deleted the file but not its entry in the store; the next run does the rest."""
    move_jobs(store, tmp_path, DECEMBER_S)
    (file,) = tmp_path.rglob("*.parquet")
    file.unlink()
    assert delete_old(store, tmp_path, DECEMBER_S).jobs == 2
    assert listed_files(store, tmp_path) == []


def test_an_empty_archive_has_the_columns_of_a_full_one(store: Store, tmp_path: Path) -> None:
    """A question that is asked every month must not fail in the first."""
    columns = "SELECT column_name, column_type FROM (DESCRIBE archived_jobs)"
    empty = ask(listed_files(store, tmp_path), columns).rows
    move_jobs(store, tmp_path, DECEMBER_S)
    assert ask(listed_files(store, tmp_path), columns).rows == empty


def test_a_wrong_question_is_told() -> None:
    """The error has DuckDB's words, without the place in its source code."""
    with pytest.raises(InputError, match="query: Parser Error"):
        ask([], "SELEC 1")


def test_months_are_counted_from_the_first_of_this_one() -> None:
    """Limits lie on the first of a month, so that a month is moved or deleted whole."""
    assert month_of(DECEMBER_S - 1) == "2023-11"
    assert month_of(months_before_s(NOON_S, 2)) == "2023-09"
    assert months_before_s(NOON_S, 11) == month_end_s("2022-11")
    assert months_before_s(NOON_S, 1_200) == 0


def test_what_is_deleted_before_it_is_moved_is_refused() -> None:
    """Such a site file cannot be what its author meant."""
    with pytest.raises(ParameterError, match="delete_after_months is 3; must be 6 or more"):
        ArchiveSection(folder="kept", move_after_months=6, delete_after_months=3)
    with pytest.raises(ParameterError, match="move_after_months is 0; must be 1 to"):
        ArchiveSection(folder="kept", move_after_months=0)


def crowd() -> list[JobRecord]:
    """Return a hundred old jobs of four months."""
    return [
        measured_job(str(number), queued_s=DAY_S * number, tags=["a"] * (number % 2))
        for number in range(100)
    ]


@pytest.mark.slow
def test_killed_at_any_moment_no_job_is_lost(store_url: str, tmp_path: Path) -> None:
    """After many kills and one undisturbed run, the archive has each record once."""
    folder = tmp_path / "kept"
    with Store.make(store_url) as store:
        store.put(crowd(), source="test")
    command = ("tests.history.killed_archiving", store_url, folder, NOON_S + 200 * DAY_S, 10, 1)
    subprocess.run([sys.executable, "-m", *map(str, command)], cwd=ROOT, check=True)
    with Store.open(store_url) as store:
        assert store.count() == 0
        assert archived(store, folder) == [document_of(each) for each in crowd()]
        listed = listed_files(store, folder)
    assert sorted(listed) == sorted(folder.rglob("jobs-*"))
