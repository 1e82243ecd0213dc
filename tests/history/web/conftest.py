"""Services for the tests, and a browser to look at them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from playwright.sync_api import Browser
from tests.history.web.browsing import Visitors, chromium
from tests.history.web.listening import listening
from tests.history.web.served import Served, copied, make_served
from tests.slurm.tiny_site import job, make_in

from schedlab.cli.demo_twin import make_demo_twin
from schedlab.cli.serve import TWIN
from schedlab.cli.served_twin import ServedTwin
from schedlab.history.demo import store_demo
from schedlab.history.web.access import passwords
from schedlab.history.web.access.first_run import put_demo_accounts
from schedlab.history.web.database import Database
from schedlab.history.web.serve import ServicePlace


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """Hash passwords quickly: the real hash is slow on purpose, and tests need hundreds."""
    with pytest.MonkeyPatch.context() as patch:
        quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(passwords, "_hasher", lambda: quick)
        yield


@pytest.fixture(scope="session")
def _made(_quick_passwords: None, tmp_path_factory: pytest.TempPathFactory) -> Served:
    """The service that is made once and copied for the tests."""
    return make_served(tmp_path_factory.mktemp("service"))


@pytest.fixture
def served(_made: Served, tmp_path: Path) -> Iterator[Served]:
    """The test's own service, closed to the public."""
    own = copied(_made, tmp_path / "site")
    yield own
    own.close()


@pytest.fixture(scope="module")
def common(_made: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service that all tests of a module share."""
    own = copied(_made, tmp_path_factory.mktemp("common") / "site")
    yield own
    own.close()


@pytest.fixture(scope="module")
def twinned(_made: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service that a module's tests share, with the twin of a Slurm of four nodes and 30 jobs."""
    folder = tmp_path_factory.mktemp("twinned")
    make_in(folder, *(job(each, 20.0 * each, 1 + each % 4, 600, 90.0) for each in range(30)))
    own = copied(_made, folder / "service")
    with_twin = Served(replace(own.settings, twin=ServedTwin(folder / "site")))
    yield with_twin
    with_twin.close()


@pytest.fixture
def public(served: Served) -> Iterator[Served]:
    """The same service, open to the public."""
    opened = served.with_section(public=True)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def demo_folder(_quick_passwords: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The miniature site with its accounts, made once."""
    folder = tmp_path_factory.mktemp("demo")
    site = store_demo(folder)
    make_demo_twin(site.path)
    database = Database(site.store.located(folder))
    with database.writing() as connection:
        put_demo_accounts(connection)
    database.close()
    return folder


@pytest.fixture(scope="module")
def demo(demo_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A copy of the miniature site for each module."""
    folder = tmp_path_factory.mktemp("copy") / "site"
    shutil.copytree(demo_folder, folder)
    own = Served(ServicePlace(site=str(folder / "site.toml"), twin=TWIN).settings())
    yield own
    own.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, closed after the module: while it is open, no test can run its own event loop."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def demo_url(demo: Served) -> Iterator[str]:
    """The URL at which the miniature site listens."""
    with listening(demo.app) as url:
        yield url


@pytest.fixture
def visitors(browser: Browser, demo: Served, demo_url: str) -> Iterator[Visitors]:
    """People who look at the miniature site."""
    who = Visitors(browser, demo, demo_url)
    yield who
    who.leave()
