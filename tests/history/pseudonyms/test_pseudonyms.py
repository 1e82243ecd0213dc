"""Releases give away jobs, not names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.history.records import NOON_S, job, measured_job

from schedlab.errors import InputError, LeakError, OutputError, UnknownNameError
from schedlab.history.export import EXPORTERS
from schedlab.history.export.export import export
from schedlab.history.pseudonyms import NameSearch, PseudonymPolicy, Release, make_key, read_key
from schedlab.history.schema import JobRecord
from schedlab.history.schema.timeline import TimelineUri
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store

KEY = b"0123456789abcdef0123456789abcdef"


def released(
    record: JobRecord, policy: PseudonymPolicy | None = None, **settings: Any
) -> dict[str, Any]:
    """Return the record as it is in a release."""
    release = Release("spring", KEY, policy, **settings)
    return release.apply(json.loads(record.model_dump_json(exclude_none=True)))


def test_one_name_has_one_pseudonym_in_a_release_and_another_in_the_next() -> None:
    """Within a release, jobs of one user can be recognised; two releases cannot be joined."""
    spring, autumn = Release("spring", KEY), Release("autumn", KEY)
    assert spring.pseudonym("user", "ann") == Release("spring", KEY).pseudonym("user", "ann")
    assert spring.pseudonym("user", "ann") != autumn.pseudonym("user", "ann")
    assert spring.pseudonym("user", "ann") != spring.pseudonym("user", "bob")
    assert spring.pseudonym("user", "ann") != spring.pseudonym("group", "ann")


def test_without_the_key_a_pseudonym_cannot_be_made() -> None:
    """Otherwise anyone could try out all names."""
    other = Release("spring", KEY[::-1])
    assert Release("spring", KEY).pseudonym("user", "ann") != other.pseudonym("user", "ann")


def test_by_default_names_are_replaced_and_free_texts_dropped() -> None:
    """A text by a user may contain anything; numbers beyond the schema are kept."""
    given = measured_job(
        job_name="for ann",
        work_dir="/home/ann",
        comment="hi",
        retries=3,
        maxpower_watt_provenance={"unit": "W", "absent_reason": "n01 is down"},
    )
    found = released(given)
    assert found["user_identifier"].startswith("user-")
    assert found["accounting_group"].startswith("group-")
    assert all(host["node_id"].startswith("node-") for host in found["per_host"])
    assert not {"job_name", "work_dir", "comment"} & found.keys()
    assert found["retries"] == 3
    assert found["maxpower_watt_provenance"] == {"unit": "W"}
    assert found["per_host"][0]["power_watt_avg"] == 200.0
    JobRecord.model_validate(found)


def test_what_is_no_name_and_no_time_stays_as_it_is() -> None:
    """The null of a job without a limit stays, and so does a ``_time`` item that is no moment."""
    found = released(job(req_walltime_sec=None, cpu_time=12.5), shift_s=60)
    assert found["req_walltime_sec"] is None
    assert found["cpu_time"] == 12.5
    JobRecord.model_validate(found)


def test_a_policy_can_keep_and_drop() -> None:
    """Each kind has its own treatment; dropped nodes are numbered, as a job must have some."""
    policy = PseudonymPolicy(user="drop", group="keep", node="drop", path="pseudonym")
    found = released(measured_job(work_dir="/home/ann"), policy)
    assert "user_identifier" not in found
    assert found["accounting_group"] == "physics"
    assert [host["node_id"] for host in found["per_host"]] == ["host-0", "host-1"]
    assert found["work_dir"].startswith("path-")


def test_a_misspelt_treatment_is_refused() -> None:
    """A policy that is not understood must not be taken for one that keeps."""
    with pytest.raises(UnknownNameError, match='did you mean "pseudonym"'):
        PseudonymPolicy(user="pseudonyms")


def test_timelines_are_renamed_and_shifted_with_their_job() -> None:
    """A URI holds the node's name and the job's times."""
    start, end = from_epoch(NOON_S + 10), from_epoch(NOON_S + 110)
    uri = str(TimelineUri("one", "1", "n01", "power_watt", start, end))
    host = {"node_id": "n01", "power_watt": uri, "power_watt_avg": 1.0}
    found = released(job(per_host=[host]), shift_s=3600)
    assert found["start_time"] == "20231115T130010+0000"
    shown = found["per_host"][0]
    assert f"/{shown['node_id']}/power_watt?from=20231115T130010" in shown["power_watt"]


def test_a_shift_keeps_waits_and_run_times() -> None:
    """All times move alike, as a trace without the order of its submissions is useless."""
    before, after = job(), JobRecord.model_validate(released(job(), shift_s=-86_400))
    for item in ("queue_time", "start_time", "end_time"):
        assert (getattr(before, item) - getattr(after, item)).total_seconds() == 86_400


def test_the_key_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    """Anyone who has the key can undo the pseudonyms by trying names."""
    path = tmp_path / "key"
    make_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(read_key(path)) >= 32
    path.chmod(0o640)
    with pytest.raises(InputError, match=r"has mode 640.*chmod 600"):
        read_key(path)


def test_a_key_is_never_replaced_and_never_short(tmp_path: Path) -> None:
    """With another key, a release that is continued would get other pseudonyms."""
    path = tmp_path / "key"
    make_key(path)
    with pytest.raises(OutputError, match="file exists"):
        make_key(path)
    with pytest.raises(InputError, match="does not exist"):
        read_key(tmp_path / "none")
    short = tmp_path / "short"
    short.write_text("abc")
    short.chmod(0o600)
    with pytest.raises(InputError, match="has 3 bytes"):
        read_key(short)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ann", ["ann"]),
        ("/home/ann/x", ["ann"]),
        ("ann_2", ["ann"]),
        ("annual", []),
        ("run by dr who", ["dr who"]),
        ("dr whose", []),
        ("1001", []),
    ],
)
def test_names_are_found_as_whole_words(text: str, found: list[str]) -> None:
    """Numbers are not searched for: a user called 1001 would be found in every trace."""
    assert list(NameSearch(["ann", "dr who", "1001"]).found(text)) == found


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """A store with a job of each of two users; one of the jobs has a name."""
    with Store.make(str(tmp_path / "history.db")) as made:
        made.put([measured_job(job_name="gpu"), job("2", user_identifier="bob")], source="test")
        yield made


def formats(*left_out: str) -> list[Any]:
    """Return all formats except those left out; those that take long are marked as slow."""
    slow = ("parquet", "arrow", "swf", "gwf", "batsim-json", "clustercockpit", "json")
    names = [name for name in EXPORTERS if name not in left_out]
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in slow)) for name in names]


@pytest.mark.parametrize("format", formats())
def test_no_format_gives_a_name_away(store: Store, tmp_path: Path, format: str) -> None:
    """The search for names reads the written files, whether packed or not."""
    release = Release("spring", KEY, PseudonymPolicy(job_name="keep"))
    path = tmp_path / "released"
    assert export(store, path, format=format, release=release).searched == 5
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    content = b"".join(each.read_bytes() for each in files)
    assert not any(name in content for name in (b"ann", b"bob", b"physics", b"n01"))


@pytest.mark.parametrize(
    "format", [name for name in EXPORTERS if name not in ("swf", "batsim-json")]
)
def test_a_leak_is_refused(store: Store, tmp_path: Path, format: str) -> None:
    """A name in a field that is kept is found, and the file is not written."""
    store.put([job("3", partition="bob")], source="test")
    with pytest.raises(LeakError, match='"bob"'):
        export(store, tmp_path / "released", format=format, release=Release("spring", KEY))
    assert not (tmp_path / "released").exists()


def test_a_job_named_like_its_partition_is_no_leak(store: Store, tmp_path: Path) -> None:
    """Job names are common words; those that are public anyway give nothing away."""
    store.put([job("3", partition="gpu")], source="test")
    path = tmp_path / "jobs.jsonl"
    export(store, path, release=Release("spring", KEY))
    found = {each["jobid"]: each for each in map(json.loads, path.read_text().splitlines())}
    assert found.keys() == {"1", "2", "3"}
    assert found["3"]["partition"] == "gpu"
    assert "job_name" not in found["1"]
