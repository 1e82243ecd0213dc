"""A service over a small store, to which tests send requests without a network, in any role."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from tests.history.records import job
from tests.history.tiny_site import tiny_site

from schedlab.history.pseudonyms import make_key
from schedlab.history.service_section import ServiceSection
from schedlab.history.site import read_site
from schedlab.history.store import Store
from schedlab.history.web.access import Role, Scope, passwords
from schedlab.history.web.access.accounts import Account, put_account
from schedlab.history.web.access.sessions import SESSION, begin_session, form_token
from schedlab.history.web.access.tokens import add_token
from schedlab.history.web.access.viewer import SCOPES
from schedlab.history.web.app import create_app
from schedlab.history.web.database import Database
from schedlab.history.web.settings import ServiceSettings

REAL_HASHER = passwords._hasher
"""The password hasher, before the tests replace it with a quicker one."""
PASSWORD = "correct horse battery"
ACCOUNTS = {
    Role.USER: Account("ann", Role.USER),
    Role.MANAGER: Account("meg", Role.MANAGER, frozenset({"physics"})),
    Role.SUPPORT: Account("sue", Role.SUPPORT),
    Role.ADMIN: Account("root", Role.ADMIN),
}
"""One account for each role that logs in; ann has ``PASSWORD``, the others have no password."""

JOBS = (
    job("1", user_identifier="ann", accounting_group="physics", job_name="anns-secret"),
    job("2", queued_s=60, user_identifier="ben", accounting_group="chemistry", job_name="bens"),
    job("3", queued_s=120, user_identifier="cid", accounting_group="physics", job_name="cids"),
    job("4", queued_s=180, user_identifier=None, accounting_group=None),
)
SEEN = {
    Role.PUBLIC: {"1", "2", "3", "4"},
    Role.USER: {"1"},
    Role.MANAGER: {"1", "3"},
    Role.SUPPORT: {"1", "2", "3", "4"},
    Role.ADMIN: {"1", "2", "3", "4"},
    Role.API: {"1", "2", "3", "4"},
}
"""The ids of the jobs that each role sees; the manager has no jobs of their own."""


class Direct(httpx.BaseTransport):
    """A transport that hands requests to the app as if they came from this address."""

    def __init__(self, app: FastAPI, loop: asyncio.Runner, address: str) -> None:
        self._app, self._loop, self._address = app, loop, address

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the app's answer, read to its end."""
        return self._loop.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        transport = httpx.ASGITransport(self._app, client=(self._address, 50_000))
        body = request.read()
        asked = httpx.Request(request.method, request.url, headers=request.headers, content=body)
        answer = await transport.handle_async_request(asked)
        content = b"".join([part async for part in answer.aiter_raw()])  # still compressed
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)


@dataclass
class Served:
    """A service and its clients."""

    settings: ServiceSettings

    @cached_property
    def app(self) -> FastAPI:
        """The service itself."""
        return create_app(self.settings)

    @cached_property
    def _loop(self) -> asyncio.Runner:
        return asyncio.Runner()

    @property
    def database(self) -> Database:
        """The store of the service."""
        database: Database = self.app.state.service.database
        return database

    def with_section(self, **section: Any) -> Served:
        """Return a service over the same store with other settings."""
        service = replace(self.settings.service, **section)
        return Served(replace(self.settings, service=service))

    def client(self, *, address: str = "192.0.2.1", scheme: str = "http") -> httpx.Client:
        """Return a client without credentials."""
        transport = Direct(self.app, self._loop, address)
        return httpx.Client(transport=transport, base_url=f"{scheme}://history.test")

    def browser(self, account: str, **options: Any) -> httpx.Client:
        """Return a browser logged in to the account; its requests carry the token of our forms."""
        client = self.client(**options)
        with self.database.writing() as connection:
            secret = begin_session(connection, account, 3_600)
        client.cookies.set(SESSION, secret)
        client.headers["x-form-token"] = form_token(secret)
        return client

    def program(
        self, account: str | None = None, scopes: Iterable[Scope] = SCOPES[Role.API]
    ) -> httpx.Client:
        """Return a program with a token of its own, or with a token of the account."""
        with self.database.writing() as connection:
            token = add_token(connection, "test", account=account, scopes=list(scopes))
        client = self.client()
        client.headers["authorization"] = f"Bearer {token}"
        return client

    def as_role(self, role: Role) -> httpx.Client:
        """Return a client in this role, with the usual credentials: none, a token or a login."""
        if role is Role.PUBLIC:
            return self.client()
        return self.program() if role is Role.API else self.browser(ACCOUNTS[role].name)

    def close(self) -> None:
        """Give the connections back."""
        if "app" in self.__dict__:
            self.database.close()
        self._loop.close()


def make_served(folder: Path, **section: Any) -> Served:
    """Make a site with four jobs of three users, and an account for each role."""
    site = tiny_site(folder)
    make_key(folder / "release.key")
    url = str(folder / "history.db")
    with Store.make(url) as store:
        store.put(JOBS, source="scheduler")
    database = Database(url)
    with database.writing() as connection:
        for account in ACCOUNTS.values():
            put_account(connection, account, PASSWORD if account.name == "ann" else None)
    database.close()
    return Served(ServiceSettings(url, site, ServiceSection(**section)))


def copied(made: Served, folder: Path) -> Served:
    """Copy the site to a new folder and return its service."""
    assert made.settings.site is not None
    shutil.copytree(made.settings.site.path.parent, folder)
    site = read_site(folder / "site.toml")
    return Served(replace(made.settings, store=str(folder / "history.db"), site=site))


def token_in(page: httpx.Response) -> str:
    """Return the form token that the first form of a page would send."""
    found = re.search(r'name="form_token" value="([^"]+)"', page.text)
    assert found, "the page has no form"
    return found[1]
