"""The search form for jobs, as the URL holds it."""

from __future__ import annotations

import re
from datetime import UTC
from urllib.parse import parse_qs
from zoneinfo import ZoneInfo

import pytest
from starlette.datastructures import QueryParams
from tests.history.web.served import Served

from schedlab.history.schema.times import parse_moment
from schedlab.history.web.pages.jobs_form import JobsForm

PAGE = {"accept": "text/html"}


def read(query: str, zone: str = "UTC") -> JobsForm:
    """Return the form of a URL with this query."""
    return JobsForm.read(QueryParams(query), ZoneInfo(zone))


def test_amounts_are_written_as_people_write_them() -> None:
    """Two hours are 7200 s, two kilowatt-hours 7.2 MJ; empty fields are ignored."""
    form = read("user=&min_wait_s=2h&max_energy_joule=2kWh&sort=wait_s&cursor=x")
    assert form.filter is not None
    assert form.filter.query().ranges == {"wait_s": (7_200, None), "energy_joule": (None, 7.2e6)}
    assert form.is_detailed


def test_times_are_those_of_the_site() -> None:
    """A browser's time field has no time zone; in a link that has one, it counts."""
    noon_s = int(parse_moment("2026-01-05T12:00Z").timestamp())
    for query in ("from=2026-01-05T21:00&time=ended", "from=2026-01-05T12:00Z&time=ended"):
        form = read(query, "Asia/Tokyo")
        assert form.filter is not None
        assert form.filter.query().ended_from_s == noon_s


def test_the_api_is_asked_for_the_same_jobs() -> None:
    """A download has the jobs that the page shows; its URL has the API's own parameters."""
    form = read("user=a&user=b&min_run_s=1h&from=2026-01-05T21:00", "Asia/Tokyo")
    asked = parse_qs(form.api_query(format="csv"))
    again = JobsForm.read(QueryParams(form.api_query()), UTC)
    assert asked["from"] == ["2026-01-05T12:00:00Z"]
    assert asked["format"] == ["csv"]
    assert form.filter == again.filter


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("min_wait_s=soon", '"soon" is not a duration'),
        ("min_energy_joule=3W", '"3W" is not an energy'),
        ("stat=failed", 'did you mean "state"'),
        ("from=never", '"never" is not a time'),
        ("from=2026-01-05&to=2026-01-04", "from: must lie before to"),
        ("state=lost", "state.0"),
    ],
)
def test_mistakes_are_explained(query: str, fault: str) -> None:
    """A form with a mistake is not searched."""
    form = read(query)
    assert form.filter is None
    assert fault in form.fault


@pytest.mark.parametrize("query", ["sort=name", "cursor=x", "max_wra=-1", "min_run_s=-3"])
def test_a_page_says_what_is_wrong_with_its_url(served: Served, query: str) -> None:
    """The answer is the page with its form and a message, not a bare error."""
    answer = served.browser("sue").get(f"/jobs?{query}", headers=PAGE)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert "<form" in answer.text


def test_pages_work_below_a_prefix(served: Served) -> None:
    """A proxy may show the service below a prefix; links and figures must have it, too."""
    below = served.with_section(prefix="/history")
    for path in ("/history/jobs", "/history/jobs/1", "/history/compare?job=1&job=2"):
        page = below.browser("sue").get(path, headers=PAGE)
        assert page.status_code == 200
        links = re.findall(r'(?:href|src|data-url|action)="(/[^"]*)"', page.text)
        assert links
        assert [link for link in links if not link.startswith("/history/")] == []
    below.close()


def test_the_public_cannot_search_by_a_name(public: Served) -> None:
    """Anyone who finds a job by a name knows whose it is."""
    answer = public.client().get("/jobs?user=ann", headers=PAGE)
    assert answer.status_code == 400
    assert "hidden from the public" in answer.text
