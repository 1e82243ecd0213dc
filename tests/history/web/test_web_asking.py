"""Forms that ask for simulations, and pages of users and clusters with any name."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.history.records import job
from tests.history.web.served import ACCOUNTS, Served

from schedlab.history.site import read_site
from schedlab.history.store import Store
from schedlab.history.web.access import Role
from schedlab.history.web.access.accounts import put_account
from schedlab.history.web.settings import ServiceSettings
from schedlab.history.web.tasks.queue import MOST_UNFINISHED

PAGE = {"accept": "text/html"}
HOSTILE = 'a/b?c#d"><script>alert(1)</script> é'


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"policies": "eazy"}, 'did you mean "easy"?'),
        ({"policies": "os:system"}, 'unknown policy "os:system"'),
        ({"policies": "easy", "cluster": "on"}, 'did you mean "one"?'),
        ({"policies": "easy", "from": "yesterday"}, '"yesterday" is not a time'),
        ({"policies": "easy", "from": "2023-11-16", "to": "2023-11-15"}, "must lie before to"),
        ({"policies": "easy", "from": "0001-01-01"}, "lies too far from now"),
        ({"policies": "easy", "to": "9999-12-31T23:59-14:00"}, "lies too far from now"),
        ({"policies": "easy", "from": "2999-01-01", "to": "2999-01-02"}, None),
        ({"policies": "fcfs lcfs sjf ljf saf laf snf"}, "choose from 1 to 6"),
        ({}, "choose from 1 to 6"),
        ({"order": "fcf"}, 'unknown order "fcf"'),
        ({"order": "fcfs", "backfilling": "eazy"}, 'unknown way to backfill "eazy"'),
        ({"backfilling": "easy", "depth": "0"}, "depth is"),
        ({"backfilling": "easy", "depth": "1,predict=os:system"}, "unknown predictor"),
        ({"evolved": "evolved:/etc/passwd"}, "unknown policy"),
    ],
)
def test_what_is_wrong_with_a_what_if_is_told(
    served: Served, given: dict[str, str], told: str | None
) -> None:
    """The form's page says what is wrong, or the outcome of the simulation does."""
    answer = served.browser("meg").post("/what-if", data=given, headers=PAGE)
    if told is None:
        assert answer.status_code == 303
        assert served.app.state.service.runner.run_next()
        page = served.browser("meg").get(answer.headers["location"], headers=PAGE)
        assert "No job that has ended ran or was submitted in that time." in page.text
    else:
        assert answer.status_code == 400
        assert told.lower() in html.unescape(answer.text).lower()


def test_too_many_questions_are_refused(served: Served) -> None:
    """The page explains the limit; the service does not fail."""
    meg = served.browser("meg")
    answers = [
        meg.post("/what-if", data={"policies": policy}, headers=PAGE)
        for policy in ("easy", "fcfs", "sjf", "ljf", "sjf+easy")[: MOST_UNFINISHED + 1]
    ]
    assert [each.status_code for each in answers] == [*[303] * MOST_UNFINISHED, 400]
    assert "wait for one of them, or cancel it" in answers[-1].text


def test_a_task_is_followed_and_cancelled(served: Served) -> None:
    """The test follows the task as the script of the page does."""
    meg = served.browser("meg")
    place = meg.post("/what-if", data={"policies": "easy"}).headers["location"]
    page = meg.get(place, headers=PAGE).text
    task = re.findall(r'data-task="/tasks/(\w+)"', page)[0]
    followed = meg.get(f"/tasks/{task}").json()
    assert followed == {"state": "waiting", "progress": 0.0, "is_finished": False}
    assert meg.post(f"/tasks/{task}/cancel").headers["location"] == place
    assert meg.get(f"/tasks/{task}").json()["is_finished"]
    assert "Cancelled." in meg.get(place, headers=PAGE).text
    assert not served.app.state.service.runner.run_next()


@pytest.mark.slow
def test_times_are_those_of_the_site(served: Served) -> None:
    """A browser's time field has no time zone: noon there is noon at the site."""
    site = served.settings.site
    assert site is not None
    path = site.path
    path.write_text(path.read_text().replace('"tiny"', '"tiny"\ntime_zone = "Asia/Tokyo"'))
    own = Served(replace(served.settings, site=read_site(path)))
    given = {"policies": "easy", "from": "2023-11-15T21:00", "to": "2023-11-15T22:00"}
    root = own.browser("root")
    place = root.post("/what-if", data=given).headers["location"]
    assert own.app.state.service.runner.run_next()
    page = root.get(place, headers=PAGE).text
    assert "2023-11-15 21:00" in page
    assert "4 jobs ran or were submitted" in page
    own.close()


@pytest.mark.slow
def test_a_user_of_any_name_has_a_page(served: Served) -> None:
    """Names come from other systems; pages and links treat them as plain text."""
    with Store.open(served.settings.store) as store:
        record = job("66", queued_s=300, user_identifier=HOSTILE, accounting_group=HOSTILE)
        store.put([record], source="scheduler")
    sue = served.browser("sue")
    listed = sue.get("/users", headers=PAGE).text
    assert "<script>alert" not in listed
    links = [
        html.unescape(each) for each in re.findall(r'href="(/(?:users|groups)/[^"]+)"', listed)
    ]
    chosen = [each for each in links if "script" in each]
    assert len(chosen) == 2
    for link in chosen:
        page = sue.get(link, headers=PAGE)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert HOSTILE in html.unescape(page.text)
    asked = sue.post("/advice", data={"user": HOSTILE})
    assert sue.get(asked.headers["location"].removesuffix("#advice")).status_code == 200


@pytest.mark.slow
def test_nodes_without_names_are_not_told_apart(public: Served) -> None:
    """If a release drops node names, the page has no chart of nodes."""
    site = public.settings.site
    assert site is not None
    assert "figure" in public.client().get("/cluster", headers=PAGE).text
    page = public.client().get("/cluster", headers=PAGE).text
    assert not re.search(r"\bn0", re.sub(r"\?v=\w+|[\w+/]{24,}=*", "", page))
    page = public.client().get("/cluster", headers=PAGE).text
    pseudonyms = re.findall(r'"(node-\w+)"', page)
    assert pseudonyms == sorted(pseudonyms), "their places would tell which nodes they are"
    assert len(pseudonyms) == 2
    site.path.write_text(site.path.read_text() + '\n[release]\nnode = "drop"\nuser = "drop"\n')
    closed = Served(replace(public.settings, site=read_site(site.path)))
    page = closed.client().get("/cluster", headers=PAGE).text
    assert "No nodes are known" in page
    assert "No job that you may see ended" in closed.client().get("/users", headers=PAGE).text
    closed.close()


@pytest.mark.slow
def test_an_empty_history_has_pages_too(tmp_path: Path) -> None:
    """On a service's first day there is no job yet."""
    url = str(tmp_path / "history.db")
    Store.make(url).close()
    served = Served(ServiceSettings(url))
    with served.database.writing() as connection:
        put_account(connection, ACCOUNTS[Role.ADMIN])
    root = served.browser("root")
    for path in ("/users", "/cluster", "/what-if", "/admin"):
        assert root.get(path, headers=PAGE).status_code == 200, path
    asked = root.post("/what-if", data={"policies": "easy"}, headers=PAGE)
    assert asked.status_code == 303
    served.close()
