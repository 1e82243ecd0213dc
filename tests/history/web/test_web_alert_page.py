"""An alert on its page, in a browser."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect
from tests.history.web.accessible import faults
from tests.history.web.browsing import Visitors, needs_chromium
from tests.history.web.served import Served

pytestmark = [pytest.mark.slow, needs_chromium]


def look(served: Served, now_s: float) -> list[str]:
    """Let the service do what is due at this time."""
    done: list[str] = served.app.state.watcher.do_what_is_due(now_s)
    return done


def test_an_alert_is_acknowledged_on_its_page(visitors: Visitors, demo: Served) -> None:
    """The first page shows the alert until then; the demo's last job ended long ago."""
    assert "alerts" in look(demo, time.time())
    assert look(demo, time.time()) == []
    page = visitors.page("helpdesk", color_scheme="dark", viewport={"width": 400, "height": 900})
    page.goto("/")
    page.get_by_role("link", name="One alert is not acknowledged").click()
    row = page.get_by_role("list", name="Alerts that hold").locator("li")
    expect(row).to_contain_text('No job of source "scheduler" has ended in the last 1.00 d.')
    assert faults(page) == []
    row.get_by_role("button", name="Acknowledge: source-lag, scheduler").click()
    expect(row).to_contain_text("acknowledged by helpdesk")
    page.goto("/")
    expect(page.locator(".alert")).to_have_count(0)
