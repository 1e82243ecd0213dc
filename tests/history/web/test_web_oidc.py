"""Logging in at an honest OpenID Connect provider, and at dishonest ones."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from joserfc.jwk import RSAKey
from tests.history.web.provider import CLIENT, SECRET, ScriptedProvider, scripted_provider
from tests.history.web.served import Served

from schedlab.errors import InputError
from schedlab.history.service_section import OidcSection
from schedlab.history.web.access import Role
from schedlab.history.web.access.accounts import Account, Origin, find_account, put_account
from schedlab.history.web.access.sessions import SESSION

pytestmark = pytest.mark.slow
PAGE = {"accept": "text/html"}


@pytest.fixture(scope="module")
def _running() -> Iterator[ScriptedProvider]:
    with scripted_provider() as running:
        yield running


@pytest.fixture
def provider(_running: ScriptedProvider) -> ScriptedProvider:
    """A provider that is honest unless the test changes it."""
    fresh = ScriptedProvider(key=_running.key)
    for name, value in vars(fresh).items():
        if name != "url":
            setattr(_running, name, value)
    return _running


@pytest.fixture
def at_provider(served: Served, provider: ScriptedProvider) -> Iterator[Served]:
    """A service whose users may log in at the provider."""
    assert served.settings.site is not None
    (served.settings.site.path.parent / "secret").write_text(f"{SECRET}\n")
    section = OidcSection(
        issuer=provider.url,
        client_id=CLIENT,
        client_secret_file="secret",
        label="Uni login",
        admin_groups=("hpc-admins",),
        support_groups=("hpc-support",),
        manager_prefix="pi-",
    )
    behind = served.with_section(oidc=section)
    yield behind
    behind.close()


def log_in(
    service: Served, provider: ScriptedProvider, next: str = "", **claims: Any
) -> tuple[httpx.Client, httpx.Response]:
    """Go to the provider, log in there, and come back with what it says."""
    client = service.client()
    provider.claims |= {"preferred_username": "zoe", **claims}
    sent = client.get("/login/oidc", params={"next": next})
    assert sent.status_code == 303, sent.text
    return client, client.get(provider.log_in(sent.headers["location"]), headers=PAGE)


def account(service: Served, name: str) -> Account | None:
    """Return the account as the store has it."""
    with service.database.reading() as connection:
        return find_account(connection, name)


def test_who_logs_in_at_the_provider_has_a_session(
    at_provider: Served, provider: ScriptedProvider
) -> None:
    """The service sends the code and the verifier, and its secret in the header only."""
    client, answer = log_in(at_provider, provider, "/account")
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    assert "zoe" in client.get("/", headers=PAGE).text
    assert account(at_provider, "zoe") == Account("zoe", Role.USER, origin=Origin.OIDC)
    _, authorization, form = next(each for each in provider.asked if each[0] == "/token")
    known = b64decode(authorization.removeprefix("Basic ")).decode()
    assert unquote(known) == f"{CLIENT}:{SECRET}"
    assert SECRET not in form.values()


def test_a_provider_may_want_the_secret_in_the_form(
    at_provider: Served, provider: ScriptedProvider
) -> None:
    """The service sends the secret in the form if the provider supports no other way."""
    provider.description["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    _, answer = log_in(at_provider, provider)
    assert answer.status_code == 303
    form = next(each[2] for each in provider.asked if each[0] == "/token")
    assert (form["client_id"], form["client_secret"]) == (CLIENT, SECRET)


@pytest.mark.parametrize(
    ("groups", "role", "managed"),
    [
        ([], Role.USER, set()),
        (["pi-physics", "pi-optics", "staff"], Role.MANAGER, {"physics", "optics"}),
        (["hpc-support", "pi-physics"], Role.SUPPORT, set()),
        (["hpc-support", "hpc-admins"], Role.ADMIN, set()),
        ("hpc-admins", Role.USER, set()),
        (None, Role.USER, set()),
    ],
)
def test_groups_give_roles(
    at_provider: Served, provider: ScriptedProvider, groups: Any, role: Role, managed: set[str]
) -> None:
    """The highest role counts; a claim of another shape is ignored."""
    log_in(at_provider, provider, groups=groups)
    found = account(at_provider, "zoe")
    assert found is not None
    assert (found.role, set(found.groups)) == (role, managed)


def test_a_role_ends_with_the_group(at_provider: Served, provider: ScriptedProvider) -> None:
    """A former administrator is a plain user from the next login on."""
    log_in(at_provider, provider, groups=["hpc-admins"])
    log_in(at_provider, provider, groups=[])
    found = account(at_provider, "zoe")
    assert found is not None
    assert found.role is Role.USER


def refused(service: Served, provider: ScriptedProvider, **claims: Any) -> httpx.Response:
    """Check that the login gives no session, and return the answer."""
    client, answer = log_in(service, provider, **claims)
    assert SESSION not in client.cookies
    assert answer.status_code in (400, 403, 502)
    return answer


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://another.test"},
        {"aud": "another client"},
        {"aud": [CLIENT, "another"], "azp": "another"},
        {"exp": 1},
        {"exp": None},
        {"nonce": "another"},
        {"iat": 4_000_000_000},
        {"preferred_username": ""},
        {"preferred_username": None},
        {"preferred_username": ["root"]},
        {"preferred_username": "<script>"},
    ],
    ids=str,
)
def test_a_token_for_another_purpose_is_refused(
    at_provider: Served, provider: ScriptedProvider, claims: dict[str, Any]
) -> None:
    """The provider signed the token, but for another client, login or time, or for no real user."""
    refused(at_provider, provider, **claims)


def test_a_token_that_another_signed_is_refused(
    at_provider: Served, provider: ScriptedProvider
) -> None:
    """Such a token is refused even if it names the provider's key."""
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "first"})
    refused(at_provider, provider)


@pytest.mark.parametrize("algorithm", ["HS256 with nothing", "HS256 with the public key", "none"])
def test_a_token_without_a_real_signature_is_refused(
    at_provider: Served, provider: ScriptedProvider, algorithm: str
) -> None:
    """The token is unsigned, or signed with an empty secret or with the public key."""
    provider.header = {"alg": algorithm.split()[0], "kid": "first"}
    public = provider.key.as_pem(private=False)
    provider.shared_key = public if "public" in algorithm else b""
    refused(at_provider, provider)


def test_new_keys_of_the_provider_are_fetched(
    at_provider: Served, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Providers change their keys; the service asks for them at most once a minute."""
    assert log_in(at_provider, provider)[1].status_code == 303
    provider.key = RSAKey.generate_key(2048, {"kid": "second"})
    provider.header = {"alg": "RS256", "kid": "second"}
    refused(at_provider, provider)
    monkeypatch.setattr("schedlab.history.web.access.oidc._KEYS_KEPT_S", 0.0)
    assert log_in(at_provider, provider)[1].status_code == 303


def test_an_account_kept_here_is_not_taken_over(
    at_provider: Served, provider: ScriptedProvider
) -> None:
    """Somebody whom the provider calls root is not our root."""
    refused(at_provider, provider, preferred_username="root")
    found = account(at_provider, "root")
    assert found is not None
    assert found.origin is Origin.LOCAL


def test_a_disabled_account_stays_out(at_provider: Served, provider: ScriptedProvider) -> None:
    """A disabled account cannot log in, whatever the provider says."""
    with at_provider.database.writing() as connection:
        put_account(connection, Account("zoe", Role.USER, origin=Origin.OIDC, enabled=False))
    refused(at_provider, provider)


@pytest.mark.parametrize("query", ["code=the-code&state=guessed", "code=the-code", "state="])
def test_a_login_that_was_not_begun_here_does_not_end_here(
    at_provider: Served, provider: ScriptedProvider, query: str
) -> None:
    """Otherwise another site could log the browser in to its own account, with its own code."""
    client = at_provider.client()
    for _ in range(2):
        answer = client.get(f"/login/oidc/callback?{query}")
        assert (answer.status_code, SESSION in answer.cookies) == (400, False)
        client.get("/login/oidc")  # so that the second one follows another login that was begun


def test_a_user_whom_the_provider_turns_away_is_told_so(
    at_provider: Served, provider: ScriptedProvider
) -> None:
    """The provider's error text is not shown, as anyone could have written it."""
    client = at_provider.client()
    back = provider.log_in(client.get("/login/oidc").headers["location"])
    answer = client.get(f"{back}&error=access_denied&error_description=<b>call</b>", headers=PAGE)
    assert answer.status_code == 403
    assert "call" not in answer.text


def test_a_provider_that_is_down_or_calls_itself_otherwise_is_not_used(
    at_provider: Served, provider: ScriptedProvider
) -> None:
    """The provider's address is only in the log, as users need not know it."""
    provider.description["issuer"] = "https://another.test"
    answer = at_provider.client().get("/login/oidc")
    assert answer.status_code == 502
    assert provider.url not in answer.text


def test_the_login_page_shows_the_way(at_provider: Served, provider: ScriptedProvider) -> None:
    """The link has the name that users know, and the page that they wanted."""
    page = at_provider.client().get("/login?next=/account", headers=PAGE).text
    assert "Continue with Uni login" in page
    assert 'href="/login/oidc?next=/account"' in page


def test_the_secret_must_be_there_when_the_service_starts(served: Served, tmp_path: Path) -> None:
    """A missing secret stops the service at its start, not the first user at the login."""
    section = OidcSection(issuer="https://x", client_id="c", client_secret_file="missing")
    with pytest.raises(InputError, match=r"client secret .*missing: no such file"):
        _ = served.with_section(oidc=section).app
