"""Results of runs, as rows for JSON and remarks for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from schedlab.cli.replay import Policies, Scenario

if TYPE_CHECKING:
    from schedlab.sim import Schedule

Row = dict[str, Any]

_FATES = {"killed": "killed at their request", "cancelled": "cancelled while waiting"}


def result_rows(
    schedules: Sequence[Schedule], scenario: Scenario, policies: Policies, seed: int
) -> list[Row]:
    """Return one row per schedule: its summary, and the settings it was made with."""
    from schedlab.metrics import summary

    settings = {
        "trace": scenario.workload.name,
        "nodes": scenario.platform.nodes,
        "tick_s": policies.tick,
        "kill_at_request": not policies.allow_overrun,
        "place": policies.place,
        "failures": policies.failures,
        "preempt": policies.preempt,
        "when_preempted": policies.when_preempted if policies.preempt else None,
        "seed": seed,
    }
    return [{**summary(schedule), **settings, **_cluster_rows(schedule)} for schedule in schedules]


def _cluster_rows(schedule: Schedule) -> Row:
    """Return rows by cluster, and by number of clusters that jobs need, if they name clusters."""
    from schedlab.metrics import by_cluster, table

    if "needs" not in schedule.workload:
        return {}
    wait, slowdown = (
        table(schedule, metric, "clusters", percentiles=())
        for metric in ("wait", "bounded_slowdown")
    )
    by_needs = wait.select("clusters", "jobs", mean_wait_s="mean").with_columns(
        mean_bounded_slowdown=slowdown["mean"]
    )
    return {
        "clusters": by_cluster(schedule).fill_nan(None).to_dicts(),
        "by_clusters_needed": by_needs.to_dicts(),
    }


def run_notes(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how fast the simulation was, and which jobs did not complete."""
    from schedlab.units import three_digits

    jobs, wall_s = sum(row["jobs"] for row in rows), sum(row["wall_s"] or 0 for row in rows)
    if wall_s > 0:
        took = f"{three_digits(wall_s)} s" if wall_s >= 0.001 else "less than 1 ms"
        yield f"simulated {jobs:,} jobs in {took}, {jobs / wall_s:,.0f} jobs a second"
    for how, words in _FATES.items():
        counts = {row["policy"]: row[how] for row in rows}
        if any(counts.values()):
            yield f"{words}: {_counted(counts)}"


def counter_notes(schedules: Sequence[Schedule]) -> Iterator[str]:
    """Yield the counters of the policies."""
    for schedule in schedules:
        counters = schedule.provenance.get("counters", {})
        if counters:
            counted = ", ".join(f"{name} {count:,}" for name, count in counters.items())
            yield f"{schedule.policy}: {counted}"


def _counted(counts: dict[str, int]) -> str:
    first, *others = counts.values()
    if all(count == first for count in others):
        return f"{first:,} job{'s' if first > 1 else ''}"
    return ", ".join(f"{count:,} under {policy}" for policy, count in counts.items())
