"""Administration through its page: accounts and tokens."""

from __future__ import annotations

import re

from tests.history.web.served import Served

from schedlab.history.store import Store
from schedlab.history.web.access import Role, Scope
from schedlab.history.web.access.accounts import find_account, list_accounts
from schedlab.history.web.access.tokens import list_tokens

PAGE = {"accept": "text/html"}


def test_an_account_is_added_and_changed(served: Served) -> None:
    """An account gets the password that is given; without one, it keeps its old password."""
    root = served.browser("root")
    given = {
        "name": "new",
        "role": "manager",
        "groups": "physics, maths",
        "password": "long enough",
    }
    assert root.post("/admin/accounts", data=given).status_code == 303
    assert root.post("/admin/accounts", data={"name": "new", "role": "user"}).status_code == 303
    with served.database.reading() as connection:
        account = find_account(connection, "new")
    assert account is not None
    assert (account.role, account.groups, account.has_password) == (Role.USER, frozenset(), True)


def test_what_is_wrong_with_an_account_is_told(served: Served) -> None:
    """The form comes back with the mistake named, so that it can be corrected."""
    root = served.browser("root")
    for given, told in (
        ({"name": "new", "role": "managr"}, "did you mean &#34;manager&#34;"),
        ({"name": "new", "role": "user", "groups": "physics"}, "only a manager has groups"),
        ({"name": "no way", "role": "user"}, "must be of letters"),
        ({"name": "new", "role": "user", "password": "short"}, "password"),
    ):
        answer = root.post("/admin/accounts", data=given, headers=PAGE)
        assert answer.status_code == 400
        assert told in answer.text
    with served.database.reading() as connection:
        assert find_account(connection, "new") is None


def test_a_shut_account_is_out_at_once(served: Served) -> None:
    """A disabled account works again once it is enabled; a removed one does not."""
    root, ann = served.browser("root"), served.program("ann", [Scope.READ])
    assert root.post("/admin/accounts/ann/enable", data={"enabled": "false"}).status_code == 303
    assert ann.get("/v1/jobs").status_code == 401
    assert root.post("/admin/accounts/ann/enable", data={"enabled": "true"}).status_code == 303
    assert ann.get("/v1/jobs").status_code == 200
    assert root.post("/admin/accounts/ann/remove").status_code == 303
    assert ann.get("/v1/jobs").status_code == 401
    assert root.post("/admin/accounts/ann/remove", headers=PAGE).status_code == 400


def test_nobody_locks_themselves_out(served: Served) -> None:
    """Otherwise the last administrator could leave a service that no one can administer."""
    root = served.browser("root")
    for path, given in (
        ("/admin/accounts/root/remove", {}),
        ("/admin/accounts/root/enable", {"enabled": "false"}),
        ("/admin/accounts", {"name": "root", "role": "user"}),
    ):
        answer = root.post(path, data=given, headers=PAGE)
        assert answer.status_code == 400
        assert "your own account" in answer.text
    with served.database.reading() as connection:
        assert "root" in {each.name for each in list_accounts(connection)}


def test_a_token_is_shown_once(served: Served) -> None:
    """The token works and can be withdrawn; the page never shows it again."""
    root = served.browser("root")
    answer = root.post("/admin/tokens", data={"name": "grafana", "scopes": ["read", "metrics"]})
    made = re.search(r"schedlab_[\w-]+", answer.text)
    assert made is not None
    assert made[0] not in root.get("/admin").text
    program = served.client()
    program.headers["authorization"] = f"Bearer {made[0]}"
    assert program.get("/metrics").status_code == 200
    with served.database.reading() as connection:
        (token,) = [each for each in list_tokens(connection) if each.name == "grafana"]
    assert root.post(f"/admin/tokens/{token.id}/revoke").status_code == 303
    assert program.get("/metrics").status_code == 401
    assert root.post(f"/admin/tokens/{token.id}/revoke", headers=PAGE).status_code == 400


def test_a_program_gets_no_administration(served: Served) -> None:
    """A site's token cannot have the scope for administration, and no token opens the page."""
    root = served.browser("root")
    answer = root.post("/admin/tokens", data={"name": "x", "scopes": "admin"}, headers=PAGE)
    assert answer.status_code == 400
    partly = served.program("root", [Scope.ADMIN, Scope.READ])
    assert partly.get("/admin").status_code == 403


def test_the_page_tells_of_sources_and_sensors(served: Served) -> None:
    """The page shows where jobs come from, how far behind they are, and why an ingest failed."""
    with Store.open(served.settings.store) as store:
        store.end_ingest(store.begin_ingest("scheduler"))
        store.end_ingest(store.begin_ingest("other"), failure="<b>no route to host</b>")
    root = served.browser("root")
    assert "Waiting for other simulations" in root.get("/admin", headers=PAGE).text
    assert served.app.state.service.runner.run_next()
    text = root.get("/admin", headers=PAGE).text
    assert not served.app.state.service.runner.run_next(), "it was counted a moment ago"
    assert root.post("/admin/status").status_code == 303
    assert served.app.state.service.runner.run_next()
    for part in ("Lag", "scheduler", "Coverage of sensors", "history.db", "&lt;b&gt;no route"):
        assert part in text
