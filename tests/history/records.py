"""Small job records for tests."""

from __future__ import annotations

from typing import Any

from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch

NOON_S = 1_700_049_600
"""15 November 2023, 12:00 UTC."""


def job(jobid: str = "1", *, queued_s: int = 0, **items: Any) -> JobRecord:
    """Return a job of one node: submitted ``queued_s`` after noon, it waited 10 s and ran 100 s."""
    queue_s = NOON_S + queued_s
    given: dict[str, Any] = {
        "cluster": "one",
        "jobid": jobid,
        "queue_time": from_epoch(queue_s),
        "start_time": from_epoch(queue_s + 10),
        "end_time": from_epoch(queue_s + 110),
        "req_walltime_sec": 600,
        "resource_req": {"num_host": 1, "num_cpu_perhost": 4},
        "per_host": [{"node_id": "n01"}],
        "state": "completed",
        "user_identifier": "ann",
        "accounting_group": "physics",
    }
    return JobRecord.model_validate(given | items)


def measured_job(jobid: str = "1", **items: Any) -> JobRecord:
    """Return a job on two nodes with power, and the use of two accelerators of the first."""
    about = {"unit": "W", "native_step_s": 60.0, "coverage": 1.0, "scope": "node"}
    power = {"power_watt_avg": 200.0, "power_watt_max": 250.0, "power_watt_integral": 20_000.0}
    device = {"utilization_percent_avg": 50.0, "utilization_percent_provenance": {"unit": "%"}}
    first = {"node_id": "n01", "accelerator": [device, device], **power}
    hosts = [
        {**each, "power_watt_provenance": about} for each in (first, {"node_id": "n02", **power})
    ]
    energy = {"total_joule": 40_000.0}
    request = {"num_host": 2, "num_cpu_perhost": 4}
    return job(
        jobid, per_host=hosts, maxpower_watt=480.0, energy=energy, resource_req=request, **items
    )
