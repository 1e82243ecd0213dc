"""The job record: what it requires, what it keeps, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from schedlab.history.schema.fault import faults_of
from schedlab.history.schema.job import JobRecord

FINISHED: dict[str, Any] = {
    "jobid": "21_3",
    "cluster": "one",
    "queue_time": "20261115T120000+0900",
    "req_walltime_sec": 600,
    "resource_req": {"num_host": 1},
    "start_time": "20261115T120010+0900",
    "end_time": "20261115T121000+0900",
    "per_host": [{"node_id": "n01"}],
}


def faults(**items: Any) -> list[str]:
    """Return the faults of the finished job with these changes; ``...`` leaves an item out."""
    document = {key: value for key, value in {**FINISHED, **items}.items() if value is not ...}
    with pytest.raises(ValidationError) as caught:
        JobRecord.model_validate(document)
    return [str(fault) for fault in faults_of(caught.value, "f.json")]


def test_a_record_is_written_as_it_was_read() -> None:
    """Items of the site are kept: the schema is open."""
    given = FINISHED | {"site_color": {"name": "blue"}, "schema_version": "1.0"}
    written = JobRecord.model_validate(given).model_dump_json(exclude_none=True)
    assert json.loads(written) == given


@pytest.mark.parametrize("item", ["jobid", "req_walltime_sec", "resource_req"])
def test_the_items_of_the_paper_are_required(item: str) -> None:
    """The required items are those that the paper prints in bold type."""
    assert faults(**{item: ...}) == [f"f.json: $.{item}: is missing; it is required"]


@pytest.mark.parametrize("item", ["start_time", "end_time", "per_host"])
def test_a_job_that_ran_has_times_and_hosts(item: str) -> None:
    """A job without a state follows the paper, which requires these items."""
    assert faults(**{item: ...}) == [
        f"f.json: $.{item}: {item} is missing, which a job without a state must have"
    ]


def test_a_job_that_never_ran_needs_neither() -> None:
    """A job cancelled while it waited has no hosts, but its existence matters all the same."""
    document = {k: v for k, v in FINISHED.items() if k not in ("start_time", "per_host")}
    assert JobRecord.model_validate(document | {"state": "cancelled"}).start_time is None
    assert faults(start_time=..., state="completed") == [
        'f.json: $.start_time: start_time is missing, which a job in state "completed" must have'
    ]


def test_a_job_without_a_limit_says_null_even_if_nulls_are_left_out() -> None:
    """The item is required; null says that there was no limit."""
    record = JobRecord.model_validate(FINISHED | {"req_walltime_sec": None})
    assert '"req_walltime_sec":null' in record.model_dump_json(exclude_none=True)


@pytest.mark.parametrize(
    "items",
    [{}, {"req_walltime_sec": None}, {"site_color": "blue"}, {"per_host": [{"node_id": "n01"}]}],
)
def test_what_is_kept_is_what_pydantic_writes(items: dict[str, Any]) -> None:
    """The fast writer must not differ in one character, or each record would seem changed."""
    record = JobRecord.model_validate(FINISHED | items)
    assert record.to_json() == record.model_dump_json(exclude_none=True)


def test_contradictions_are_refused_where_they_stand() -> None:
    """A negative run time would poison every statistic."""
    assert faults(end_time="20261115T110000+0900") == [
        "f.json: $.end_time: end_time lies before start_time"
    ]
    assert faults(start_time="20261115T110000+0900") == [
        "f.json: $.start_time: start_time lies before queue_time"
    ]


def test_each_fault_has_its_path() -> None:
    """No user should have to search a file of a thousand lines."""
    host = {"node_id": "", "power_watt_avg": "200"}
    found = faults(per_host=[{"node_id": "n01"}, host], user_priority=101, state="sleeping")
    assert [fault.split(": ")[1] for fault in found] == [
        "$.user_priority",
        "$.per_host[1].power_watt_avg",
        "$.per_host[1].node_id",
        "$.state",
    ]


def test_numbers_are_numbers_and_finite() -> None:
    """A text that looks like a number has lost its unit somewhere."""
    assert faults(req_walltime_sec="600")[0].startswith("f.json: $.req_walltime_sec: is '600'")
    assert faults(maxpower_watt=float("nan"))[0].startswith("f.json: $.maxpower_watt: is nan")


def test_identity_tells_attempts_and_reused_ids_apart() -> None:
    """Ids are reused, jobs are requeued, and ids overlap between clusters."""
    one = JobRecord.model_validate(FINISHED)
    utc = JobRecord.model_validate(FINISHED | {"queue_time": "20261115T030000+0000"})
    assert one.identity == utc.identity
    for change in (
        {"attempt": 2},
        {"cluster": "two"},
        {"jobid": "21_4"},
        {"queue_time": "20251115T120000+0900"},
    ):
        assert JobRecord.model_validate(FINISHED | change).identity != one.identity
