"""Logging in and out: sessions, forms, and limits on guessing."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import select, update
from tests.history.web.served import PASSWORD, Served, token_in

from schedlab.history.store.access_tables import login_failures, sessions, tokens
from schedlab.history.web.access import Role, Scope
from schedlab.history.web.access.accounts import (
    Account,
    put_account,
    remove_account,
    require_account,
)
from schedlab.history.web.access.first_run import first_admin_token
from schedlab.history.web.access.sessions import SESSION, digest_of
from schedlab.history.web.access.tokens import add_token
from schedlab.history.web.access.viewer import SCOPES

PAGE = {"accept": "text/html"}


def log_in(
    client: httpx.Client, name: str = "ann", password: str = PASSWORD, next: str = ""
) -> httpx.Response:
    """Load the form, fill it in and send it."""
    form = client.get("/login", params={"next": next})
    fields = {"form_token": token_in(form), "name": name, "password": password, "next": next}
    return client.post("/login", data=fields, headers=PAGE)


def test_a_person_logs_in_and_out(served: Served) -> None:
    """The session is one cookie that no script can read and no other site can use."""
    client = served.client()
    answer = log_in(client)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = next(each for each in answer.headers.get_list("set-cookie") if SESSION in each)
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie  # this client came without https
    page = client.get("/", headers=PAGE)
    assert "ann" in page.text
    out = client.post("/logout", data={"form_token": token_in(page)}, headers=PAGE)
    assert out.status_code == 303
    assert client.get("/", headers=PAGE).headers["location"].startswith("/login")


def test_a_session_ends_in_the_store_too(served: Served) -> None:
    """A copied cookie is worth nothing after its owner has logged out."""
    client = served.browser("ann")
    copied = client.cookies[SESSION]
    client.post("/logout")
    thief = served.client()
    thief.cookies.set(SESSION, copied)
    assert thief.get("/").status_code == 401


@pytest.mark.slow
def test_the_cookie_is_for_https_where_the_client_uses_it(served: Served) -> None:
    """With https, the browser must never send the cookie unencrypted."""
    answer = log_in(served.client(scheme="https"))
    cookie = next(each for each in answer.headers.get_list("set-cookie") if SESSION in each)
    assert "Secure" in cookie
    assert "max-age" in answer.headers["strict-transport-security"]


def test_the_store_holds_no_session(served: Served) -> None:
    """A reader of the store finds only digests, with which no one can log in."""
    client = served.browser("ann")
    with served.database.reading() as connection:
        kept = connection.execute(select(sessions.c.digest)).scalars().all()
    assert kept == [digest_of(client.cookies[SESSION])]


def test_a_session_that_is_over_is_none(served: Served) -> None:
    """An expired session is refused, however long the browser keeps the cookie."""
    client = served.browser("ann")
    with served.database.writing() as connection:
        connection.execute(update(sessions).values(expires_s=0.0))
    assert client.get("/").status_code == 401


@pytest.mark.parametrize(("name", "password"), [("ann", "wrong"), ("nobody", PASSWORD)])
def test_a_wrong_name_and_a_wrong_password_look_the_same(
    served: Served, name: str, password: str
) -> None:
    """Otherwise one could find out who has an account."""
    answer = log_in(served.client(), name, password)
    assert answer.status_code == 401
    assert "Wrong name or password" in answer.text
    assert SESSION not in answer.cookies


@pytest.mark.slow
@pytest.mark.parametrize("account", ["meg", "sue"])
def test_an_account_without_password_has_no_password(served: Served, account: str) -> None:
    """Neither an empty password fits, nor the one that unknown names are checked against."""
    for password in (" ", "None", "the password of no account"):
        assert log_in(served.client(), account, password).status_code == 401


def test_a_disabled_account_is_shut_at_once(served: Served) -> None:
    """The sessions and tokens of a disabled account end at once, too."""
    browser, program = served.browser("ann"), served.program("ann", [Scope.READ])
    with served.database.writing() as connection:
        put_account(connection, Account("ann", Role.USER, enabled=False))
    assert browser.get("/").status_code == 401
    assert program.get("/").status_code == 401
    assert log_in(served.client()).status_code == 401


def test_a_new_password_ends_the_old_sessions(served: Served) -> None:
    """Someone who knew the old password must not stay logged in."""
    browser = served.browser("ann")
    with served.database.writing() as connection:
        put_account(connection, require_account(connection, "ann"), "another long password")
    assert browser.get("/").status_code == 401


def test_one_comes_to_the_page_one_wanted(served: Served) -> None:
    """After the login, the browser goes on to the page that the user wanted."""
    client = served.client()
    sent = client.get("/account?x=1&y=2", headers=PAGE)
    wanted = parse_qs(urlsplit(sent.headers["location"]).query)["next"][0]
    assert wanted == "/account?x=1&y=2"
    assert log_in(client, next=wanted).headers["location"] == wanted


@pytest.mark.slow
@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.test/",
        "//evil.test/",
        "/\\evil.test",
        "\\\\evil.test",
        "javascript:alert(1)",
        "/\t/evil.test",
        "/\n//evil.test",
        "account",
    ],
)
def test_a_login_never_leads_to_another_site(served: Served, elsewhere: str) -> None:
    """A link to our login page must not end on another site's page that looks like it."""
    assert log_in(served.client(), next=elsewhere).headers["location"] == "/"


def test_forms_of_other_sites_are_refused(served: Served) -> None:
    """A browser sends its cookies with such a form, but the other site cannot know the token."""
    client = served.browser("ann")
    del client.headers["x-form-token"]
    others = served.browser("sue").headers["x-form-token"]
    for given in ({}, {"form_token": ""}, {"form_token": "."}, {"form_token": others}):
        answer = client.post("/account/tokens", data={"name": "x", "scopes": "read", **given})
        assert answer.status_code == 403
    with served.database.reading() as connection:
        assert connection.execute(select(tokens)).all() == []


def test_nobody_is_logged_in_by_another_site(served: Served) -> None:
    """Otherwise a user's actions could be recorded under someone else's name."""
    answer = served.client().post("/login", data={"name": "ann", "password": PASSWORD})
    assert answer.status_code == 403


@pytest.mark.slow
def test_form_tokens_differ_and_all_hold(served: Served) -> None:
    """A page is compressed with text from its URL, so a constant secret could be guessed."""
    client = served.browser("ann")
    del client.headers["x-form-token"]
    first, second = (token_in(client.get("/account", headers=PAGE)) for _ in range(2))
    assert first != second
    for token in (first, second):
        made = client.post(
            "/account/tokens", data={"name": "x", "scopes": "read", "form_token": token}
        )
        assert made.status_code == 200


@pytest.mark.slow
def test_guessing_is_slowed_down(served: Served) -> None:
    """After a few wrong passwords, even the right one is refused for a while."""
    client = served.client()
    for _ in range(served.settings.service.login_failures):
        assert log_in(client, password="wrong").status_code == 401
    refused = log_in(client)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= served.settings.service.login_window_s
    with served.database.writing() as connection:
        connection.execute(update(login_failures).values(at_s=login_failures.c.at_s - 301))
    assert log_in(client).status_code == 303


@pytest.mark.slow
def test_a_stranger_does_not_lock_the_owner_out(served: Served) -> None:
    """Failures from one address do not block the same account from another address."""
    stranger = served.client(address="198.51.100.7")
    for _ in range(served.settings.service.login_failures + 1):
        log_in(stranger, password="wrong")
    assert log_in(stranger).status_code == 429
    assert log_in(served.client()).status_code == 303


@pytest.mark.slow
def test_one_address_cannot_try_one_password_on_every_name(served: Served) -> None:
    """Each account alone would see only a single failure."""
    slow = served.with_section(login_failures=1)
    client = slow.client()
    codes = [log_in(client, f"user{number}", "wrong").status_code for number in range(5)]
    slow.close()
    assert codes == [401, 401, 401, 401, 429]


@pytest.mark.slow
def test_workers_count_failures_together(served: Served) -> None:
    """The count is in the store, so that more workers do not allow more guesses."""
    other = Served(served.settings)
    for which in (served, other, served, other, served):
        assert log_in(which.client(), password="wrong").status_code == 401
    assert log_in(other.client()).status_code == 429
    other.close()


@pytest.mark.slow
def test_the_first_token_lets_the_first_administrator_in(served: Served) -> None:
    """The token is made once, for a store without accounts, and serves as a password."""
    with served.database.writing() as connection:
        assert first_admin_token(connection) is None
        for name in ("ann", "meg", "sue", "root"):
            remove_account(connection, name)
        token = first_admin_token(connection)
        assert first_admin_token(connection) is None
    assert token is not None
    assert log_in(served.client(), "admin", token).status_code == 303
    assert log_in(served.client(), "ann", token).status_code == 401


@pytest.mark.slow
def test_a_token_for_a_part_is_no_password(served: Served) -> None:
    """A session has all rights of its account; a token that may only read must not become one."""
    with served.database.writing() as connection:
        part = add_token(connection, "part", account="root", scopes=[Scope.READ])
        whole = add_token(connection, "whole", account="root", scopes=SCOPES[Role.ADMIN])
        users = add_token(connection, "users", account="ann", scopes=SCOPES[Role.USER])
    assert log_in(served.client(), "root", part).status_code == 401
    assert log_in(served.client(), "ann", users).status_code == 401
    assert log_in(served.client(), "root", whole).status_code == 303


@pytest.mark.slow
def test_a_token_is_no_password_beside_a_password(served: Served) -> None:
    """The first run's token is for the first login; a password takes its place."""
    with served.database.writing() as connection:
        whole = add_token(connection, "whole", account="root", scopes=SCOPES[Role.ADMIN])
        put_account(connection, Account("root", Role.ADMIN), PASSWORD)
    assert log_in(served.client(), "root", whole).status_code == 401
    assert log_in(served.client(), "root", PASSWORD).status_code == 303
