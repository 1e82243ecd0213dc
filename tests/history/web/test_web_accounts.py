"""Accounts, passwords and tokens, and the page where users manage their own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from argon2 import extract_parameters
from argon2.profiles import RFC_9106_LOW_MEMORY
from sqlalchemy import select, update
from tests.history.web.served import PASSWORD, REAL_HASHER, Served

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.store.access_tables import accounts, tokens
from schedlab.history.web.access import Role, Scope
from schedlab.history.web.access.accounts import Account, put_account, require_account
from schedlab.history.web.access.passwords import hash_password, is_password
from schedlab.history.web.access.tokens import PREFIX, add_token, list_tokens

PAGE = {"accept": "text/html"}


def test_passwords_are_kept_as_argon2id_with_the_recommended_effort() -> None:
    """RFC 9106's second choice: 64 MiB and three passes for every guess."""
    assert extract_parameters(REAL_HASHER().hash(PASSWORD)) == RFC_9106_LOW_MEMORY


def test_a_password_is_recognised_and_nothing_else_is() -> None:
    """If no password is stored, every password is wrong."""
    kept = hash_password(PASSWORD)
    assert is_password(PASSWORD, kept)
    assert not is_password(PASSWORD + " ", kept)
    assert not is_password("", kept)
    assert not is_password(PASSWORD, None)


@pytest.mark.parametrize("password", ["", "short", "x" * 1001])
def test_a_password_must_have_some_length(password: str) -> None:
    """A password must not be too short, nor so long that hashing it becomes an attack."""
    with pytest.raises(ParameterError, match="must have 10 or more"):
        hash_password(password)


@pytest.mark.parametrize("name", ["", "a b", "<b>", "a\nb", "../x", "x" * 129])
def test_an_account_has_a_plain_name(name: str) -> None:
    """The name appears in logs and on pages."""
    with pytest.raises(ParameterError):
        Account(name, Role.USER)


@pytest.mark.parametrize("role", [Role.PUBLIC, Role.API])
def test_nobody_logs_in_as_the_public_or_as_a_program(role: Role) -> None:
    """The public does not log in, and programs use tokens."""
    with pytest.raises(UnknownNameError):
        Account("ann", role)


def test_the_store_holds_no_password_and_no_token(served: Served) -> None:
    """Someone who copies the store can neither log in nor use the API."""
    with served.database.writing() as connection:
        secret = add_token(connection, "notebook", account="ann")
    served.close()
    everything = b"".join(
        path.read_bytes() for path in Path(served.settings.store).parent.glob("history.db*")
    )
    assert b"notebook" in everything
    assert secret.removeprefix(PREFIX).encode() not in everything
    assert PASSWORD.encode() not in everything


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer null",
        f"Bearer {PREFIX}",
        # The digest of nothing, and JSON web tokens without a signature and with an empty key.
        "Bearer e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290Iiwicm9sZSI6ImFkbWluIn0.",
        "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJyb290In0.AAAA",
        "Bearer ' OR 1=1 --",
    ],
)
def test_what_is_no_token_is_refused(public: Served, header: str) -> None:
    """A wrong token is refused, even where the public needs none."""
    answer = public.client().get("/metrics", headers={"authorization": header})
    assert answer.status_code == 401
    assert "Bearer" in answer.headers["www-authenticate"]
    assert public.client().get("/", headers={"authorization": header}).status_code == 401


def test_a_token_ends(served: Served) -> None:
    """An expired token no longer works."""
    client = served.program()
    assert client.get("/metrics").status_code == 200
    with served.database.writing() as connection:
        connection.execute(update(tokens).values(expires_s=1.0))
    assert client.get("/metrics").status_code == 401


def test_a_token_does_what_its_scopes_say(served: Served) -> None:
    """A stolen token of a hook gives no access to jobs."""
    hook = served.program(scopes=[Scope.INGEST])
    refused = hook.get("/metrics")
    assert refused.status_code == 403
    assert '"metrics"' in refused.json()["detail"]


def test_the_use_of_a_token_is_noted_now_and_then(served: Served) -> None:
    """The note reveals forgotten tokens; noting every request would cost a write each time."""
    client = served.program()
    client.get("/metrics")
    with served.database.reading() as connection:
        first = list_tokens(connection)[0].used_s
    client.get("/metrics")
    with served.database.reading() as connection:
        assert list_tokens(connection)[0].used_s == first
    assert first is not None


def test_a_token_cannot_have_what_its_owner_has_not(served: Served) -> None:
    """A user cannot make a token for administration, for example."""
    with served.database.writing() as connection, pytest.raises(UnknownNameError, match="known"):
        add_token(connection, "more", account="ann", scopes=[Scope.ADMIN])


def test_one_makes_and_withdraws_ones_own_tokens(served: Served) -> None:
    """A new token is shown once, and works until its owner withdraws it."""
    browser = served.browser("ann")
    page = browser.post(
        "/account/tokens", data={"name": "<b>nb</b>", "scopes": "read", "days": 30}, headers=PAGE
    )
    made = re.search(rf"{PREFIX}[\w-]+", page.text)
    assert made is not None
    program = served.client()
    program.headers["authorization"] = f"Bearer {made[0]}"
    assert program.get("/").status_code == 200
    again = browser.get("/account", headers=PAGE)
    assert made[0] not in again.text
    assert "&lt;b&gt;nb&lt;/b&gt;" in again.text
    way = re.search(r'action="(/account/tokens/\w+/revoke)"', again.text)
    assert way is not None
    assert served.browser("sue").post(way[1]).status_code == 404
    assert program.get("/").status_code == 200
    assert browser.post(way[1]).status_code == 303
    assert program.get("/").status_code == 401


def test_a_token_makes_no_tokens(served: Served) -> None:
    """Even a token with all scopes of its user makes none: else it could be renewed for ever."""
    program = served.program("ann", [Scope.READ])
    asked = {"name": "more", "scopes": "read", "days": 3_650}
    assert program.post("/account/tokens", data=asked).status_code == 403
    with served.database.reading() as connection:
        (only,) = list_tokens(connection)
    assert program.post(f"/account/tokens/{only.id}/revoke").status_code == 403
    assert program.get("/v1/jobs").status_code == 200


def test_a_new_password_needs_the_old_one(served: Served) -> None:
    """Someone who finds an unattended screen must not be able to take over the account."""
    browser = served.browser("ann")
    new = "a password of one's own"
    wrong = browser.post("/account/password", data={"old": "wrong", "new": new}, headers=PAGE)
    assert (wrong.status_code, "not your present password" in wrong.text) == (400, True)
    weak = browser.post("/account/password", data={"old": PASSWORD, "new": "short"}, headers=PAGE)
    assert weak.status_code == 400
    done = browser.post("/account/password", data={"old": PASSWORD, "new": new}, headers=PAGE)
    assert done.status_code == 303
    del browser.headers["x-form-token"]
    assert browser.get("/account").status_code == 200
    with served.database.reading() as connection:
        kept = connection.execute(
            select(accounts.c.password).where(accounts.c.name == "ann")
        ).scalar()
    assert is_password(new, kept)


def test_changing_an_account_keeps_its_password(served: Served) -> None:
    """A new role is no reason to ask for a new password."""
    with served.database.writing() as connection:
        put_account(connection, Account("ann", Role.SUPPORT))
        assert require_account(connection, "ann").has_password


def test_the_old_password_is_not_guessed_in_a_browser_left_open(served: Served) -> None:
    """Wrong old passwords are counted like those at a login."""
    browser = served.browser("ann")
    fields = {"old": "wrong", "new": "a password of one's own"}
    statuses = [browser.post("/account/password", data=fields).status_code for _ in range(6)]
    assert statuses == [400] * 5 + [429]
