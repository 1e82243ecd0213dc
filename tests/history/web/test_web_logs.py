"""Even at its most verbose, the log holds nothing with which anyone could log in."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from tests.history.web.provider import CLIENT, SECRET, scripted_provider
from tests.history.web.served import PASSWORD, Served, token_in

from schedlab.history.service_section import OidcSection
from schedlab.history.web.access.sessions import FORM, SESSION

PAGE = {"accept": "text/html"}
MISTYPED = "my password in the wrong field"


def secrets_of_a_visit(served: Served) -> Iterator[str]:
    """Log in, use a token, mistype and log out, and yield what the log must not hold."""
    client = served.client()
    form = client.get("/login")
    yield client.cookies[FORM]
    fields = {"form_token": token_in(form), "name": "ann", "password": PASSWORD}
    yield from (fields["form_token"], PASSWORD)
    client.post("/login", data={**fields, "name": MISTYPED})
    yield MISTYPED
    client.post("/login", data={**fields, "password": "a wrong one"})
    yield "a wrong one"
    client.post("/login", data=fields)
    yield client.cookies[SESSION]
    program = served.program()
    program.get("/metrics")
    yield program.headers["authorization"].removeprefix("Bearer ")
    served.client().get("/metrics", headers={"authorization": "Bearer schedlab_mistyped"})
    yield "schedlab_mistyped"
    client.post("/logout", data={"form_token": token_in(client.get("/", headers=PAGE))})


def test_a_visit_leaves_no_secret_in_the_log(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """People who read logs, or are sent them, must not be able to log in with them."""
    caplog.set_level(logging.DEBUG)
    secrets = list(secrets_of_a_visit(served))
    assert "login: ann" in caplog.text
    assert "login refused: ann" in caplog.text
    for secret in secrets:
        assert secret not in caplog.text


@pytest.mark.slow
def test_a_login_at_the_provider_leaves_no_secret_in_the_log(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """This covers our secrets and the provider's, even if the provider's answer is refused."""
    assert served.settings.site is not None
    (served.settings.site.path.parent / "secret").write_text(SECRET)
    caplog.set_level(logging.DEBUG)
    with scripted_provider() as provider:
        section = OidcSection(issuer=provider.url, client_id=CLIENT, client_secret_file="secret")
        behind = served.with_section(oidc=section)
        for claims in ({"preferred_username": "zoe"}, {"nonce": "replayed"}):
            provider.claims = claims
            client = behind.client()
            back = provider.log_in(client.get("/login/oidc").headers["location"])
            client.get(back)
        behind.close()
    # Leave out what the tests' client logs about its own requests.
    log = "\n".join(line for line in caplog.text.splitlines() if "history.test" not in line)
    assert "login at the provider: zoe" in log
    assert "not valid" in log
    forms = [form for path, _, form in provider.asked if path == "/token"]
    told = [SECRET, "the-code", *(form["code_verifier"] for form in forms)]
    for secret in (*told, provider.begun["state"], provider.begun["nonce"]):
        assert secret not in log
