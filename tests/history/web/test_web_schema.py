"""The OpenAPI document and the answers agree, whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.history.web.authorisation import QUESTION, RULES, TWIN_QUESTION
from tests.history.web.listening import listening
from tests.history.web.served import JOBS, Served

from schedlab.history.web.access import Role
from schedlab.history.web.access.viewer import SCOPES

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
"""Refusals are allowed: a request that fits the schema may still name no job."""
ANNS_JOB = JOBS[0].model_dump(mode="json", exclude_none=True)
THERE = {
    "cluster": "one",
    "jobid": "1",
    "host": "n01",
    "item": "power_watt",
    "device": "0",
    "user": "ann",
}
"""Existing things, which random paths would never name."""
BODIES = {
    "/v1/ingest": ANNS_JOB,
    "/v1/what-if": QUESTION,
    "/v1/slurm/what-if": TWIN_QUESTION,
}
"""Valid bodies, which random requests would never have."""
OPERATIONS = sorted(
    (method, path.replace(":path", ""))
    for method, path in RULES
    if path.startswith("/v1/") and path != "/v1/openapi.json"
)


@pytest.fixture(scope="module")
def asked(twinned: Served) -> Iterator[tuple[Served, str, dict[str, str]]]:
    """A service, its URL, and the headers of an administrator's program."""
    program = twinned.program("root", SCOPES[Role.ADMIN])
    with listening(twinned.app) as url:
        yield twinned, url, {"authorization": program.headers["authorization"]}


def simulated(served: Served, path: str) -> str:
    """Return the id of an administrator's finished what-if, the same each time."""
    root = served.browser("root")
    asked = "/v1/slurm/what-if" if path.startswith("/v1/slurm") else "/v1/what-if"
    task: str = root.post(asked, json=BODIES[asked]).json()["id"]
    while served.app.state.service.runner.run_next():
        pass
    return task


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_answers_keep_to_the_document(
    asked: tuple[Served, str, dict[str, str]], method: str, path: str
) -> None:
    """No request makes the service fail, and each answer is as the document says."""
    served, url, headers = asked
    there = {**THERE, "task": simulated(served, path)}
    document = schemathesis.openapi.from_dict(served.app.openapi())

    @seed(1)
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=document[path][method].as_strategy(), is_there=st.booleans())
    def whatever_is_asked(case: schemathesis.Case[Any], is_there: bool) -> None:
        if is_there:
            case.path_parameters = {name: there[name] for name in case.path_parameters or {}}
        if is_there and path in BODIES:
            case.body = BODIES[path]
        answer = case.call_and_validate(base_url=url, headers=headers, checks=CHECKS)
        statuses.add(answer.status_code)

    statuses: set[int] = set()
    whatever_is_asked()
    assert statuses & {200, 202} or path.endswith("{device}"), "nothing was tried that works"


@pytest.mark.slow
def test_the_document_describes_every_route_of_the_api(
    asked: tuple[Served, str, dict[str, str]],
) -> None:
    """The document, and so the test above, covers all that a program can request."""
    paths = asked[0].app.openapi()["paths"]
    described = {(method.upper(), path) for path, each in paths.items() for method in each}
    assert described == set(OPERATIONS)


NAME = r"^[^\x00]*$"
"""The pattern of names of users, clusters and the like, which the document cannot list."""
READ = [path for method, path in OPERATIONS if method == "GET"]


def _texts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schemas of strings in the schema of a parameter."""
    for each in (schema, *schema.get("anyOf", ())):
        if each.get("type") == "string":
            yield each
        elif "items" in each:
            yield from _texts(each["items"])


def _parameters(served: Served, path: str) -> dict[str, dict[str, Any]]:
    """Return the schemas of the query parameters of a path."""
    listed = served.app.openapi()["paths"][path]["get"].get("parameters", ())
    return {each["name"]: each["schema"] for each in listed if each["in"] == "query"}


def test_no_parameter_is_a_free_text(common: Served) -> None:
    """A program that is made from the document must not request what is always refused."""
    for path in READ:
        for name, schema in _parameters(common, path).items():
            for text in _texts(schema):
                assert {"enum", "pattern", "format"} & text.keys(), f"{path} {name}"


@pytest.mark.parametrize("path", READ)
def test_names_are_those_of_the_document(common: Served, path: str) -> None:
    """Each name that the document allows is accepted, and any other is refused."""
    client, there = common.browser("root"), path.format(**THERE, task="0")
    for name, schema in _parameters(common, path).items():
        for text in _texts(schema):
            if text.get("pattern") == NAME:
                continue
            assert client.get(there, params={name: "no such!"}).status_code in (400, 422), name
            others = {"freq": "50s"} if name == "agg" else {}
            for value in text.get("enum", ()):
                answer = client.get(there, params={name: value, **others})
                assert answer.status_code in (200, 404), f"{name}={value}: {answer.text}"


def test_files_have_no_json_lines_where_they_are_refused(common: Served) -> None:
    """Only lists of jobs have this format."""
    taken = {
        path: "jsonl" in text["enum"]
        for path in READ
        for text in _texts(_parameters(common, path).get("format", {}))
    }
    assert not any(taken.values())
    assert len(taken) == 4
