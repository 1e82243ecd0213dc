"""What was run: workload, platform, options and versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from schedlab.analysis.clock import dates_told
from schedlab.platform import Platform, capacity_of
from schedlab.sim import Schedule
from schedlab.units import format_duration
from schedlab.workload import Workload
from schedlab.workload.offered import offered_loads

_OPTIONS = ("tick", "depth", "kill_at_request", "place", "seed")

Facts = list[tuple[str, list[tuple[str, str]]]]


def facts(schedules: Sequence[Schedule]) -> Facts:
    """Return titles, each with names and values; what schedules share is listed once."""
    told: dict[str, list[tuple[str, str]]] = {}
    for schedule in schedules:
        told.setdefault(f"Workload {schedule.workload.name}", _of_workload(schedule))
        told.setdefault(f"Platform {schedule.platform.name}", _of_platform(schedule.platform))
    told["Runs"] = [(schedule.policy, _of_run(schedule.provenance)) for schedule in schedules]
    return list(told.items())


def _of_workload(schedule: Schedule) -> list[tuple[str, str]]:
    workload: Workload = schedule.workload
    loads = offered_loads(workload, capacity_of(schedule.platform))
    dates = dates_told(workload)
    return [
        ("jobs", f"{len(workload):,}"),
        *([("submitted", dates)] if dates else []),
        ("submitted within", format_duration(workload.span_s())),
        ("offered load", _load_told(loads)),
        *(("reader", line) for line in workload.report.lines()),
        *((str(step.get("step", "step")), _plain(step)) for step in workload.provenance),
    ]


def _load_told(loads: Mapping[str, float]) -> str:
    """Return the load or, if several resources are counted, the load of each by its name."""
    if len(loads) == 1:
        return f"{max(loads.values()):.3f}"
    return ", ".join(f"{name.removesuffix('_bytes')} {load:.3f}" for name, load in loads.items())


def _of_platform(platform: Platform) -> list[tuple[str, str]]:
    return [
        (
            cluster.name,
            f"{group.nodes:,} nodes of {group.type.cores or 1} cores, {group.type.gpu_count} GPUs",
        )
        for cluster in platform.clusters
        for group in cluster.groups
    ]


def _of_run(provenance: Mapping[str, Any]) -> str:
    if "recorded" in provenance:
        return str(provenance["recorded"])
    options = [f"{key} {provenance[key]}" for key in _OPTIONS if provenance.get(key) is not None]
    versions = [f"{name} {version}" for name, version in provenance.get("versions", {}).items()]
    return ", ".join([*options, *versions]) or "not known"


def _plain(step: Mapping[str, Any]) -> str:
    details = {key: value for key, value in step.items() if key != "step"}
    return ", ".join(f"{key} {json.dumps(value, default=str)}" for key, value in details.items())
