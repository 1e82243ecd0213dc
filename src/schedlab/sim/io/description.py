"""What a schedule file has beside its table: platform, workload and how both were made."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from schedlab.errors import InputError
from schedlab.platform import Platform
from schedlab.sim.attempts import Attempts
from schedlab.sim.schedule import Schedule
from schedlab.workload import ReadReport

VERSION = 1


def to_json(schedules: Sequence[Schedule]) -> str:
    """Return the descriptions of these schedules as one JSON text."""
    described = {schedule.policy: _description(schedule) for schedule in schedules}
    return json.dumps({"schedlab_schedule": VERSION, "schedules": described}, default=_plain)


def from_json(text: str | bytes) -> dict[str, dict[str, Any]]:
    """Return the descriptions by policy."""
    try:
        found = json.loads(text)
        version, described = found["schedlab_schedule"], dict(found["schedules"])
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"not a description of schedules: {error}") from None
    if version != VERSION:
        raise InputError(f"schedule format {version}; this schedlab reads {VERSION}")
    return described


def platform_of(description: dict[str, Any]) -> Platform | None:
    """Return the platform, if the description names one."""
    return Platform.from_dict(description["platform"]) if "platform" in description else None


def attempts_of_file(description: dict[str, Any]) -> Attempts | None:
    """Return the attempts, if any was interrupted."""
    return Attempts.from_dict(description["attempts"]) if "attempts" in description else None


def workload_arguments(description: dict[str, Any]) -> dict[str, Any]:
    """Return name, columns, header, labels, report and provenance of the workload."""
    known = dict(description.get("workload", {}))
    if "report" in known:
        known["report"] = ReadReport(**known["report"])
    return known


def _description(schedule: Schedule) -> dict[str, Any]:
    workload, attempts = schedule.workload, schedule.attempts
    return {
        "platform": schedule.platform.to_dict(),
        "wall_s": None if math.isnan(schedule.wall_s) else schedule.wall_s,
        "provenance": dict(schedule.provenance),
        **({} if attempts is None else {"attempts": attempts.to_dict()}),
        "workload": {
            "name": workload.name,
            "columns": workload.columns,
            "header": workload.header,
            "labels": workload.labels,
            "report": asdict(workload.report),
            "provenance": workload.provenance,
        },
    }


def _plain(value: Any) -> Any:
    """Return NumPy numbers and arrays as Python's; anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
