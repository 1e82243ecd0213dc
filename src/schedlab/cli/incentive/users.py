"""schedlab incentive users."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from schedlab.cli.console import AsJson, cell, heading, new_table, out, print_json, print_notes
from schedlab.cli.machine import MachineOptions
from schedlab.cli.pictures import Pictures
from schedlab.cli.reading import Shaping, WorkloadOptions
from schedlab.cli.replay import Policies, Scenario
from schedlab.cli.results import result_rows, run_notes
from schedlab.errors import WorkloadError

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.sim import Schedule

EXAMPLES = (
    "schedlab incentive users trace.swf --policy easy --policy wrsabf-or --figure users.png",
    "schedlab incentive users trace.swf --nodes 1024 --tick 60 --depth 100 --policy wrsa --json",
)


def users(
    reading: WorkloadOptions,
    shaping: Shaping,
    machine: MachineOptions,
    policies: Policies,
    figure: Annotated[
        Path | None,
        Option(metavar="FILE", help="Draw the users as points, as .png, .pdf or .svg."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Test whether users with accurate requests wait less, under each policy."""
    policies.names()
    pictures = Pictures(figure=figure, figure_kind="incentive")
    pictures.check()
    scenario = Scenario.load(reading, shaping, machine)
    _require_users(scenario)
    schedules = list(policies.run(scenario, shaping.seed))
    written = pictures.draw(schedules, ())
    incentives = [
        Incentive.of(schedule, measure) for measure in _measures() for schedule in schedules
    ]
    rows = result_rows(schedules, scenario, policies, shaping.seed)
    if json:
        print_json([{**row, "incentive": _of_policy(row["policy"], incentives)} for row in rows])
    else:
        out().print(heading(scenario.title()), "", _table(incentives), "", sep="\n")
    notes = [*run_notes(rows), *scenario.notes, *(f"written: {path}" for path in written)]
    print_notes(notes, to_stderr=json)


@dataclass(frozen=True)
class Incentive:
    """What users gain by accurate requests under one policy, by one measure; None: not defined."""

    policy: str
    measure: str
    rank_correlation: float | None
    mean_distance: float | None
    share_above: float | None
    users: list[dict[str, Any]]

    @classmethod
    def of(cls, schedule: Schedule, measure: str) -> Incentive:
        """Measure the schedule."""
        from schedlab.metrics import METRICS, incentive_points

        def number(kind: str) -> float | None:
            value = METRICS[f"incentive_{measure}{kind}"].value(schedule)
            return None if math.isnan(value) else value

        return cls(
            schedule.policy,
            measure,
            rank_correlation=number(""),
            mean_distance=number("_distance"),
            share_above=number("_above"),
            users=incentive_points(schedule, measure).fill_nan(None).to_dicts(),
        )


def _measures() -> Sequence[str]:
    from schedlab.metrics.incentive import MEASURES

    return list(MEASURES)


def _require_users(scenario: Scenario) -> None:
    if "user" not in scenario.workload:
        raise WorkloadError(f"{scenario.workload.name}: has no users to compare")


def _of_policy(policy: str, incentives: Sequence[Incentive]) -> dict[str, Any]:
    return {each.measure: asdict(each) for each in incentives if each.policy == policy}


def _table(incentives: Sequence[Incentive]) -> Table:
    table = new_table(
        "measure",
        "policy",
        "users",
        "rank\ncorrelation",
        "distance\nto the line",
        "above\nthe line",
        text_columns=2,
    )
    for each in incentives:
        table.add_row(
            each.measure,
            each.policy,
            str(len(each.users)),
            cell(each.rank_correlation, "{:.2f}".format),
            cell(each.mean_distance, "{:.2f}".format),
            cell(each.share_above, lambda share: f"{100 * share:.0f} %"),
        )
    return table
