"""The jobs that wait at the miniature site when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch

_BURST = 40
"""The number of jobs that one user has just submitted at once."""


def jobs_that_wait(now_s: int, cpus: int) -> Iterator[JobRecord]:
    """Yield jobs that were submitted lately and wait.

    Args:
        now_s: when the site is looked at, in epoch seconds.
        cpus: number of CPUs of a node.
    """
    yield from _burst(now_s, cpus)
    yield from _set_aside(now_s, cpus)


def _burst(now_s: int, cpus: int) -> Iterator[JobRecord]:
    """Yield many jobs that one user has submitted in the last half hour."""
    for number in range(_BURST):
        document: dict[str, Any] = {
            "cluster": "mini",
            "jobid": str(5000 + number),
            "queue_time": from_epoch(now_s - 1_800 + 30 * number),
            "req_walltime_sec": 7_200,
            "resource_req": {"num_host": 1, "num_cpu_perhost": cpus},
            "state": "pending",
            "job_type": "batch",
            "partition": "all",
            "user_identifier": "curry",
            "accounting_group": "group1",
            "job_name": f"sweep-{number}",
            "wait_reason": "Priority",
        }
        yield JobRecord.model_validate(document)


def _set_aside(now_s: int, cpus: int) -> Iterator[JobRecord]:
    """Yield jobs that wait for other reasons than the queue, and one whose node failed."""
    common: dict[str, Any] = {
        "cluster": "mini",
        "queue_time": from_epoch(now_s - 2_400),
        "req_walltime_sec": 3_600,
        "resource_req": {"num_host": 1, "num_cpu_perhost": cpus},
        "state": "pending",
        "job_type": "batch",
        "partition": "all",
        "user_identifier": "ada",
        "accounting_group": "group2",
    }
    attempt: dict[str, Any] = {
        "start_time": from_epoch(now_s - 2_340),
        "end_time": from_epoch(now_s - 2_280),
        "per_host": [{"node_id": "n08"}],
    }
    for more in (
        {"jobid": "4900", "job_name": "held", "wait_reason": "JobHeldUser"},
        {
            "jobid": "4901",
            "job_name": "collect",
            "wait_reason": "Dependency",
            "dependency": ["5000"],
        },
        {
            **{"jobid": "4902", "job_name": "nightly", "wait_reason": "BeginTime"},
            "eligible_time": from_epoch(now_s + 6 * 3_600),
        },
        {"jobid": "4903", "job_name": "restart", "state": "node_fail", **attempt},
        {
            **{"jobid": "4903.r2", "job_name": "restart", "wait_reason": "Priority"},
            **{"attempt": 2, "queue_time": attempt["end_time"]},
        },
    ):
        yield JobRecord.model_validate({**common, **more})
