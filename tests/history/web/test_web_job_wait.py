"""Why a job waited, in sentences."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from tests.history.records import NOON_S, job
from tests.history.tiny_site import tiny_site

from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.database import Database
from schedlab.history.web.pages.job_wait import explain_wait

SHARED = '[sharing]\nshare_by = "cpu"\n'


@pytest.mark.parametrize(
    ("more", "exclusive", "is_told"),
    [("", None, True), (SHARED, None, False), (SHARED, True, True)],
)
def test_too_few_free_nodes_are_told_of(
    tmp_path: Path, more: str, exclusive: bool | None, is_told: bool
) -> None:
    """A job that could have shared nodes needs no free ones, so the page does not speak of them."""
    site = tiny_site(tmp_path, more)
    wide = {"num_host": 2, "num_cpu_perhost": 4}
    before = job("1", resource_req=wide)
    waits = job("2", queued_s=-60, resource_req=wide).model_copy(
        update={
            "start_time": before.end_time,
            "end_time": from_epoch(NOON_S + 200),
            "exclusive": exclusive,
        }
    )
    with Store.make(str(tmp_path / "history.db")) as store:
        store.put([before, waits], source="test")
    database = Database(str(tmp_path / "history.db"))
    with database.reading() as connection:
        told = explain_wait(connection, Viewer(Role.ADMIN, "root"), waits, site, UTC)
    database.close()
    assert told is not None
    assert any("too few nodes were free" in each for each in told.sentences) == is_told
    assert told.tells_room == is_told
