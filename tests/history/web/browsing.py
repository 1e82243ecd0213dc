"""A real browser that looks at a service on loopback and may contact no other host."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from tests.history.web.served import Served

from schedlab.history.web.access.sessions import SESSION, begin_session

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

expect.set_options(timeout=30_000)  # a busy machine takes its time
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Open the distribution's Chromium, never a downloaded one, until the block ends."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        yield browser
        browser.close()


class Visitors:
    """People with browsers; ``leave`` checks that nothing went wrong in any of them.

    Args:
        browser: the browser that they use.
        served: the service that they look at.
        url: where the service listens.
    """

    def __init__(self, browser: Browser, served: Served, url: str) -> None:
        self._browser, self._served, self.url = browser, served, url
        self._left = ExitStack()
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def page(self, account: str | None = None, **context: Any) -> Page:
        """Open an empty page, logged in to the account if one is named."""
        opened = self._browser.new_context(base_url=self.url, **context)
        self._left.callback(opened.close)
        opened.set_default_timeout(15_000)
        if account is not None:
            with self._served.database.writing() as connection:
                secret = begin_session(connection, account, 3_600)
            opened.add_cookies([{"name": SESSION, "value": secret, "url": self.url}])
        page = opened.new_page()
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._note)
        return page

    def leave(self) -> None:
        """Close everything, and check that nothing went wrong."""
        self._left.close()
        strangers = [
            url for url in self.requests if not url.startswith((f"{self.url}/", "data:", "blob:"))
        ]
        assert not strangers, "a page asked somebody else"
        assert not self.complaints, "a page had something to complain of"

    def _note(self, message: ConsoleMessage) -> None:
        """Note errors and warnings, including violations of the content security policy."""
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)
