"""Alerts in the API, and a site without alerts."""

from __future__ import annotations

import time
from contextlib import closing

from tests.history.web.served import Served

from schedlab.history.alerts_section import AlertsSection


def look(served: Served, now_s: float) -> list[str]:
    """Let the service do what is due at this time."""
    done: list[str] = served.app.state.watcher.do_what_is_due(now_s)
    return done


def test_programs_read_alerts(demo: Served) -> None:
    """Programs need the scope for metrics; an acknowledged alert names the person."""
    look(demo, time.time() + 3_600)
    (alert,) = demo.program().get("/v1/alerts").json()["current"]
    assert (alert["kind"], alert["subject"]) == ("source-lag", "scheduler")


def test_a_site_without_the_section_says_so(common: Served) -> None:
    """The only regular work of such a site's service is to keep sums."""
    assert look(common, time.time() + 86_400) == ["sums"]
    assert "has no <code>[service.alerts]</code>" in common.browser("sue").get("/alerts").text
    with closing(common.with_section(alerts=AlertsSection(off=("queue",)))) as watching:
        told = watching.browser("sue").get("/alerts").text
    assert "Nothing is wrong." in told
    assert "No messages are sent" in told
