"""The login page and the account page in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.history.web.accessible import faults
from tests.history.web.browsing import Visitors, needs_chromium

from schedlab.history.web.access.first_run import DEMO_PASSWORD

pytestmark = [pytest.mark.slow, needs_chromium]

PHONE = {"viewport": {"width": 390, "height": 844}}


def log_in(page: Page, name: str = "ada", password: str = DEMO_PASSWORD) -> None:
    """Fill in and send the form with the keyboard, as a person does."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def test_one_logs_in_on_the_way_to_a_page_and_out_again(visitors: Visitors) -> None:
    """A mistyped password keeps the name; after logging out, the back button shows nothing."""
    page = visitors.page()
    page.goto("/account")
    expect(page).to_have_title(re.compile("^Log in"))
    log_in(page, password="mistyped it")
    expect(page.get_by_role("alert")).to_contain_text("Wrong name or password")
    expect(page.get_by_label("Name")).to_have_value("ada")
    expect(page.get_by_label("Password")).to_be_focused()
    visitors.complaints.clear()  # the browser has noted the answer 401
    log_in(page)
    expect(page).to_have_url(f"{visitors.url}/account")
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_title(re.compile("^Log in"))
    page.go_back()
    expect(page).to_have_title(re.compile("^Log in"))


def test_one_makes_a_token_and_withdraws_it(visitors: Visitors) -> None:
    """The token is shown only once, and has the rights of its owner in the API."""
    page = visitors.page("boole")
    page.goto("/account")
    page.get_by_label("Name").fill("notebook")
    page.get_by_role("button", name="Make a token").click()
    token = page.locator(".secret").inner_text()
    header = {"authorization": f"Bearer {token}"}
    assert page.request.get("/v1/jobs", headers=header).status == 200
    page.goto("/account")
    expect(page.locator(".secret")).to_have_count(0)
    page.get_by_role("button", name="Withdraw the token notebook").click()
    expect(page.locator("table")).to_have_count(0)
    assert page.request.get("/v1/jobs", headers=header).status == 401


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [{}, PHONE], ids=["desk", "phone"])
def test_everybody_can_use_these_pages(
    visitors: Visitors, scheme: str, device: dict[str, Any]
) -> None:
    """Labels, contrast and width are right in light and dark, on a desk and on a phone."""
    for account, path in ((None, "/login"), ("admin", "/account"), ("leader", "/account")):
        page = visitors.page(account, color_scheme=scheme, **device)
        page.goto(path)
        assert faults(page) == []


def test_a_login_needs_no_mouse(visitors: Visitors) -> None:
    """The focus begins in the first field, and the Tab key leads on."""
    page = visitors.page()
    page.goto("/login")
    for place in (
        page.get_by_label("Name"),
        page.get_by_label("Password"),
        page.get_by_role("button", name="Log in"),
    ):
        expect(place).to_be_focused()
        expect(place).not_to_have_css("outline-style", "none")
        page.keyboard.press("Tab")
