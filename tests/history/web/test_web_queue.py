"""Jobs that run and jobs that wait: why they wait, and when they will start."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import select
from tests.history.records import NOON_S, job
from tests.history.web.accessible import faults
from tests.history.web.browsing import Visitors, needs_chromium
from tests.history.web.listening import listening
from tests.history.web.served import Served, copied

from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.store import Store
from schedlab.history.store.tables import jobs
from schedlab.history.web.pages.wait_reasons import reason_in_words
from schedlab.history.web.queries.unfinished import Standing, standing_of

PAGE = {"accept": "text/html"}
HOUR_S = 3_600
STARTS = "/queue/starts?cluster=one"


def unfinished(jobid: str, now_s: int, queued_s: int, **items: Any) -> JobRecord:
    """Return a whole-node job, submitted ``queued_s`` ago.

    It waits unless ``items`` say otherwise.
    """
    waits: dict[str, Any] = {"state": "pending", "start_time": None, "per_host": None}
    given = waits | {"queue_time": from_epoch(now_s - queued_s), "req_walltime_sec": HOUR_S}
    return job(jobid, **(given | {"end_time": None} | items))


def runs(now_s: int, ran_s: int, node: str) -> dict[str, Any]:
    """Return the items of a job that has run this long."""
    start = from_epoch(now_s - ran_s)
    return {"state": "running", "start_time": start, "per_host": [{"node_id": node}]}


def present(now_s: int) -> list[JobRecord]:
    """Return past jobs, two jobs that keep both nodes busy, and jobs in the queue.

    Of ann's and ben's jobs in the queue, some wait, are held, or must not start yet.
    """
    past = [
        job(
            str(100 + number),
            queue_time=from_epoch(now_s - 2 * HOUR_S * (40 - number)),
            start_time=from_epoch(now_s - 2 * HOUR_S * (40 - number)),
            end_time=from_epoch(now_s - 2 * HOUR_S * (40 - number) + 1_800),
            req_walltime_sec=HOUR_S,
        )
        for number in range(40)
    ]
    return [
        *past,
        unfinished("20", now_s, 2_000, **runs(now_s, 600, "n01")),
        unfinished("21", now_s, 2_000, user_identifier="ben", **runs(now_s, 900, "n02")),
        unfinished("22", now_s, 500, wait_reason="Priority"),
        unfinished("23", now_s, 900, user_identifier="ben", wait_reason="Resources"),
        unfinished("24", now_s, 400, wait_reason="JobHeldUser"),
        unfinished("25", now_s, 300, wait_reason="Dependency", dependency=["22"]),
        unfinished("26", now_s, 200, eligible_time=from_epoch(now_s + HOUR_S)),
        unfinished("27.r2", now_s, 100, attempt=2, user_identifier="ben"),
    ]


@pytest.fixture
def queued(_made: Served, tmp_path: Path) -> Iterator[Served]:
    """A service that heard from its scheduler just now, open to the public."""
    own = copied(_made, tmp_path / "site").with_section(public=True)
    with Store.open(own.settings.store) as store:
        store.put(present(int(time.time())), source="scheduler")
    yield own
    own.close()


def forecast(served: Served, account: str = "root") -> dict[str, Any]:
    """Return what the account's page gets once the forecast is computed."""
    who = served.browser(account)
    assert who.post(STARTS).json()["state"] == "waiting"
    assert served.app.state.service.runner.run_next()
    told: dict[str, Any] = who.get(STARTS).json()
    return told


def key_of(served: Served, jobid: str) -> str:
    """Return the key under which a job is linked."""
    with served.database.reading() as connection:
        return str(connection.execute(select(jobs.c.id).where(jobs.c.jobid == jobid)).scalar_one())


def test_the_page_has_all_that_have_not_ended(queued: Served) -> None:
    """Jobs that run, wait, are held or may not start yet each have their own section."""
    text = queued.browser("root").get("/queue", headers=PAGE).text
    places = [text.index(f">{each}</h2>") for each in ("Waiting", "Not yet eligible", "Held")]
    assert places == sorted(places)
    for jobid, below in (("22", 0), ("23", 0), ("27.r2", 0), ("25", 1), ("26", 1), ("24", 2)):
        assert text.index(f">{jobid}</a>") > places[below]
        assert below == 2 or text.index(f">{jobid}</a>") < places[below + 1]
    assert text.index(">Running</h2>") < text.index(">20</a>") < text.index(">21</a>")
    assert "jobs with a higher priority come first" in text
    assert "held by its user" in text
    assert "attempt 2" in text


def test_a_user_sees_own_jobs_and_how_many_others_there_are(queued: Served) -> None:
    """That other jobs wait is no secret; whose they are is one."""
    text = queued.browser("ann").get("/queue", headers=PAGE).text
    assert ">22</a>" in text
    assert ">23</a>" not in text
    assert "ben" not in text
    assert "<dd>6 <span" in text, "six jobs wait, whoever has them"
    public = queued.client().get("/queue", headers=PAGE).text
    assert ">23</a>" in public
    assert "ben" not in public
    assert "ann" not in public


def test_forecasts_of_those_that_wait(queued: Served) -> None:
    """A node is free when one of the two running jobs ends: in the next hour."""
    told = forecast(queued)
    assert told["state"] == "done"
    assert "EASY" in told["how"]
    assert "just now" in told["note"]
    waiting = {key_of(queued, each) for each in ("22", "23", "27.r2")}
    assert told["starts"].keys() == waiting
    assert all("most likely about" in each for each in told["starts"].values())
    own = queued.browser("ann").get(STARTS).json()["starts"]
    assert own.keys() == {key_of(queued, "22")}
    assert not queued.app.state.service.runner.run_next(), "what is fresh is not computed again"
    assert queued.browser("root").post(STARTS).json()["state"] == "done"


def test_forecasts_on_the_pages(queued: Served) -> None:
    """The pages of the job, the cluster and the queue show forecasts and their age."""
    words = forecast(queued)["starts"][key_of(queued, "22")]
    root = queued.browser("root")
    for path in ("/queue", "/cluster", f"/jobs/{key_of(queued, '22')}"):
        text = root.get(path, headers=PAGE).text
        assert words in text, path
        assert "Forecast made just now" in text, path
    page = root.get(f"/jobs/{key_of(queued, '22')}", headers=PAGE).text
    assert "it had waited for" in page
    assert "One job that came before it still waits" in page
    held = root.get(f"/jobs/{key_of(queued, '24')}", headers=PAGE).text
    assert "until it is released" in held
    assert "Forecast made" not in held
    early = root.get(f"/jobs/{key_of(queued, '26')}", headers=PAGE).text
    assert "It may start from" in early
    running = root.get(f"/jobs/{key_of(queued, '20')}", headers=PAGE).text
    assert "When it will start" not in running
    assert "at the latest" in running


def test_forecasts_by_the_api(queued: Served) -> None:
    """Programs get the same moments from the API."""
    program = queued.program()
    asked = program.get("/v1/forecasts").json()["clusters"]
    assert [each["state"] for each in asked] == ["waiting"]
    queued.app.state.service.runner.run_next()
    (found,) = program.get("/v1/forecasts", params={"cluster": "one"}).json()["clusters"]
    assert found["state"] == "done"
    assert {each["jobid"] for each in found["jobs"]} == {"22", "23", "27.r2"}
    for each in found["jobs"]:
        assert found["now"] <= each["low"] <= each["start"] <= each["high"]
    assert program.get("/v1/forecasts", params={"cluster": "no"}).status_code == 400


def test_a_scheduler_that_is_silent_has_no_forecasts(common: Served) -> None:
    """If the scheduler is silent, no one knows which jobs wait there now."""
    with Store.open(common.settings.store) as store:
        store.put([unfinished("30", NOON_S, 60)], source="scheduler")
    told = common.browser("root").post(STARTS).json()
    assert told["state"] == "none"
    assert told["starts"] == {}
    page = common.browser("root").get("/queue", headers=PAGE).text
    assert "2023-11-15 11:59" in page
    assert common.browser("root").get("/queue?cluster=no", headers=PAGE).status_code == 400
    assert common.browser("root").get("/queue/starts?cluster=no").status_code == 404


def test_how_a_job_stands() -> None:
    """A job's standing follows from its state, the scheduler's reason, and when it may start."""
    now_s = NOON_S
    for items, standing in (
        ({"state": "completed"}, Standing.ENDED),
        ({"state": "suspended", "start_time": "2023-11-15T12:00:00+00:00"}, Standing.RUNS),
        ({"state": "pending"}, Standing.WAITS),
        ({"state": "pending", "wait_reason": "JobHeldAdmin"}, Standing.HELD),
        ({"state": "pending", "wait_reason": "BeginTime"}, Standing.NOT_ELIGIBLE),
        ({"state": "pending", "eligible_time": "2023-11-15T13:00:00+00:00"}, Standing.NOT_ELIGIBLE),
        ({"state": "pending", "eligible_time": "2023-11-15T11:00:00+00:00"}, Standing.WAITS),
    ):
        assert standing_of(items, now_s) is standing


@pytest.mark.parametrize(
    ("reason", "meant"),
    [
        ("ReqNodeNotAvail, UnavailableNodes:n[1-3]", "down, drained or reserved"),
        ("QOSMaxJobsPerUserLimit", "limit of its QOS"),
        ("AssocGrpCpuLimit", "limit of its account"),
        ("MaxJobsPerAccount", "limit of its account"),
        ("SomethingNew", ""),
    ],
)
def test_reasons_in_words(reason: str, meant: str) -> None:
    """Slurm's reason is explained, and also kept as it is."""
    words, word = reason_in_words(reason)
    assert word == reason
    assert meant in words
    assert bool(words) == bool(meant)


@needs_chromium
@pytest.mark.slow
def test_the_page_in_a_browser(queued: Served, browser: Browser) -> None:
    """The forecast and a new job appear by themselves; the page is accessible to everyone."""
    with listening(queued.app) as url:
        visitors = Visitors(browser, queued, url)
        page = visitors.page("root", viewport={"width": 1200, "height": 900})
        page.clock.install()
        page.goto("/queue")
        expect(page.locator(".forecast .when")).to_contain_text("is being computed")
        queued.app.state.service.runner.run_next()
        page.clock.run_for(2_000)
        expect(page.get_by_text("most likely about").first).to_be_visible()
        with Store.open(queued.settings.store) as store:
            store.put([unfinished("31", int(time.time()), 5)], source="scheduler")
        page.clock.run_for(31_000)
        expect(page.get_by_role("link", name="31", exact=True)).to_be_visible()
        for width in (1200, 400):
            page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert faults(page, of_colours=scheme == "dark") == []
        visitors.leave()
