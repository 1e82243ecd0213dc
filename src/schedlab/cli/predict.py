"""schedlab predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import AsJson, cell, heading, new_table, out, print_json, print_notes
from schedlab.cli.machine import Machine
from schedlab.cli.reading import Reading, Shaping
from schedlab.cli.replay import Policies, Scenario
from schedlab.cli.results import Row, result_rows, run_notes
from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.sim import Schedule

EXAMPLES = (
    "schedlab predict trace.swf.gz --predictor request --predictor last-two --predictor nearest",
    "schedlab predict trace.swf --policy sjf+easy --predictor regression --by-user",
    "schedlab predict trace.swf --nodes 128 --predictor mine:MyPredictor --json",
)

_SHOWN_USERS = 20


def predict(
    reading: Reading,
    shaping: Shaping,
    machine: Machine,
    predictor: Annotated[
        list[str],
        Option(
            metavar="P",
            help="A predictor such as last-two, or your own as package.module:Class; may be given "
            "several times. All names: schedlab policies.",
        ),
    ],
    policy: Annotated[str, Option(metavar="P", help="The policy of the replay.")] = "easy",
    by_user: Annotated[
        bool,
        Option("--by-user", metavar="", help=f"Also for the {_SHOWN_USERS} users with most jobs."),
    ] = False,
    json: AsJson = False,
) -> None:
    """Replay a trace with several predictors of run times, and say how good each was."""
    policies = Policies(policy=_planned_by(policy, predictor))
    scenario = Scenario.load(reading, shaping, machine)
    schedules = list(policies.run(scenario, shaping.seed))
    rows = [
        {"predictor": name, **row, **_prediction(schedule, by_user)}
        for name, row, schedule in zip(
            predictor,
            result_rows(schedules, scenario, policies, shaping.seed),
            schedules,
            strict=True,
        )
    ]
    if json:
        print_json(rows)
    else:
        _print(rows, scenario)
    print_notes([*run_notes(rows), *scenario.notes], to_stderr=json)


def _planned_by(policy: str, predictors: Sequence[str]) -> list[str]:
    """The policy's full name with each predictor, none of them twice."""
    from schedlab.policies import choose_policy

    plain = choose_policy(policy)
    if plain.predictor.name != "request":
        raise ParameterError(f'policy "{policy}" names a predictor; give it with --predictor')
    names = [choose_policy(policy, predict=name).name for name in predictors]
    for name, predictor in zip(names, predictors, strict=True):
        if names.count(name) > 1:
            raise ParameterError(f'predictor "{predictor}" is given twice')
    return names


def _prediction(schedule: Schedule, by_user: bool) -> Row:
    from schedlab.analysis import prediction_accuracy

    found: Row = {"prediction": prediction_accuracy(schedule, by=None).row(0, named=True)}
    if by_user:
        found["users"] = prediction_accuracy(schedule).to_dicts()
    return found


def _print(rows: Sequence[Row], scenario: Scenario) -> None:
    console = out()
    every = {row["predictor"]: row["prediction"] for row in rows}
    console.print(heading(scenario.title()), "", _table("predictor", every), "", sep="\n")
    for row in rows:
        if "users" not in row:
            continue
        users = {str(user["user"]): user for user in row["users"][:_SHOWN_USERS]}
        console.print(heading(row["predictor"]), "", _table("user", users), "", sep="\n")
        if len(row["users"]) > _SHOWN_USERS:
            left = len(row["users"]) - _SHOWN_USERS
            console.print(f"and {left:,} more; --json has all", "", sep="\n")


def _table(first: str, rows: Mapping[str, Row]) -> Table:
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
            cell(row["underestimated"], lambda share: f"{100 * share:.1f} %"),
            cell(row["accuracy"], "{:.3f}".format),
        )
    return table
