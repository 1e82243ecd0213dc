"""The service behind a reverse proxy: which user it names, below which path, and its trust."""

from __future__ import annotations

import pytest
from tests.history.web.served import PASSWORD, Served, token_in

from schedlab.history.service_section import ProxySection
from schedlab.history.web.access.sessions import SESSION

PROXY = ProxySection(addresses=("192.0.2.0/24",), user_header="X-Remote-User")
PAGE = {"accept": "text/html"}


def test_a_header_logs_nobody_in_by_default(served: Served) -> None:
    """Anyone can send such a header."""
    answer = served.client().get("/", headers={"X-Remote-User": "root"})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("address", "status"), [("192.0.2.1", 200), ("198.51.100.1", 401), ("::1", 401)]
)
def test_only_the_proxy_is_believed(served: Served, address: str, status: int) -> None:
    """The service knows the proxy by the address that connected, whatever the request claims."""
    behind = served.with_section(proxy=PROXY)
    headers = {"X-Remote-User": "sue", "X-Forwarded-For": "192.0.2.1"}
    assert behind.client(address=address).get("/", headers=headers).status_code == status
    behind.close()


def test_whom_the_proxy_names_is_a_user_or_what_their_account_says(served: Served) -> None:
    """Roles come from the service's accounts, not from a header."""
    behind = served.with_section(proxy=PROXY)
    new = behind.client().get("/", headers={"X-Remote-User": "zoe", **PAGE})
    known = behind.client().get("/", headers={"X-Remote-User": "sue", **PAGE})
    nobody = behind.client().get("/", headers={"X-Remote-User": ""})
    behind.close()
    assert '<span class="role">user</span>' in new.text
    assert '<span class="role">support</span>' in known.text
    assert nobody.status_code == 401


def test_forms_are_guarded_behind_a_proxy_too(served: Served) -> None:
    """The proxy names the user in any request of the browser, even one that another site caused."""
    behind = served.with_section(proxy=PROXY)
    client = behind.client()
    client.headers["X-Remote-User"] = "ann"
    form = {"name": "x", "scopes": "read"}
    assert client.post("/account/tokens", data=form).status_code == 403
    token = token_in(client.get("/account", headers=PAGE))
    assert client.post("/account/tokens", data={**form, "form_token": token}).status_code == 200
    behind.close()


def test_an_open_proxy_password_is_not_taken_for_a_token(served: Served) -> None:
    """A proxy that asks for a password itself passes the Authorization header on."""
    behind = served.with_section(proxy=PROXY)
    headers = {"X-Remote-User": "sue", "Authorization": "Basic c3VlOng="}
    assert behind.client().get("/", headers=headers).status_code == 200
    behind.close()


def test_the_proxy_says_whether_the_client_uses_https(served: Served) -> None:
    """Cookies are then for https only, although the proxy itself connects without it."""
    behind = served.with_section(proxy=PROXY)
    client = behind.client()
    client.headers["X-Forwarded-Proto"] = "https"
    form = client.get("/login")
    client.cookies.set("schedlab_form", form.cookies["schedlab_form"])
    fields = {"form_token": token_in(form), "name": "ann", "password": PASSWORD}
    answer = client.post("/login", data=fields)
    behind.close()
    cookie = next(each for each in answer.headers.get_list("set-cookie") if SESSION in each)
    assert "Secure" in cookie


@pytest.mark.parametrize("asked", ["/history", ""])
def test_everything_is_found_below_the_prefix(served: Served, asked: str) -> None:
    """Whether the proxy removes the prefix or keeps it, pages link to paths that have it."""
    below = served.with_section(prefix="/history")
    client = below.browser("ann")
    page = client.get(f"{asked}/", headers=PAGE)
    style = client.get(f"{asked}/static/style.css")
    missing = client.get(f"{asked}/login/oidc/nothing")
    out = client.post(f"{asked}/logout")
    below.close()
    assert 'href="/history/account"' in page.text
    assert 'content="/history"' in page.text
    assert (style.status_code, missing.status_code) == (200, 404)
    assert out.headers["location"] == "/history/login"
    assert "Path=/history" in out.headers["set-cookie"]


def test_a_login_below_the_prefix_stays_below_it(served: Served) -> None:
    """Other paths on the same host belong to other services."""
    below = served.with_section(prefix="/history")
    answers = []
    for wanted in ("/history/account", "/other/"):
        client = below.client()
        token = token_in(client.get("/history/login"))
        fields = {"form_token": token, "name": "ann", "password": PASSWORD, "next": wanted}
        answers.append(client.post("/history/login", data=fields).headers["location"])
    below.close()
    assert answers == ["/history/account", "/history/"]
