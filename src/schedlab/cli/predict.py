"""schedlab predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import AsJson, cell, heading, new_table, out, print_json, print_notes
from schedlab.cli.machine import MachineOptions
from schedlab.cli.reading import Shaping, WorkloadOptions
from schedlab.cli.replay import Policies, Scenario
from schedlab.cli.results import Row, result_rows, run_notes
from schedlab.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.predict import ChosenPredictor, RunTimes
    from schedlab.sim import Schedule

EXAMPLES = (
    "schedlab predict trace.swf.gz --predictor last-two --predictor past "
    "--predictor nearest-quantiles",
    "schedlab predict trace.swf --policy sjf+easy --predictor regression --by user",
    "schedlab predict trace.swf --predictor nearest-quantiles --elapsed 1h --levels 0.5,0.9",
    "schedlab predict trace.swf --nodes 128 --predictor mine:MyPredictor --json",
)

_SHOWN = 20


def predict(
    reading: WorkloadOptions,
    shaping: Shaping,
    machine: MachineOptions,
    predictor: Annotated[
        list[str],
        Option(
            metavar="P",
            help="A predictor such as last-two, or your own as package.module:Class; may be given "
            "several times. All names: schedlab policies.",
        ),
    ],
    policy: Annotated[str, Option(metavar="P", help="The policy of the replay.")] = "easy",
    by: Annotated[
        str | None,
        Option(
            metavar="GROUP",
            help="Also group by user, group, account, qos, partition, queue, size, run_time, "
            "clusters, "
            f"day or week; the {_SHOWN} with most jobs are shown.",
        ),
    ] = None,
    elapsed: Annotated[
        str,
        Option(
            metavar="T",
            help="Evaluate the quantiles of jobs that have already run this long, such as 1h.",
        ),
    ] = "0s",
    levels: Annotated[
        str | None,
        Option(
            metavar="L,L",
            help="Also report how often run times were below the quantiles of these levels, "
            "such as 0.1,0.5,0.9; the pinball loss then covers these.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Replay a trace with several predictors of run times, and measure their errors."""
    judging = _Judging.of(by, elapsed, levels)
    chosen = _chosen(policy, predictor)
    policies = Policies(policy=[policy])
    scenario = Scenario.load(reading, shaping, machine)
    rows, schedules = [], []
    for each in chosen:
        schedule, told = _foretold(each, policies, scenario, shaping.seed)
        schedules.append(schedule)
        rows.append({"predictor": each.name, **judging.row(schedule, told)})
    results = result_rows(schedules, scenario, policies, shaping.seed)
    rows = [{**result, **row} for result, row in zip(results, rows, strict=True)]
    if json:
        print_json(rows)
    else:
        _print(rows, scenario)
    print_notes([*run_notes(rows), *scenario.notes], to_stderr=json)


def _chosen(policy: str, predictors: Sequence[str]) -> list[ChosenPredictor]:
    """Return the predictors, checked: every one known, and none twice."""
    from schedlab.policies import find_policy
    from schedlab.predict import find_predictor

    if find_policy(policy).predictor.name != "request":
        raise ParameterError(f'policy "{policy}" names a predictor; give it with --predictor')
    for name in predictors:
        if predictors.count(name) > 1:
            raise ParameterError(f'predictor "{name}" is given twice')
    return [find_predictor(name) for name in predictors]


def _foretold(
    chosen: ChosenPredictor, policies: Policies, scenario: Scenario, seed: int
) -> tuple[Schedule, RunTimes]:
    """Return the schedule that was planned with the predictor, and its prediction for each job."""
    from schedlab.predict import ChosenPredictor, Recorded, RunTimes

    request_s = scenario.workload["request_s"]
    predictor = chosen.make(scenario.workload)
    if predictor is None:
        (schedule,) = policies.run(scenario, seed)
        return schedule, RunTimes.exactly(request_s)
    recorded = Recorded(predictor)
    (schedule,) = policies.run(scenario, seed, ChosenPredictor(chosen.name, lambda _: recorded))
    return schedule, recorded.run_times(request_s)


@dataclass(frozen=True)
class _Judging:
    """How the predictions are to be judged."""

    by: str | None
    elapsed_s: int
    levels: tuple[float, ...] | None

    @classmethod
    def of(cls, by: str | None, elapsed: str, levels: str | None) -> _Judging:
        """Read the options, before the trace is read."""
        from schedlab.metrics.groupings import GROUPINGS
        from schedlab.units import parse_duration

        if by is not None and by not in GROUPINGS:
            raise UnknownNameError("grouping", by, GROUPINGS)
        found = None if levels is None else tuple(map(_level, levels.split(",")))
        return cls(by, parse_duration(elapsed), found)

    def row(self, schedule: Schedule, told: RunTimes) -> Row:
        """Return the figures of one predictor."""
        from schedlab.analysis import (
            SCORED_LEVELS,
            prediction_accuracy,
            quantile_scores,
            reliability,
        )

        levels = self.levels or SCORED_LEVELS
        scores = quantile_scores(schedule, told, levels=levels, elapsed_s=self.elapsed_s)
        found: Row = {
            "elapsed_s": self.elapsed_s,
            "prediction": prediction_accuracy(schedule, by=None).row(0, named=True),
            "quantiles": scores.row(0, named=True),
        }
        if self.levels:
            table = reliability(schedule, told, self.levels, elapsed_s=self.elapsed_s)
            found["levels"] = table.to_dicts()
        if self.by:
            scores = quantile_scores(
                schedule, told, levels=levels, elapsed_s=self.elapsed_s, by=self.by
            )
            accuracy = prediction_accuracy(schedule, by=self.by).to_dicts()
            found["by"] = self.by
            found["groups"] = accuracy
            found["quantiles_by_group"] = scores.to_dicts()
        return found


def _level(text: str) -> float:
    from schedlab.workload.arguments import number

    try:
        level = number(text)
    except ParameterError as error:
        raise ParameterError(f"--levels: {error}") from None
    if not 0 < level < 1:
        raise ParameterError(f"--levels: {text.strip()}; a level must be above 0 and below 1")
    return level


def _print(rows: Sequence[Row], scenario: Scenario) -> None:
    console = out()
    points = {row["predictor"]: row["prediction"] for row in rows}
    spreads = {row["predictor"]: row["quantiles"] for row in rows}
    console.print(heading(scenario.title()), "", _points("predictor", points), "", sep="\n")
    console.print(heading(_spread_title(rows[0])), "", _spreads("predictor", spreads), "", sep="\n")
    if "levels" in rows[0]:
        console.print(_levels(rows), "")
    for row in rows:
        if "by" in row:
            _print_groups(row)


def _spread_title(row: Row) -> str:
    from schedlab.units import short_duration

    elapsed_s = row["elapsed_s"]
    when = f", of jobs that have run {short_duration(elapsed_s)}" if elapsed_s else ""
    return f"as distributions{when}"


def _print_groups(row: Row) -> None:
    console, by = out(), row["by"]
    points = {str(each[by]): each for each in row["groups"][:_SHOWN]}
    spreads = {str(each[by]): each for each in row["quantiles_by_group"][:_SHOWN]}
    console.print(heading(row["predictor"]), "", _points(by, points), "", sep="\n")
    console.print(_spreads(by, spreads), "", sep="\n")
    if len(row["groups"]) > _SHOWN:
        left = len(row["groups"]) - _SHOWN
        console.print(f"and {left:,} more; --json has all", "", sep="\n")


def _points(first: str, rows: Mapping[str, Row]) -> Table:
    from schedlab.units import short_duration

    table = new_table(
        first, "jobs", "mean absolute\nerror", "mean\nerror", "under-\nestimated", "accuracy"
    )
    for name, row in rows.items():
        table.add_row(
            name,
            f"{row['jobs']:,}",
            cell(row["mean_absolute_error_s"], short_duration),
            cell(row["mean_error_s"], short_duration),
            cell(row["underestimated"], _percent),
            cell(row["accuracy"], "{:.3f}".format),
        )
    return table


def _spreads(first: str, rows: Mapping[str, Row]) -> Table:
    from schedlab.units import short_duration

    table = new_table(
        first,
        "jobs",
        "pinball\nloss",
        "in the 50 %\ninterval",
        "in the 80 %\ninterval",
        "width of\nthe 80 %",
    )
    for name, row in rows.items():
        table.add_row(
            name,
            f"{row['jobs']:,}",
            cell(row["pinball_loss_s"], short_duration),
            cell(row["within_50"], _percent),
            cell(row["within_80"], _percent),
            cell(row["width_80_s"], short_duration),
        )
    return table


def _levels(rows: Sequence[Row]) -> Table:
    """Return the share of jobs at or below the quantile of each level."""
    table = new_table("at or below", *(f"{each['level']:g}" for each in rows[0]["levels"]))
    for row in rows:
        shares = (cell(each["at_or_below"], _percent) for each in row["levels"])
        table.add_row(row["predictor"], *shares)
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
