"""Reports go only to users who want them, and cover only what these users may see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date

import pytest
from tests.history.web.served import Served
from tests.services.smtp import Postbox, mail_server

from schedlab.history.notify.section import MailSection
from schedlab.history.reports_section import ReportsSection
from schedlab.history.web.reports.period import Period

WEEK = Period.around("week", date(2023, 11, 15), UTC)


@pytest.fixture
def box() -> Iterator[Postbox]:
    """A mail server."""
    with mail_server() as found:
        yield found


@pytest.fixture
def sending(served: Served, box: Postbox) -> Iterator[Served]:
    """A service that sends reports to users."""
    mail = MailSection(server="127.0.0.1", port=box.port, sender="schedlab@example.org")
    site = served.settings.site
    assert site is not None
    reports = ReportsSection(users=True, hour=0)
    service = replace(site.service, mail=mail, reports=reports)
    settings = replace(served.settings, site=replace(site, service=service), service=service)
    with closing(Served(settings)) as opened:
        yield opened


def ask(served: Served, account: str, period: str = "week", address: str = "") -> str:
    """Ask for reports on the page of the account, and return it."""
    send = {"address": address or f"{account}@example.org", "period": period}
    return served.browser(account).post("/account/reports", data=send, follow_redirects=True).text


def due(served: Served) -> None:
    """Let the week end."""
    served.app.state.watcher.do_what_is_due(WEEK.to_s + 1)


def test_a_user_asks_for_reports_and_gets_their_own(sending: Served, box: Postbox) -> None:
    """The message covers no other user's jobs; a user who has not asked gets none."""
    assert "<strong>ann@example.org</strong>" in ask(sending, "ann")
    due(sending)
    assert box.to == ["ann@example.org"]
    (message,) = box.messages
    assert message["subject"] == "tiny: Report on user ann, 13 November to 19 November 2023"
    assert "ben" not in message.as_string()
    assert "chemistry" not in message.as_string()


def test_a_manager_gets_those_of_their_groups(sending: Served, box: Postbox) -> None:
    """Support gets the report on the site."""
    ask(sending, "meg")
    ask(sending, "sue")
    due(sending)
    assert sorted(each["subject"].split(", ")[0] for each in box.messages) == [
        "tiny: Report on group physics",
        "tiny: Report on tiny",
    ]


def test_who_wants_no_more_gets_no_more(sending: Served, box: Postbox) -> None:
    """An account that asked for another period gets no weekly report, either."""
    ask(sending, "ann")
    assert "No report is sent to you." in ask(sending, "ann", period="")
    ask(sending, "meg", "month")
    due(sending)
    assert box.messages == []


def test_a_wrong_address_is_told(sending: Served) -> None:
    """Two addresses in one field are also wrong."""
    for wrong in ("ann", "a@b, c@d"):
        assert "must be an address such as" in ask(sending, "ann", address=wrong)
    assert "Unknown period" in ask(sending, "ann", "day")


def test_a_site_that_sends_none_has_no_form(served: Served) -> None:
    """The site also refuses a request for reports."""
    browser = served.browser("ann")
    assert "Reports by e-mail" not in browser.get("/account").text
    assert browser.post("/account/reports", data={"period": "week"}).status_code == 403
