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
from tests.history.web.authorisation import RULES
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
"""A refusal is an answer too: what the schema allows may still name no job."""
ANNS_JOB = JOBS[0].model_dump(mode="json", exclude_none=True)
THERE = {
    "cluster": "one",
    "jobid": "1",
    "host": "n01",
    "item": "power_watt",
    "device": "0",
    "user": "ann",
}
"""What random paths would never name."""
OPERATIONS = sorted(
    (method, path.replace(":path", ""))
    for method, path in RULES
    if path.startswith("/v1/") and path != "/v1/openapi.json"
)


@pytest.fixture(scope="module")
def asked(common: Served) -> Iterator[tuple[Served, str, dict[str, str]]]:
    """A service, where it listens, and what an administrator's program sends along."""
    program = common.program("root", SCOPES[Role.ADMIN])
    with listening(common.app) as url:
        yield common, url, {"authorization": program.headers["authorization"]}


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_answers_keep_to_the_document(
    asked: tuple[Served, str, dict[str, str]], method: str, path: str
) -> None:
    """No request makes the service fail, and what it answers is what it promises."""
    served, url, headers = asked
    document = schemathesis.openapi.from_dict(served.app.openapi())

    @seed(1)
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=document[path][method].as_strategy(), is_there=st.booleans())
    def whatever_is_asked(case: schemathesis.Case[Any], is_there: bool) -> None:
        if is_there:
            case.path_parameters = {name: THERE[name] for name in case.path_parameters or {}}
        if is_there and path == "/v1/ingest":
            case.body = ANNS_JOB
        answer = case.call_and_validate(base_url=url, headers=headers, checks=CHECKS)
        statuses.add(answer.status_code)

    statuses: set[int] = set()
    whatever_is_asked()
    assert 200 in statuses or path.endswith("{device}"), "nothing was tried that works"


@pytest.mark.slow
def test_the_document_describes_every_route_of_the_api(
    asked: tuple[Served, str, dict[str, str]],
) -> None:
    """Nothing can be asked that the document, and so the test above, does not know."""
    paths = asked[0].app.openapi()["paths"]
    described = {(method.upper(), path) for path, each in paths.items() for method in each}
    assert described == set(OPERATIONS)
