"""Every page in a browser: the navigation is one line, and the words are for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.history.records import NOON_S
from tests.history.web.accessible import faults
from tests.history.web.browsing import Visitors, chromium, needs_chromium
from tests.history.web.listening import listening
from tests.history.web.served import Served, copied

from schedlab.cli.served_loop import ServedLoop
from schedlab.history.job_archive.move import move_jobs
from schedlab.history.site import read_site
from schedlab.history.store import Store
from schedlab.history.web.navigation import PAGES

pytestmark = [pytest.mark.slow, needs_chromium]

MACHINE_WORDS = re.compile(r"\b(None|nan|NaN|null|undefined|Infinity|[a-z]+_[a-z_]+)\b")
"""Words of programs: empty values, and names of columns and parameters."""
WORDS = """() => {
  const copy = document.querySelector("main").cloneNode(true);
  for (const code of copy.querySelectorAll("code, pre, script, style, kbd")) code.remove();
  return copy.textContent;
}"""

MIDDLES = """all => all.map(each => each.getBoundingClientRect())
  .filter(box => box.height > 0).map(box => box.top + box.height / 2)"""


@pytest.fixture(scope="module")
def visitors(_made: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitors]:
    """A browser at a service with a loop, and with an archive that holds two of its four jobs."""
    folder = tmp_path_factory.mktemp("pages")
    own = copied(_made, folder / "site")
    site_file = folder / "site" / "site.toml"
    site_file.write_text(site_file.read_text() + '[archive]\nfolder = "kept"\n')
    with Store.open(own.settings.store) as store:
        assert move_jobs(store, folder / "site" / "kept", NOON_S + 200).jobs == 2
    settings = replace(own.settings, site=read_site(site_file), loop=ServedLoop(Path(folder)))
    served = Served(settings)
    with chromium() as browser, listening(served.app) as url:
        looking = Visitors(browser, served, url)
        yield looking
        looking.leave()
    served.close()


def test_the_navigation_is_one_line_and_the_words_are_for_people(visitors: Visitors) -> None:
    """The line holds every entry at 1200 pixels; names used by programs appear only as code."""
    page = visitors.page("root", viewport={"width": 1200, "height": 900})
    page.goto("/")
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    expect(links).to_have_count(len(PAGES))
    for each, path in [(link.inner_text(), link.get_attribute("href")) for link in links.all()]:
        page.goto(path or "")
        expect(page.locator("main h1").first).to_be_visible()
        middles = page.locator(".bar nav a, .bar .who > *").evaluate_all(MIDDLES)
        assert max(middles) - min(middles) < 10, each
        if each != "API":  # this page is about such words
            found = MACHINE_WORDS.findall(page.evaluate(WORDS))
            assert not found, (each, found)


def test_an_archived_job_is_found_by_its_id(visitors: Visitors) -> None:
    """The list says that jobs are missing; the form finds the job, and its page is complete."""
    for width in (1200, 400):
        page = visitors.page("sue", viewport={"width": width, "height": 900})
        page.goto("/jobs")
        expect(page.get_by_text("are in the archive")).to_be_visible()
        page.goto("/jobs?jobid=2")
        page.get_by_role("link", name="job 2", exact=True).click()
        expect(page.locator("h1")).to_contain_text("2")
        expect(page.locator("main")).to_contain_text("ben")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert faults(page) == []
