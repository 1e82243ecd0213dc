"""The Operate page: state, steps, and answers, which need more than an account of the service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.history.web.accessible import faults
from tests.history.web.browsing import Visitors, chromium, needs_chromium
from tests.history.web.listening import listening
from tests.history.web.served import Served, copied

from schedlab.cli.served_loop import ServedLoop
from schedlab.live.ledger import Ledger
from schedlab.operate.gate import Gate, hash_of
from schedlab.operate.record import LOG


@pytest.fixture
def asking(_made: Served, tmp_path: Path) -> Iterator[tuple[Served, Gate, str]]:
    """A service whose loop asks whether a policy may steer; its gate, and the code."""
    folder = tmp_path / "site"
    gate = Gate(folder / "operate")
    (folder / "operate" / "answers").mkdir(parents=True)
    code = gate.ask("saf")
    ledger = Ledger(folder / "operate" / LOG)
    ledger.add("round", 1.8e9, round=1)
    tested = {"policy": "saf", "difference": -0.2, "interval": [-0.3, -0.1]}
    ledger.add("tested", 1.8e9 + 60, round=1, good=True, digest="0123456789abcdef", **tested)
    watched = {"policy": "saf", "difference": 0.02, "interval": None}
    ledger.add("watched", 1.8e9 + 90, round=1, good=True, **watched)
    ledger.add("asked", 1.8e9 + 120, round=1, policy="saf", code_hash=hash_of(code))
    own = copied(_made, tmp_path / "service")
    served = Served(replace(own.settings, loop=ServedLoop(folder)))
    yield served, gate, code
    served.close()


@needs_chromium
@pytest.mark.slow
def test_an_administrator_answers_with_the_code(asking: tuple[Served, Gate, str]) -> None:
    """A wrong code is not a yes; the page is accessible in both themes, on a desk and a phone."""
    served, gate, code = asking
    with chromium() as browser, listening(served.app) as url:
        visitors = Visitors(browser, served, url)
        for width in (1200, 400):
            page = visitors.page("root", viewport={"width": width, "height": 900})
            page.goto("/operate")
            expect(page.locator("#steps tbody tr").nth(2)).to_contain_text("-20.0% (95 %: -30.0%")
            expect(page.locator("#effects figure[data-drawn]")).to_be_visible()
            page.locator("#effects summary").click()
            rows = page.locator("#effects tbody tr")
            expect(rows).to_have_count(2)
            expect(rows.nth(0)).to_contain_text("-30.0% to -10.0%")
            expect(rows.nth(1)).to_contain_text("while it steered")
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert not faults(page)
        page.get_by_label("Code").fill("wrong")
        page.get_by_role("button", name="Let it steer").click()
        expect(page.get_by_role("status")).to_contain_text("It counts if its code is right")
        assert gate.heard(hash_of(code)) is None
        page.get_by_label("Code").fill(code)
        page.get_by_role("button", name="Let it steer").click()
        expect(page.get_by_role("status")).to_contain_text("The loop has the answer")
        answer = gate.heard(hash_of(code))
        assert answer is not None
        assert (answer.yes, answer.who) == (True, "root, on the page")


def test_only_administrators_see_it(asking: tuple[Served, Gate, str]) -> None:
    """Support staff may not see the page."""
    served, _, _ = asking
    assert served.browser("root").get("/operate").status_code == 200
    assert served.browser("sue").get("/operate").status_code == 403
