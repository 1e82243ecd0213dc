"""The page of a job, whatever its record lacks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.history.records import NOON_S, job, measured_job
from tests.history.web.served import JOBS, Served

from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store

PAGE = {"accept": "text/html"}
HOSTS: list[dict[str, Any]] = [{"node_id": f"m{number:04}"} for number in range(1_000)]
NOW = from_epoch(NOON_S + 10)
SHAPES = {
    "pending": job("p", state="pending", start_time=None, end_time=None, per_host=None),
    "running": job("r", state="running", end_time=None),
    "cancelled while it waited": job("c", state="cancelled", start_time=None, per_host=None),
    "never submitted": job("n", queue_time=None),
    "over at once": job("z", end_time=NOW),
    "without a limit": job("l", req_walltime_sec=None),
    "with a limit of nothing": job("o", req_walltime_sec=0),
    "of an unknown cluster": job("u", cluster="elsewhere"),
    "of no cluster": job("x", cluster=None),
    "on a thousand nodes": job("w", per_host=HOSTS, resource_req={"num_host": 1_000}),
    "measured": measured_job("m", carbon={"emission_gram": 3.0, "factor_gram_per_kwh": 270.0}),
    "without energy": measured_job("e").model_copy(update={"energy": None}),
    "held back": job("h", start_time=from_epoch(NOON_S + 9_000), dependency=["1"], end_time=None,
                     eligible_time=from_epoch(NOON_S + 3_600), state="running"),
}  # fmt: skip
KEYS = {name: len(JOBS) + place for place, name in enumerate(SHAPES, 1)}


@pytest.fixture
def shapes(served: Served) -> Served:
    """The service with a job of each shape."""
    with Store.open(served.settings.store) as store:
        for record in SHAPES.values():
            store.put([record], source="test")
    return served


@pytest.mark.slow
def test_every_job_has_a_page(shapes: Served) -> None:
    """Values that are not recorded are left out or shown as a dash; no page breaks."""
    client = shapes.browser("sue")
    for name, key in KEYS.items():
        for path in (f"/jobs/{key}", f"/compare?job={key}&job=1"):
            page = client.get(path, headers=PAGE)
            assert page.status_code == 200, name
            assert SHAPES[name].jobid in page.text
            assert not re.search(r"\b(None|nan|inf)\b", _text(page.text)), name
    listed = client.get("/jobs", headers=PAGE)
    assert listed.status_code == 200
    assert not re.search(r"\b(None|nan|inf)\b", _text(listed.text))


@pytest.mark.slow
def test_every_figure_is_filled_or_says_why(shapes: Served) -> None:
    """If a job was on no measured host, there is nothing to fill."""
    client = shapes.browser("sue")
    for name, key in KEYS.items():
        page = client.get(f"/jobs/{key}", headers=PAGE)
        for url in re.findall(r'data-url="([^"]+)"', page.text):
            for window in ("", f"?from_s={NOON_S + 50}&to_s={NOON_S + 50}", "?from_s=0&to_s=1"):
                answer = client.get(url + window)
                assert answer.status_code == 200, name
                assert answer.json()["sources"], name


def test_a_job_that_was_held_back_says_so(shapes: Served) -> None:
    """The page tells of the job's dependency and of the time before the job was eligible."""
    page = shapes.browser("sue").get(f"/jobs/{KEYS['held back']}", headers=PAGE)
    text = _text(page.text)
    assert "For the first 1.00 h it was not yet eligible." in text
    assert "It had to wait for 1 other job." in text


def test_carbon_is_that_of_the_record(shapes: Served) -> None:
    """The page shows the recorded factor, not one of today: 40 kJ at 270 g/kWh."""
    text = _text(shapes.browser("sue").get(f"/jobs/{KEYS['measured']}", headers=PAGE).text)
    assert "3.00 g" in text
    assert "270 g/kWh" in text


@pytest.mark.parametrize("span", ["", "&from_s=50&to_s=50", "&from_s=100", "&from_s=-1&to_s=101"])
def test_a_comparison_can_be_zoomed_at_will(served: Served, span: str) -> None:
    """The span may be empty, and a browser may ask for a little more than the whole."""
    answer = served.browser("sue").get(f"/compare/timelines/power_watt?job=1&job=2{span}")
    assert answer.status_code == 200
    first, second = (answer.json()["sources"][f"line-{place}"] for place in (0, 1))
    assert first["t"] == second["t"]
    assert set(first["v"]) == {100.0}


@pytest.mark.parametrize("key", ["0", "-1", "99999", "9223372036854775808", "1" * 40])
def test_no_key_breaks_anything(served: Served, key: str) -> None:
    """A job that does not exist is not found, however its key is written."""
    client = served.browser("sue")
    assert client.get(f"/jobs/{key}", headers=PAGE).status_code == 404
    assert client.get(f"/jobs/{key}/timelines/power_watt").status_code == 404
    assert client.get(f"/compare?job={key}", headers=PAGE).status_code == 200


@pytest.mark.parametrize("item", ["../../etc/passwd", "power_watt'--", "nothing", "a" * 500])
def test_an_item_is_one_that_the_site_measures(served: Served, item: str) -> None:
    """Any other item is not found."""
    client = served.browser("sue")
    assert client.get(f"/jobs/1/timelines/{item}").status_code == 404
    assert client.get(f"/compare/timelines/{item}?job=1").status_code == 404


def _text(page: str) -> str:
    """Return the readable text of a page."""
    return re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<script.*?</script>", "", page))


def test_records_of_all_shapes_are_valid() -> None:
    """Otherwise the pages would be tested with impossible jobs."""
    for record in SHAPES.values():
        JobRecord.model_validate_json(record.model_dump_json(exclude_none=True))


def test_the_list_counts_waits_and_runs_that_go_on(shapes: Served) -> None:
    """The list says "so far" where a pending job waits and a running one runs, and nowhere else."""
    client = shapes.browser("sue")
    for state, counted in (("pending", 1), ("running", 2), ("cancelled", 0)):
        listed = client.get(f"/jobs?state={state}", headers=PAGE)
        assert len(re.findall(r"\d \w+\s+so far", _text(listed.text))) == counted, state
