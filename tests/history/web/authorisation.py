"""Who may do what: one rule for each route of the service.

A route without a rule fails the test that visits all routes. Rules of single jobs have two cases,
``ANNS_JOB`` and ``BENS_JOB``. The tests' user is ann and the manager's group is physics; ann's job
is charged to physics, and ben's is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.history.records import NOON_S
from tests.history.web.served import ACCOUNTS, JOBS, PASSWORD, Served

from schedlab.history.alerts.alert import Alert
from schedlab.history.alerts.book import current_alerts, note_alerts
from schedlab.history.pseudonyms import Release, read_key
from schedlab.history.web.access import Role
from schedlab.history.web.access.tokens import add_token, list_tokens
from schedlab.history.web.access.viewer import OPERATORS, PEOPLE, PLANNERS
from schedlab.history.web.simulations import ADVICE, WHAT_IF
from schedlab.history.web.tasks import TaskRequest
from schedlab.history.web.tasks.queue import submit

EVERYBODY = frozenset(Role)
NAMED = EVERYBODY - {Role.PUBLIC}
READ_METRICS = frozenset({Role.SUPPORT, Role.ADMIN, Role.API})
ADMINS = frozenset({Role.ADMIN})
SEE_ALL = frozenset({Role.PUBLIC, Role.SUPPORT, Role.ADMIN, Role.API})

Text = str | Callable[[Served], str]


@dataclass(frozen=True)
class Case:
    """One request, and the answer to those who may make it.

    Args:
        name: the name of the case.
        path: values of the path's parameters; a function is called when the request is made.
        query: the query of the URL.
        send: a form, or JSON if the key is ``json``, as httpx takes it.
        seen_by: the roles for which the thing exists; the others get "not found".
        status: the status of the answer to these roles.
    """

    name: str = ""
    path: Mapping[str, Text] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    send: Mapping[str, Any] = field(default_factory=dict)
    seen_by: frozenset[Role] = EVERYBODY
    status: int = 200


@dataclass(frozen=True)
class Rule:
    """The roles that may use a route; others must log in (401) or are refused (403)."""

    roles: frozenset[Role]
    cases: tuple[Case, ...] = (Case(),)
    needs_nothing: bool = False
    """Whether the route answers even where the public sees nothing."""
    takes_tokens: bool = False
    """Whether a person's token may use the route, although the site's programs may not."""


def open_to_all(*cases: Case) -> Rule:
    """Return the rule for a route that people must reach before they log in."""
    return Rule(EVERYBODY, cases or (Case(),), needs_nothing=True)


def _token_of(account: str) -> Callable[[Served], str]:
    def made(served: Served) -> str:
        with served.database.writing() as connection:
            add_token(connection, "matrix", account=account)
            return list_tokens(connection, account)[-1].id

    return made


def _task_of(role: Role, kind: str = WHAT_IF) -> Callable[[Served], str]:
    def made(served: Served) -> str:
        window = {"cluster": "one", "from_s": NOON_S, "to_s": NOON_S + 3_600}
        parameters = {"window": window, "policies": ["easy"], "user": "ann"}
        with served.database.writing() as connection:
            return submit(connection, TaskRequest(kind, parameters, ACCOUNTS[role].viewer, "1"))

    return made


def _alert(served: Served) -> str:
    with served.database.writing() as connection:
        note_alerts(connection, [Alert("queue", "one", "Many wait.", "/jobs")], ["queue"], NOON_S)
        return current_alerts(connection)[0].id


QUESTION = {
    "cluster": "one",
    "from": "2023-11-15T12:00Z",
    "to": "2023-11-15T13:00Z",
    "policies": ["easy"],
}
TWIN_QUESTION = {"changes": ["bf_interval=5"], "nodes": ["1:z1"], "phases": 1}
_LOGIN = {"data": {"name": "ann", "password": PASSWORD}}
_PASSWORDS = {"data": {"old": "x" * 10, "new": "y" * 10}}
_NEW_TOKEN = {"data": {"name": "x", "scopes": "read"}}

_JOB = {"json": JOBS[1].model_dump(mode="json", exclude_none=True)}
_SEES_ANN = frozenset(Role) - {Role.PUBLIC}
_SEES_BEN = frozenset({Role.SUPPORT, Role.ADMIN, Role.API})
ANNS_JOB = Case("own", {"jobid": "1"})
BENS_JOB = Case("other", {"jobid": "2"}, seen_by=SEE_ALL)


def _timelines(more: Mapping[str, str], status: int) -> tuple[Case, ...]:
    """Return cases for ann's and ben's jobs, by the node's own name and by its pseudonym."""
    named = {"cluster": "one", "host": "n01", "item": "power_watt", **more}
    released = named | {"host": _pseudonym_of_node}
    public = frozenset({Role.PUBLIC})
    return (
        Case("own", {**named, "jobid": "1"}, seen_by=_SEES_ANN, status=status),
        Case("other", {**named, "jobid": "2"}, seen_by=_SEES_BEN, status=status),
        Case("released", {**released, "jobid": "2"}, seen_by=public, status=status),
    )


def _pseudonym_of_node(served: Served) -> str:
    site = served.settings.site
    assert site is not None
    key = read_key(site.path.parent / site.release.key)
    return Release("public", key, site.release).pseudonym("node", "n01")


_REPORTS = (
    Case(),
    Case("own", query={"user": "ann"}),
    Case("other", query={"user": "ben"}, seen_by=_SEES_BEN),
    Case("own group", query={"group": "physics"}, seen_by=_SEES_BEN | {Role.MANAGER}),
    Case("other group", query={"group": "chemistry"}, seen_by=_SEES_BEN),
    Case("nobody's", query={"user": "zoe"}, seen_by=frozenset()),
)


def _what_ifs(status: int) -> tuple[Case, ...]:
    """Return a what-if of a manager's and one of an administrator's, neither simulated yet."""
    managers = frozenset({Role.MANAGER})
    return (
        Case("manager's", {"task": _task_of(Role.MANAGER)}, seen_by=managers, status=status),
        Case("administrator's", {"task": _task_of(Role.ADMIN)}, seen_by=ADMINS, status=status),
    )


_WITHOUT_A_TWIN = (Case("without a twin", status=404),)

READING_THE_API: dict[str, Rule] = {
    "/docs": open_to_all(),
    "/v1/jobs": Rule(
        EVERYBODY, tuple(Case(name, query={"format": name}) for name in ("json", "jsonl", "csv"))
    ),
    "/v1/jobs/{jobid:path}": Rule(EVERYBODY, (ANNS_JOB, BENS_JOB)),
    "/v1/timelines/{cluster}/{jobid}/{host}/{item}": Rule(EVERYBODY, _timelines({}, 200)),
    "/v1/timelines/{cluster}/{jobid}/{host}/{item}/{device:path}": Rule(
        EVERYBODY, _timelines({"device": "0"}, 404)
    ),
    "/v1/clusters": Rule(EVERYBODY),
    "/v1/forecasts": Rule(EVERYBODY, (Case(), Case("one", query={"cluster": "one"}))),
    "/v1/users/{user}/accuracy": Rule(
        EVERYBODY,
        (
            Case("own", {"user": "ann"}, seen_by=_SEES_ANN),
            Case("other", {"user": "ben"}, seen_by=_SEES_BEN),
        ),
    ),
    "/v1/alerts": Rule(READ_METRICS),
    "/v1/efficiency": Rule(EVERYBODY),
    "/v1/reports": Rule(NAMED, _REPORTS),
    "/v1/policies": Rule(EVERYBODY),
    "/v1/what-if/{task}": Rule(PLANNERS, _what_ifs(200), takes_tokens=True),
    "/v1/what-if/{task}/schedule": Rule(PLANNERS, _what_ifs(409), takes_tokens=True),
    "/v1/what-if/{task}/picture": Rule(PLANNERS, _what_ifs(409), takes_tokens=True),
    "/v1/slurm/parameters": Rule(OPERATORS, _WITHOUT_A_TWIN, takes_tokens=True),
    "/v1/slurm/what-if/{task}": Rule(
        OPERATORS, (Case("without a twin", {"task": "1"}, status=404),), takes_tokens=True
    ),
    "/v1/stats": Rule(
        EVERYBODY, tuple(Case(by, query={"by": by}) for by in ("user,group", "day", "size"))
    ),
}

PAGES_OF_JOBS: dict[str, Rule] = {
    "/jobs": Rule(EVERYBODY, (Case(), Case("sorted", query={"sort": "-wait_s"}))),
    "/jobs/{key}": Rule(
        EVERYBODY, (Case("own", {"key": "1"}), Case("other", {"key": "2"}, seen_by=SEE_ALL))
    ),
    "/jobs/{key}/timelines/{item}": Rule(
        EVERYBODY,
        (
            Case("own", {"key": "1", "item": "power_watt"}),
            Case("other", {"key": "2", "item": "power_watt"}, seen_by=SEE_ALL),
        ),
    ),
    "/jobs/{key}/gain": Rule(EVERYBODY, (Case("without advice", {"key": "1"}, status=404),)),
    "/jobs/{key}/roofline": Rule(EVERYBODY, (Case("without counters", {"key": "1"}, status=404),)),
    "/compare": Rule(
        EVERYBODY,
        (
            Case(),
            Case("own", query={"job": "1"}),
            Case("other", query={"job": "2"}),
            Case("other by its id", query={"add": "2"}),
        ),
    ),
    "/compare/timelines/{item}": Rule(
        EVERYBODY,
        (
            Case("own", {"item": "power_watt"}, {"job": "1"}),
            Case("other", {"item": "power_watt"}, {"job": "2"}, seen_by=SEE_ALL),
        ),
    ),
}

_OWN_TASK = {"task": _task_of(Role.USER, ADVICE)}
_OTHERS_TASK = {"task": _task_of(Role.ADMIN, ADVICE)}


def _tasks(status: int) -> tuple[Case, ...]:
    return (
        Case("own", _OWN_TASK, seen_by=frozenset({Role.USER}), status=status),
        Case("other", _OTHERS_TASK, seen_by=ADMINS, status=status),
    )


PAGES_OF_THE_SITE: dict[str, Rule] = {
    "/users": Rule(EVERYBODY),
    "/users/{user:path}": Rule(
        EVERYBODY,
        (
            Case("own", {"user": "ann"}, seen_by=_SEES_ANN),
            Case("other", {"user": "ben"}, seen_by=_SEES_BEN),
        ),
    ),
    "/groups/{group:path}": Rule(
        EVERYBODY,
        (
            Case("own", {"group": "physics"}, seen_by=_SEES_ANN),
            Case("other", {"group": "chemistry"}, seen_by=_SEES_BEN),
        ),
    ),
    "/cluster": Rule(EVERYBODY),
    "/queue": Rule(EVERYBODY),
    "/queue/starts": Rule(EVERYBODY, (Case(query={"cluster": "one"}),)),
    "/alerts": Rule(OPERATORS),
    "/reports": Rule(PEOPLE, _REPORTS),
    "/reports/file": Rule(PEOPLE, _REPORTS),
    "/efficiency": Rule(PEOPLE),
    "/tasks/{task}": Rule(PEOPLE, _tasks(200)),
    "/what-if": Rule(PLANNERS),
    "/what-if/compare": Rule(PLANNERS),
    "/what-if/slurm": Rule(OPERATORS, _WITHOUT_A_TWIN),
    "/what-if/slurm/{task}/result": Rule(
        OPERATORS, (Case("without a twin", {"task": "1"}, status=404),)
    ),
    "/operate": Rule(ADMINS, (Case("without a loop", status=404),)),
    "/admin": Rule(ADMINS),
}

CHANGING_THE_SITE: dict[str, Rule] = {
    "/alerts/{alert}/acknowledge": Rule(
        OPERATORS,
        (Case("", {"alert": _alert}, status=303), Case("none", {"alert": "0"}, status=404)),
    ),
    "/advice": Rule(
        PEOPLE,
        (
            Case("own", send={"data": {"user": "ann"}}, status=303),
            Case("other", send={"data": {"user": "ben"}}, seen_by=_SEES_BEN, status=303),
        ),
    ),
    "/tasks/{task}/cancel": Rule(PEOPLE, _tasks(303)),
    "/what-if": Rule(PLANNERS, (Case(send={"data": {"policies": "easy"}}, status=303),)),
    "/what-if/slurm": Rule(
        OPERATORS, (Case("without a twin", send={"data": {"phases": "1"}}, status=404),)
    ),
    "/operate/answer": Rule(
        ADMINS, (Case("without a loop", send={"data": {"says": "yes"}}, status=404),)
    ),
    "/operate/stop": Rule(ADMINS, (Case("without a loop", status=404),)),
    "/admin/accounts": Rule(
        ADMINS, (Case(send={"data": {"name": "new", "role": "user"}}, status=303),)
    ),
    "/admin/accounts/{account}/enable": Rule(
        ADMINS, (Case("", {"account": "sue"}, send={"data": {"enabled": "true"}}, status=303),)
    ),
    "/admin/accounts/{account}/remove": Rule(ADMINS, (Case("", {"account": "sue"}, status=303),)),
    "/admin/status": Rule(ADMINS, (Case(status=303),)),
    "/admin/tokens": Rule(ADMINS, (Case(send=_NEW_TOKEN),)),
    "/admin/tokens/{token}/revoke": Rule(
        ADMINS, (Case("", {"token": _token_of("ann")}, status=303),)
    ),
}

_RANGE = {"from": "2023-11-14T00:00:00.000Z", "to": "2023-11-16T00:00:00.000Z"}


def _drawn(metric: str, **payload: str) -> Case:
    target = {"target": metric, "refId": "A", "payload": payload}
    return Case(metric, send={"json": {"range": _RANGE, "targets": [target]}})


GRAFANA: dict[tuple[str, str], Rule] = {
    ("GET", "/grafana"): Rule(NAMED),
    ("GET", "/grafana/"): Rule(NAMED),
    ("POST", "/grafana/metrics"): Rule(NAMED),
    ("POST", "/grafana/tag-keys"): Rule(NAMED),
    ("POST", "/grafana/metric-payload-options"): Rule(
        NAMED, (Case(send={"json": {"metric": "jobs", "payload": {}, "name": "group"}}),)
    ),
    ("POST", "/grafana/tag-values"): Rule(NAMED, (Case(send={"json": {"key": "user"}}),)),
    ("POST", "/grafana/variable"): Rule(
        NAMED, (Case(send={"json": {"payload": {"target": "user"}, "range": _RANGE}}),)
    ),
    ("POST", "/grafana/query"): Rule(
        NAMED, (_drawn("jobs", by="user"), _drawn("user_table"), _drawn("job_table"))
    ),
}

RULES: dict[tuple[str, str], Rule] = {
    **{("GET", path): rule for path, rule in PAGES_OF_THE_SITE.items()},
    **{("POST", path): rule for path, rule in CHANGING_THE_SITE.items()},
    **{("GET", path): rule for path, rule in PAGES_OF_JOBS.items()},
    **GRAFANA,
    ("GET", "/healthz"): open_to_all(),
    ("GET", "/static"): open_to_all(),
    ("GET", "/static/bokeh"): open_to_all(),
    ("GET", "/v1/openapi.json"): open_to_all(),
    ("GET", "/metrics"): Rule(READ_METRICS),
    ("GET", "/login"): open_to_all(),
    ("POST", "/login"): open_to_all(Case(send=_LOGIN, status=303)),
    ("POST", "/logout"): open_to_all(Case(status=303)),
    ("GET", "/login/oidc"): open_to_all(Case(status=404)),
    ("GET", "/login/oidc/callback"): open_to_all(Case(status=404)),
    ("GET", "/"): Rule(EVERYBODY),
    **{("GET", path): rule for path, rule in READING_THE_API.items()},
    ("POST", "/v1/jobs:batchGet"): Rule(EVERYBODY, (Case(send={"json": {"ids": ["1", "2"]}}),)),
    ("POST", "/jobs/{key}/gain"): Rule(NAMED, (Case("without advice", {"key": "1"}, status=404),)),
    ("POST", "/queue/starts"): Rule(NAMED, (Case(query={"cluster": "one"}),)),
    ("POST", "/v1/what-if"): Rule(
        PLANNERS, (Case(send={"json": QUESTION}, status=202),), takes_tokens=True
    ),
    ("POST", "/v1/slurm/what-if"): Rule(
        OPERATORS,
        (Case("without a twin", send={"json": TWIN_QUESTION}, status=404),),
        takes_tokens=True,
    ),
    ("POST", "/v1/ingest"): Rule(frozenset({Role.ADMIN, Role.API}), (Case(send=_JOB),)),
    ("GET", "/account"): Rule(PEOPLE),
    ("POST", "/account/reports"): Rule(frozenset(), (Case(send={"data": {"period": "week"}}),)),
    ("POST", "/account/password"): Rule(PEOPLE, (Case(send=_PASSWORDS, status=400),)),
    ("POST", "/account/tokens"): Rule(PEOPLE, (Case(send=_NEW_TOKEN),)),
    ("POST", "/account/tokens/{token}/revoke"): Rule(
        PEOPLE,
        (
            Case("own", {"token": _token_of("ann")}, seen_by=frozenset({Role.USER}), status=303),
            Case("other", {"token": _token_of("root")}, seen_by=ADMINS, status=303),
        ),
    ),
}
