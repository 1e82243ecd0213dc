"""The Queue page with a live mirror: its states, its reasons and its forecasts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.history.records import NOON_S, job
from tests.history.web.served import Served, copied

from schedlab.cli.served_mirror import ServedMirror, mirror_file, record_of, write_mirror
from schedlab.history.schema import JobRecord
from schedlab.history.store import Store
from schedlab.history.web.access import Role
from schedlab.live.queue import LiveJob, LiveStage
from schedlab.live.watch import StartsTold

WAITS, RUNS, ENDED = LiveStage.WAITS, LiveStage.RUNS, LiveStage.ENDED


def live(name: str, user: str, stage: LiveStage = WAITS, **items: object) -> LiveJob:
    """Return a job of two nodes that asks for ten minutes."""
    made = LiveJob(name, stage, stage.value.upper(), user, NOON_S, 600, min_nodes=2)
    return replace(made, **items)  # type: ignore[arg-type]


JOBS = (
    live("50", "ann", reason="Priority", account="physics"),
    live("51", "ben", reason="Resources", account="chemistry"),
    live("52", "cid", reason="", held=True, account="physics"),
    live("53", "ben", RUNS, start=NOON_S + 60, hosts="n[01-02]", account="chemistry"),
    live("54", "ann", ENDED),
)


@pytest.fixture(scope="module")
def mirrored(
    _made: Served, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Served, Path]]:
    """A service open to the public; its mirror has four jobs, of which the store knows one."""
    folder = tmp_path_factory.mktemp("mirrored")
    own = copied(_made, folder / "site")
    with Store.open(own.settings.store) as store:
        waits: dict[str, Any] = {
            "state": "pending",
            "start_time": None,
            "end_time": None,
            "per_host": None,
        }
        store.put([job("50", user_identifier="ann", wait_reason="Old", **waits)], source="test")
    served = Served(replace(own.settings, mirror=ServedMirror(folder))).with_section(public=True)
    yield served, folder
    served.close()


def write(folder: Path, at: float) -> None:
    """Write the mirror's file as of this time."""
    told = [StartsTold("50", at + 60, at + 120, at + 600), StartsTold("51", at, at + 60, at + 90)]
    write_mirror(folder, at, "one", JOBS, told)


def test_the_queue_is_that_of_the_mirror(mirrored: tuple[Served, Path]) -> None:
    """States and reasons are the present ones; a job that no ingest has read yet has no link."""
    served, folder = mirrored
    write(folder, time.time())
    page = served.as_role(Role.SUPPORT).get("/queue").text
    assert "Live: the mirror read the scheduler at" in page
    for words in ("jobs with a higher priority come first", "too few nodes are free for it"):
        assert words in page
    assert "Old" not in page
    assert 'href="/jobs/5"' in page
    assert 'href="/jobs/-' not in page
    assert 'id="held"' in page
    assert 'id="runs"' in page
    assert ">54<" not in page
    assert "A live mirror of the scheduler goes on from its present state" in page


def test_forecasts_are_those_of_the_mirror(mirrored: tuple[Served, Path]) -> None:
    """The page of the job shows them, too; the service need not compute others."""
    served, folder = mirrored
    write(folder, time.time())
    sue = served.as_role(Role.SUPPORT)
    known = sue.get("/queue/starts", params={"cluster": "one"}).json()
    assert list(known["starts"]) == ["5"]
    assert known["starts"]["5"] in sue.get("/jobs/5").text
    assert "data-starts=" not in sue.get("/queue").text


@pytest.mark.parametrize(
    ("role", "seen"),
    [
        (Role.USER, {"50"}),
        (Role.MANAGER, {"50", "52"}),
        (Role.SUPPORT, {"50", "51", "52", "53"}),
        (Role.PUBLIC, {"50", "51", "52", "53"}),
    ],
)
def test_each_sees_their_own_jobs(
    mirrored: tuple[Served, Path], role: Role, seen: set[str]
) -> None:
    """The rules are those of the store; counts are of all jobs, and the public reads no names."""
    served, folder = mirrored
    write(folder, time.time())
    page = served.as_role(role).get("/queue").text
    shown = {each for each in ("50", "51", "52", "53") if f">{each}" in page}
    assert shown == seen
    if role is Role.PUBLIC:
        assert not any(f">{name}<" in page for name in ("ann", "ben", "cid"))


@pytest.mark.parametrize("text", ["", "{", None])
def test_without_a_mirror_the_last_ingest_is_shown(
    mirrored: tuple[Served, Path], text: str | None
) -> None:
    """A mirror that has long been silent does not run, and half a file counts as none."""
    served, folder = mirrored
    if text is None:
        write(folder, time.time() - 3_600)
    else:
        mirror_file(folder).parent.mkdir(exist_ok=True)
        mirror_file(folder).write_text(text)
    page = served.as_role(Role.SUPPORT).get("/queue").text
    assert "The last news from the scheduler came at" in page
    assert ">51" not in page


def test_what_the_mirror_writes_is_standard_and_private(tmp_path: Path) -> None:
    """The items are those of a record; an endless limit and an unknown reason are left out."""
    write(tmp_path, NOON_S)
    assert mirror_file(tmp_path).stat().st_mode & 0o777 == 0o600
    for record in json.loads(mirror_file(tmp_path).read_text())["records"]:
        JobRecord.model_validate({"req_walltime_sec": 0, **record})
    assert (
        record_of(live("1", "ann", limit_s=10**9), "one")
        .keys()
        .isdisjoint(("req_walltime_sec", "wait_reason", "start_time"))
    )
    suspended = record_of(live("1", "ann", RUNS, state="SUSPENDED", hosts="n[1-3]"), "one")
    assert (suspended["state"], suspended["resource_req"]) == ("suspended", {"num_host": 3})
