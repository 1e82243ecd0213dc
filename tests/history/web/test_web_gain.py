"""How much sooner a wasteful job would have started, on its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import select, update
from tests.history.records import NOON_S, job
from tests.history.web.browsing import Visitors, needs_chromium
from tests.history.web.listening import listening
from tests.history.web.served import Served

from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.site import read_site
from schedlab.history.store import Store
from schedlab.history.store.tables import jobs
from schedlab.history.store.task_tables import tasks
from schedlab.history.web.simulations.gain import Gain

PAGE = {"accept": "text/html"}
GIB = 2**30
HOUR_S = 3_600
SENTENCE = "In a simulation it waits 0 s instead of 1.00 h."


def wasteful(jobid: str, queued_s: int, start_s: int, memory: float, **more: object) -> JobRecord:
    """Return ann's one-core job that asked for ``memory`` GiB, used 1 GiB and ran two hours."""
    return job(
        jobid,
        queued_s=queued_s,
        start_time=from_epoch(NOON_S + start_s),
        end_time=from_epoch(NOON_S + start_s + 2 * HOUR_S),
        req_walltime_sec=2 * HOUR_S,
        resource_req={"num_host": 1, "num_cpu_perhost": 1, "mem_perhost_bytes": int(memory * GIB)},
        usage={"maxrss_bytes": GIB},
        **more,
    )


@pytest.fixture
def site(served: Served) -> Iterator[Served]:
    """Two nodes of 64 GiB: two jobs hold nearly all memory, and a third waits an hour for it."""
    old = served.settings.site
    assert old is not None
    path = old.path
    path.write_text(path.read_text().replace("cores = 4\n", 'cores = 4\nmemory = "64GiB"\n'))
    start_s = 10 * HOUR_S
    first, second = wasteful("10", start_s, start_s, 60), wasteful("11", start_s, start_s, 60)
    third = wasteful("12", start_s + HOUR_S, start_s + 2 * HOUR_S, 60)
    others = wasteful("13", 20 * HOUR_S, 20 * HOUR_S + 120, 60)
    with Store.open(served.settings.store) as store:
        store.put([first, second, third, others], source="scheduler")
    own = Served(replace(served.settings, site=read_site(path)))
    yield own
    own.close()


def key_of(site: Served, jobid: str) -> int:
    """Return the key of the job's page."""
    with site.database.reading() as connection:
        return int(connection.execute(select(jobs.c.id).where(jobs.c.jobid == jobid)).scalar_one())


def test_a_large_gain_is_told_beside_the_advice(site: Served) -> None:
    """The page also says how it was computed; everyone who may see the job finds it."""
    path = f"/jobs/{key_of(site, '12')}"
    ann = site.browser("ann")
    before = ann.get(path, headers=PAGE).text
    assert "ask for 2 GiB and wait less." in before
    assert f'data-gain="{path}/gain"' in before
    assert SENTENCE not in before
    assert ann.post(f"{path}/gain").json()["state"] == "waiting"
    assert site.app.state.service.runner.run_next()
    for name in ("ann", "sue"):
        after = site.browser(name).get(path, headers=PAGE).text
        assert SENTENCE in after
        assert "the 7 jobs that ran or were submitted from" in after
        assert "data-gain" not in after
    assert ann.post(f"{path}/gain").json()["text"] == SENTENCE
    assert not site.app.state.service.runner.run_next(), "it is simulated once"


def test_a_small_gain_is_not_told(site: Served) -> None:
    """A job that waited two minutes on an empty machine would have waited none in simulation."""
    path = f"/jobs/{key_of(site, '13')}"
    ann = site.browser("ann")
    ann.post(f"{path}/gain")
    assert site.app.state.service.runner.run_next()
    assert ann.get(f"{path}/gain").json() == {"state": "done", "text": "", "how": ""}
    assert "In a simulation" not in ann.get(path, headers=PAGE).text


@pytest.mark.parametrize(("hours", "asks"), [(0, False), (2, True)])
def test_a_failure_is_tried_again_later(site: Served, hours: int, asks: bool) -> None:
    """The cause, such as a stop of the service, may be gone; but not every visit tries again."""
    path = f"/jobs/{key_of(site, '12')}"
    ann = site.browser("ann")
    ann.post(f"{path}/gain")
    with site.database.writing() as connection:
        earlier_s = tasks.c.created_s - hours * HOUR_S
        connection.execute(update(tasks).values(state="failed", created_s=earlier_s))
    assert ("data-gain" in ann.get(path, headers=PAGE).text) is asks


@pytest.mark.parametrize(
    ("wait_s", "changed_s", "is_large"),
    [(3_600, 0, True), (3_600, 3_000, False), (400, 200, False), (400, 90, True), (0, 0, False)],
)
def test_large_is_minutes_and_a_good_part_of_the_wait(
    wait_s: int, changed_s: int, is_large: bool
) -> None:
    """A gain is large if it is at least five minutes and a quarter of the wait."""
    gain = Gain(wait_s=wait_s, changed_wait_s=changed_s, jobs=1, before_s=1, notes=[])
    assert gain.is_large is is_large


def test_only_who_sees_the_job_asks(site: Served) -> None:
    """No one can ask about a job that wasted nothing, or that has its nodes to itself."""
    own, plain = key_of(site, "12"), key_of(site, "1")
    assert site.browser("meg").post(f"/jobs/{own}/gain").status_code == 200
    assert site.client().post(f"/jobs/{own}/gain").status_code == 401
    assert site.browser("root").post(f"/jobs/{plain}/gain").status_code == 404
    with Store.open(site.settings.store) as store:
        alone = wasteful("14", 0, 9_000, 60, exclusive=True, user_identifier="ben")
        store.put([alone], source="scheduler")
    exclusive = key_of(site, "14")
    page = site.browser("root").get(f"/jobs/{exclusive}", headers=PAGE).text
    assert "ask for 2 GiB." in page
    assert site.browser("root").post(f"/jobs/{exclusive}/gain").status_code == 404
    assert site.browser("ann").post(f"/jobs/{exclusive}/gain").status_code == 404


@pytest.mark.slow
@needs_chromium
def test_the_page_says_it_once_it_is_simulated(site: Served, browser: Browser) -> None:
    """No one needs to press a button: the script asks, waits and shows the sentence."""
    site.app.state.service.runner.start()
    with listening(site.app) as url:
        visitors = Visitors(browser, site, url)
        page = visitors.page("ann")
        page.goto(f"/jobs/{key_of(site, '12')}")
        expect(page.locator(".advice .gain")).to_have_text(SENTENCE)
        page.get_by_text("How this was computed").click()
        expect(page.locator(".advice .how")).to_contain_text("EASY backfilling")
        visitors.leave()
    site.app.state.service.runner.stop()
