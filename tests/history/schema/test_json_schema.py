"""The committed JSON Schemas, with which others validate, agree with the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from schedlab.history.schema.job import JobRecord, JobState
from schedlab.history.schema.json_schema import SCHEMAS, as_text, job_record_schema
from schedlab.history.schema.system import SystemDocument

FOLDER = Path(__file__).parents[3] / "docs" / "formats"


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_committed_schema_is_what_the_models_say(name: str) -> None:
    """Update the schemas with: python -m schedlab.history.schema.json_schema docs/formats."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text == as_text(SCHEMAS[name]())
    Draft202012Validator.check_schema(json.loads(text))


def _documents() -> list[dict[str, Any]]:
    """Return a started and an unstarted job in each state, with one fault or none."""
    base: dict[str, Any] = {
        "jobid": "1",
        "req_walltime_sec": None,
        "resource_req": {"num_host": 1},
    }
    run = {
        "start_time": "20261115T120010+0900",
        "end_time": "20261115T121000+0900",
        "per_host": [{"node_id": "n", "power_watt": "uri", "power_watt_avg": 1.5}],
    }
    wrong: list[dict[str, Any]] = [
        {},
        {"end_time": None},
        {"per_host": None},
        {"per_host": [{}]},
        {"per_host": [{"node_id": "n", "power_watt_avg": "x"}]},
        {"resource_req": {"num_host": -1}},
        {"queue_time": "2026"},
        {"user_priority": 101},
        {"schema_version": "2.0"},
        {"unknown": {"is": "kept"}},
    ]
    states = [{}, *({"state": str(state)} for state in JobState)]
    return [
        base | ran | state | change for ran in ({}, run) for state in states for change in wrong
    ]


def test_the_schema_accepts_what_the_models_accept() -> None:
    """Schema and models must agree, but JSON Schema cannot compare times."""
    validator = Draft202012Validator(job_record_schema())
    for document in _documents():
        try:
            JobRecord.model_validate(document)
            accepted = True
        except ValidationError:
            accepted = False
        assert validator.is_valid(document) is accepted, document


def test_a_system_document_names_nodes_by_host_lists() -> None:
    """Records name nodes and devices; a system document describes them."""
    document = {
        "site": "example",
        "clusters": [
            {
                "name": "one",
                "node_groups": [
                    {
                        "nodes": "g[01-04]",
                        "num_cpu": 64,
                        "accelerator": [{"type": "A100", "num_perhost": 4}],
                    }
                ],
            }
        ],
        "schema_version": "1.0",
    }
    written = SystemDocument.model_validate(document).model_dump_json(exclude_none=True)
    assert json.loads(written) == document
