"""The standard job record: one JSON object per job, with the items of Nomura et al.

The names are those of the paper. Items beyond the paper are optional and grouped below its items.
Unknown items are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from schedlab.history.schema.timeline import Item, Number, WithTimelines
from schedlab.history.schema.times import Time

SCHEMA_VERSION = "1.0"

NonNegative = Annotated[Number, Field(ge=0)]
Whole = Annotated[int, Field(strict=True)]
Count = Annotated[Whole, Field(ge=0)]
Text = Annotated[str, Field(min_length=1)]


class JobState(StrEnum):
    """How far a job came, or how it ended."""

    PENDING = "pending"
    RUNNING = "running"
    SUSPENDED = "suspended"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    NODE_FAIL = "node_fail"
    BOOT_FAIL = "boot_fail"
    PREEMPTED = "preempted"
    REQUEUED = "requeued"
    DEADLINE = "deadline"


UNFINISHED = frozenset({JobState.PENDING, JobState.RUNNING, JobState.SUSPENDED})
SURELY_STARTED = frozenset(
    {
        JobState.RUNNING,
        JobState.SUSPENDED,
        JobState.COMPLETED,
        JobState.TIMEOUT,
        JobState.OUT_OF_MEMORY,
    }
)


class AcceleratorRequest(Item):
    """The accelerators asked for on each host."""

    type: str | None = None
    num_perhost: Count | None = None
    mem_perhost_bytes: Count | None = None
    frequency_policy: str | None = None


class ResourceRequest(Item):
    """What the job asked for."""

    num_host: Count
    num_cpu_perhost: Count | None = None
    mem_perhost_bytes: Count | None = None
    mem_percpu_bytes: Count | None = None
    """Set if memory was requested by core."""
    frequency_policy: str | None = None
    accelerator: AcceleratorRequest | None = None


class ResourceAllocation(Item):
    """What the job was given, over all its hosts."""

    num_host: Count | None = None
    num_cpu: Count | None = None
    mem_bytes: Count | None = None
    num_accelerator: Count | None = None


class AcceleratorUse(WithTimelines):
    """One accelerator that the job held."""

    STANDARD = ("utilization_percent", "usedmem_bytes", "power_watt", "temperature_celsius")

    uuid: str | None = None
    index: Count | None = None
    type: str | None = None


class StorageUse(WithTimelines):
    """The storage that the job used on a host."""

    STANDARD = ("utilization_bytes", "access_bytes")


class HostUse(WithTimelines):
    """One host of the job: what the job held of it, and what was measured there."""

    STANDARD = (
        "used_cpu_percent",
        "used_mem_bytes",
        "used_vmem_bytes",
        "frequency_hz",
        "energy_joule",
        "power_watt",
        "communication_bytes",
        "io_bytes",
    )

    node_id: Text
    start_time: Time | None = None
    end_time: Time | None = None
    num_cpu: Count | None = None
    mem_bytes: Count | None = None
    cpu_ids: list[Count] | None = None
    accelerator: list[AcceleratorUse] | None = None
    storage: StorageUse | None = None


class Usage(Item):
    """What the scheduler's accounting counted, over all hosts and steps."""

    cpu_sec: NonNegative | None = None
    maxrss_bytes: Count | None = None
    maxvmem_bytes: Count | None = None
    io_bytes: Count | None = None


class Energy(Item):
    """The job's energy, by component."""

    total_joule: NonNegative | None = None
    cpu_joule: NonNegative | None = None
    accelerator_joule: NonNegative | None = None
    memory_joule: NonNegative | None = None
    other_joule: NonNegative | None = None
    source: str | None = None


class Carbon(Item):
    """The job's emissions, and the factor they were computed with."""

    emission_gram: NonNegative | None = None
    factor_gram_per_kwh: NonNegative | None = None
    source: str | None = None


class JobItems(Item):
    """The items of a job's record."""

    jobid: Text
    queue_time: Time | None = None
    req_walltime_sec: NonNegative | None
    """``None`` where the job had no limit, or none was recorded."""
    resource_req: ResourceRequest
    user_priority: Annotated[Number, Field(ge=0, le=100)] | None = None
    job_type: str | None = None
    dependency: list[str] | None = None
    start_time: Time | None = None
    end_time: Time | None = None
    exit_status: Whole | None = None
    per_host: list[HostUse] | None = None
    user_identifier: str | None = None
    accounting_group: str | None = None
    maxpower_watt: NonNegative | None = None

    cluster: Text | None = None
    partition: str | None = None
    qos: str | None = None
    array_job_id: str | None = None
    array_task_id: Count | None = None
    array_limit: Count | None = None
    """How many tasks of the array may run at a time."""
    attempt: Annotated[Count, Field(ge=1)] | None = None
    eligible_time: Time | None = None
    state: JobState | None = None
    exit_signal: Count | None = None
    exclusive: bool | None = None
    constraint: str | None = None
    licences: str | None = None
    dependencies: str | None = None
    """What the job waited for, in Slurm's words, if that was more than the end of other jobs."""
    preemptible: bool | None = None
    resource_alloc: ResourceAllocation | None = None
    job_name: str | None = None
    application: str | None = None
    tags: list[str] | None = None
    native_priority: Number | None = None
    comment: str | None = None
    admin_comment: str | None = None
    last_sched_eval_time: Time | None = None
    wait_reason: str | None = None
    """Why the job waits, in the scheduler's words; only while it waits."""
    usage: Usage | None = None
    energy: Energy | None = None
    carbon: Carbon | None = None
    schema_version: Annotated[str, Field(pattern=r"^1\.\d+$")] = SCHEMA_VERSION

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        start, end, state = self.start_time, self.end_time, self.state
        if start is None:
            if state is None or state in SURELY_STARTED:
                raise _missing("start_time", state)
            return self
        if self.per_host is None:
            raise _missing("per_host", state)
        queued = self.queue_time
        if queued is not None and start < queued:
            raise _error("start_time", "start_time lies before queue_time")
        if end is None:
            if state not in UNFINISHED:
                raise _missing("end_time", state)
        elif end < start:
            raise _error("end_time", "end_time lies before start_time")
        return self


_items_to_json = TypeAdapter(JobItems).serializer.to_json


class JobRecord(JobItems):
    """One job, or one attempt at it where it was queued again."""

    @property
    def identity(self) -> tuple[str, str, datetime | None, int]:
        """The values that tell the job from all others.

        Its id alone does not: ids are reused, jobs are queued again, and ids of clusters overlap.
        """
        return (self.cluster or "", self.jobid, self.queue_time, self.attempt or 1)

    def to_json(self) -> str:
        """Return the record as JSON for the store, without nulls except the required one."""
        # The items alone are serialised: ``_with_walltime`` would take a third longer.
        text = _items_to_json(self, exclude_none=True).decode()
        if self.req_walltime_sec is None:
            return f'{text[:-1]},"req_walltime_sec":null}}'
        return text

    @model_serializer(mode="wrap")
    def _with_walltime(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Required even if it is null: callers that leave out nulls must not drop it.
        data: dict[str, Any] = handler(self)
        data.setdefault("req_walltime_sec", self.req_walltime_sec)
        return data


validate_record: Callable[[Mapping[str, Any]], JobRecord]
validate_record = TypeAdapter(JobRecord).validator.validate_python
"""``JobRecord.model_validate`` without its options, which take a tenth of its time."""


def _missing(item: str, state: JobState | None) -> PydanticCustomError:
    whose = f'a job in state "{state}"' if state else "a job without a state"
    return _error(item, f"{item} is missing, which {whose} must have")


def _error(item: str, message: str) -> PydanticCustomError:
    return PydanticCustomError("inconsistent", "{message}", {"item": item, "message": message})
