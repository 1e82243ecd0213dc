"""Every role on every route, with the role's own jobs and tokens and with those of others."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from fastapi.routing import iter_route_contexts
from tests.history.web.authorisation import RULES, Case, Rule
from tests.history.web.served import ACCOUNTS, Served

from schedlab.history.web.access import Role, Scope
from schedlab.history.web.access.sessions import FORM, form_token
from schedlab.history.web.access.viewer import PEOPLE, SCOPES
from schedlab.history.web.current import FORM_HEADER

# Words that must not be in any answer to a client with the role.
HIDDEN: dict[Role, tuple[str, ...]] = {
    Role.PUBLIC: ("ann", "ben", "cid", "anns-secret", "bens", "cids", "n01", "physics"),
    Role.USER: ("ben", "cid", "bens", "cids", "chemistry"),
    Role.MANAGER: ("ben", "bens", "chemistry"),
}

Asked = tuple[str, str, Rule, Case]


def routes_of(served: Served) -> set[tuple[str, str]]:
    """Return each method and path that the service answers; HEAD goes where GET goes."""
    return {
        (method, context.path or "")
        for context in iter_route_contexts(served.app.routes)
        for method in (context.methods or {"GET"}) - {"HEAD"}
    }


def cases() -> Iterator[Asked]:
    """Yield every case of every rule."""
    for (method, path), rule in RULES.items():
        for case in rule.cases:
            yield method, path, rule, case


def identified(asked: Asked) -> str:
    """Return the name of the test."""
    method, path, _, case = asked
    return f"{method} {path} {case.name}".strip()


def send(
    served: Served,
    role: Role,
    asked: Asked,
    client: httpx.Client | None = None,
    *,
    with_form: bool = True,
) -> httpx.Response:
    """Make the request of the case as a client with the role, and return the answer."""
    method, path, _, case = asked
    filled = {
        name: value if isinstance(value, str) else value(served)
        for name, value in case.path.items()
    }
    for name, value in filled.items():
        path = re.sub(rf"{{{name}(:\w+)?}}", value, path)
    if path.startswith("/static"):
        path = "/static/style.css"
    client = client or served.as_role(role)
    if (
        with_form and FORM_HEADER not in client.headers
    ):  # a client without a session has loaded one of our pages, too
        client.cookies.set(FORM, "somebody")
        client.headers[FORM_HEADER] = form_token("somebody")
    return client.request(method, path, params=case.query, **case.send)


def expected(role: Role, rule: Rule, case: Case) -> int:
    """Return the status that the rule demands."""
    if role not in rule.roles:
        return 401 if role is Role.PUBLIC else 403
    return case.status if role in case.seen_by else 404


def test_every_route_has_a_rule(common: Served) -> None:
    """A new route needs a rule that says who may use it; a rule without a route is a mistake."""
    assert routes_of(common) == set(RULES)


@pytest.fixture(scope="module")
def read_only(common: Served) -> Iterator[Served]:
    """A service that is open to the public, for requests that change nothing."""
    opened = common.with_section(public=True)
    yield opened
    opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("asked", list(cases()), ids=identified)
def test_who_may_do_what(request: pytest.FixtureRequest, asked: Asked) -> None:
    """The site is open to the public; no role is shown names that it may not see."""
    method, _, rule, case = asked
    opened: Served = request.getfixturevalue("read_only" if method == "GET" else "public")
    for role in Role:
        answer = send(opened, role, asked)
        assert answer.status_code == expected(role, rule, case), f"{role}: {answer.text}"
        if answer.headers.get("content-type", "").startswith(("text", "application/")):
            for name in HIDDEN.get(role, ()):
                found = re.search(rf"(?<![\w-]){name}(?![\w-])", answer.text)
                assert not found, f"{role} is shown {name}"


@pytest.mark.slow
@pytest.mark.parametrize("asked", list(cases()), ids=identified)
def test_a_closed_site_shows_nothing_without_a_login(common: Served, asked: Asked) -> None:
    """Only routes that need no login answer; all others ask for one."""
    _, _, rule, case = asked
    status = send(common, Role.PUBLIC, asked).status_code
    assert status == (expected(Role.PUBLIC, rule, case) if rule.needs_nothing else 401)


def test_a_hook_that_may_only_send_jobs_does_nothing_else(common: Served) -> None:
    """The hook's token is stored on a node that many people can reach."""
    hook = common.program(scopes=[Scope.INGEST])
    for asked in cases():
        method, path, rule, _ = asked
        if not rule.needs_nothing and path != "/v1/ingest":
            assert send(common, Role.API, asked, hook).status_code == 403, f"{method} {path}"


@pytest.mark.parametrize("role", sorted(PEOPLE))
def test_a_token_does_nothing_that_needs_its_owner(common: Served, role: Role) -> None:
    """This includes a token with all its owner's scopes: a thief must not make one that lasts."""
    program = common.program(ACCOUNTS[role].name, SCOPES[role])
    for asked in cases():
        method, path, rule, _ = asked
        if Role.API not in rule.roles and not rule.takes_tokens:
            assert send(common, role, asked, program).status_code == 403, f"{method} {path}"


def test_nothing_is_changed_by_a_form_of_another_site(common: Served) -> None:
    """Every request that is not a mere read needs a token of our pages, also an administrator's."""
    browser = common.browser("root")
    del browser.headers[FORM_HEADER]
    for asked in cases():
        method, path, _, _ = asked
        if method != "GET":
            answer = send(common, Role.ADMIN, asked, browser, with_form=False)
            assert answer.status_code == 403, f"{method} {path}"
