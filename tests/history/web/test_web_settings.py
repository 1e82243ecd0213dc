"""``[service]`` of the site file, and the messages about its mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.history.tiny_site import tiny_site
from tests.history.web.served import Served

from schedlab.errors import InputError, ParameterError, StoreError
from schedlab.history.service_section import OidcSection, ProxySection, ServiceSection
from schedlab.history.web.serve import ServicePlace

WHOLE = """
[service]
prefix = "/history"
public = true
session_hours = 8

[service.proxy]
addresses = ["127.0.0.1", "10.1.0.0/16"]
user_header = "X-Remote-User"

[service.oidc]
issuer = "https://sso.example.org"
client_id = "schedlab"
client_secret_file = "secret"
"""


def test_a_site_says_how_it_is_served(tmp_path: Path) -> None:
    """A missing key has its default, and a missing section is off."""
    assert tiny_site(tmp_path).service == ServiceSection()
    found = tiny_site(tmp_path, WHOLE).service
    assert found == ServiceSection(
        prefix="/history",
        public=True,
        session_hours=8.0,
        proxy=ProxySection(addresses=("127.0.0.1", "10.1.0.0/16"), user_header="X-Remote-User"),
        oidc=OidcSection(
            issuer="https://sso.example.org", client_id="schedlab", client_secret_file="secret"
        ),
    )
    assert found.login_failures == 5


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ("service = 3", r"\[service\] is 3; must be a section"),
        ("[service]\nprefx = '/x'", 'unknown key or section of .service. "prefx"; did you mean'),
        ("[service]\nprefix = 'x/'", 'prefix is "x/"; must look like /history'),
        ("[service]\nsession_hours = 0", "session_hours is 0; must be > 0"),
        ("[service]\npublic = 1", "public is 1; must be true or false"),
        ("[service.proxy]\naddresses = ['nginx']", "addresses: 'nginx' does not appear to be"),
        ("[service.proxy]\nuser_header = 'X'", r"\[service.proxy\] lacks the key addresses"),
        ("[service.oidc]\nissuer = 'x'", r"\[service.oidc\] lacks the key client_id"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, section: str, sentence: str) -> None:
    """The message names the file."""
    tiny_site(tmp_path)
    path = tmp_path / "site.toml"
    texts = [path.read_text(), section]
    path.write_text("\n".join(reversed(texts) if section.startswith("service") else texts))
    with pytest.raises(InputError, match=f"site.toml.*{sentence}"):
        ServicePlace(site=str(path)).settings()


def test_a_service_is_found_by_its_site_or_its_store(tmp_path: Path) -> None:
    """An option replaces what the site file says."""
    tiny_site(tmp_path, WHOLE)
    site = str(tmp_path / "site.toml")
    assert ServicePlace(site=site).settings().store == str(tmp_path / "history.db")
    other = ServicePlace(site=site, store="other.db", prefix="").settings()
    assert (other.store, other.service.prefix) == ("other.db", "")
    alone = ServicePlace(store="other.db").settings()
    assert (alone.site, alone.service) == (None, ServiceSection())
    with pytest.raises(ParameterError, match="name a site file or a store"):
        ServicePlace().settings()


def test_a_public_site_needs_its_key(served: Served) -> None:
    """Without the key, names could not be replaced, so nothing is served."""
    assert served.settings.site is not None
    (served.settings.site.path.parent / "release.key").unlink()
    with pytest.raises(InputError, match=r"release.key: does not exist"):
        _ = served.with_section(public=True).app


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """Otherwise a misspelt name would serve an empty history."""
    missing = Served(ServicePlace(store=str(tmp_path / "missing.db")).settings())
    with pytest.raises(StoreError, match="does not exist; make it with: schedlab history init"):
        _ = missing.app
    assert not (tmp_path / "missing.db").exists()
