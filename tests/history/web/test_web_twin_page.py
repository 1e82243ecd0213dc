"""The twin's page in a browser: in both themes, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import expect
from tests.history.web.accessible import faults
from tests.history.web.browsing import Visitors, chromium, needs_chromium
from tests.history.web.listening import listening
from tests.history.web.served import Served, copied
from tests.slurm.tiny_site import job
from tests.slurm.tiny_site import make as make

from schedlab.cli.served_twin import ServedTwin
from schedlab.slurm import SlurmSite

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture
def twinned(make: Callable[..., SlurmSite], _made: Served, tmp_path: Path) -> Iterator[Served]:
    """A service with the twin of four nodes and thirty jobs."""
    make(*(job(number, 20.0 * number, 1 + number % 4, 600, 90.0) for number in range(30)))
    own = copied(_made, tmp_path / "service")
    with_twin = Served(replace(own.settings, twin=ServedTwin(tmp_path / "site")))
    yield with_twin
    with_twin.close()


@needs_chromium
@pytest.mark.slow
def test_the_page_of_the_twin(twinned: Served) -> None:
    """An operator changes a field, waits, and reads the table; the page is accessible."""
    with chromium() as browser, listening(twinned.app) as url:
        visitors = Visitors(browser, twinned, url)
        page = visitors.page("root", viewport={"width": 1200, "height": 900})
        page.goto("/what-if")
        page.get_by_role("link", name="configuration of Slurm").click()
        page.get_by_label("bf_interval").fill("5")
        page.get_by_label("More nodes").fill("1:z1")
        page.get_by_label("Phases").fill("2")
        assert not faults(page)
        page.get_by_role("button", name="Replay").click()
        expect(page.get_by_role("status")).to_contain_text("Waiting")
        twinned.app.state.service.runner.run_next()
        expect(page.locator("#result")).to_contain_text("instead of 30")
        expect(page.locator("#result tbody tr").first).to_contain_text("all")
        place = page.url
        for width in (1200, 400):
            page = visitors.page("root", viewport={"width": width, "height": 900})
            page.goto(place)
            expect(page.locator(".bk-Figure").first).to_be_visible()
            page.locator("#settings > summary").click()
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                assert not faults(page, of_colours=scheme == "dark"), (scheme, width)
        visitors.leave()


@needs_chromium
@pytest.mark.slow
def test_the_miniature_site_has_a_twin(visitors: Visitors, demo: Served) -> None:
    """A person who tries the service finds the page, changes a value, and reads the result."""
    page = visitors.page("admin", viewport={"width": 1200, "height": 900})
    page.goto("/what-if")
    page.get_by_role("link", name="configuration of Slurm").click()
    expect(page.get_by_label("bf_interval")).to_have_value("60")
    page.get_by_label("More nodes").fill("2:n01")
    page.get_by_label("Phases").fill("1")
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("status")).to_contain_text("Waiting")
    demo.app.state.service.runner.run_next()
    expect(page.locator("#result h2")).to_contain_text("mini, Slurm 24.11")
    row = page.locator("#result tbody tr").first
    expect(row).to_contain_text("all")
    assert "−" in row.inner_text() or "-" in row.inner_text(), "more nodes, and no shorter waits"
    assert not faults(page)
