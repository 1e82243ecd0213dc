"""Jobs that were archived are still found by their ids and links, by those who may see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.history.records import NOON_S
from tests.history.web.served import SEEN, Served, copied

from schedlab.history.job_archive.move import move_jobs
from schedlab.history.site import read_site
from schedlab.history.store import Store
from schedlab.history.web.access import Role


@pytest.fixture(scope="module")
def archived(_made: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service with all jobs but the last in the archive."""
    folder = tmp_path_factory.mktemp("archived") / "site"
    own = copied(_made, folder)
    (folder / "site.toml").write_text(
        (folder / "site.toml").read_text() + '[archive]\nfolder = "kept"\n'
    )
    with Store.open(own.settings.store) as store:
        assert move_jobs(store, folder / "kept", NOON_S + 250).jobs == 3
    settings = own.settings
    served = Served(
        type(settings)(settings.store, read_site(folder / "site.toml"), settings.service)
    ).with_section(public=True)
    yield served
    served.close()


@pytest.mark.parametrize("role", list(Role))
def test_who_may_see_an_archived_job_finds_it(archived: Served, role: Role) -> None:
    """The link to its page and its id in the API still work; no one else learns of the job."""
    client = archived.as_role(role)
    for key in ("1", "2", "3"):
        status = 200 if key in SEEN[role] else 404
        assert client.get(f"/v1/jobs/{key}").status_code == status
        if role is not Role.API:
            assert client.get(f"/jobs/{key}").status_code == status


def test_an_archived_record_is_what_it_was(archived: Served, served: Served) -> None:
    """The record is the same byte for byte, and can be requested together with others."""
    before, after = served.program(), archived.program()
    assert after.get("/v1/jobs/2").content == before.get("/v1/jobs/2").content
    both = after.post("/v1/jobs:batchGet", json={"ids": ["4", "2", "7"]}).json()
    assert [each["jobid"] for each in both["jobs"]] == ["4", "2"]
    assert both["missing"] == ["7"]


def test_the_public_sees_no_names_in_the_archive(archived: Served) -> None:
    """The public sees an archived job in its released form."""
    answer = archived.as_role(Role.PUBLIC).get("/v1/jobs/1")
    assert "ann" not in answer.text


def test_the_list_says_that_older_jobs_are_archived(archived: Served) -> None:
    """The list has only jobs of the store, but a search for an archived job's id gives a link."""
    sue = archived.as_role(Role.SUPPORT)
    page = sue.get("/jobs").text
    assert "/jobs/4" in page
    assert 'href="/jobs/2"' not in page
    assert "are in the archive" in page
    assert 'href="/jobs/2"' in sue.get("/jobs", params={"jobid": "2"}).text
    ann = archived.as_role(Role.USER)
    assert 'href="/jobs/2"' not in ann.get("/jobs", params={"jobid": "2"}).text
    later = sue.get("/jobs", params={"from": "2024-01-01", "time": "ended"})
    assert "are in the archive" not in later.text


def test_a_lost_file_is_told(archived: Served, tmp_path: Path) -> None:
    """A lost file is a fault of the service; the job is not unknown."""
    site = archived.settings.site
    assert site is not None
    kept = site.path.parent / "kept"
    kept.rename(tmp_path / "away")
    try:
        answer = archived.program().get("/v1/jobs/2")
    finally:
        (tmp_path / "away").rename(kept)
    assert answer.status_code == 503
