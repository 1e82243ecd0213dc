"""schedlab incentive honesty."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from schedlab.atomic import require_writable
from schedlab.cli.console import AsJson, cell, heading, new_table, out, print_json, print_notes
from schedlab.cli.machine import MachineOptions
from schedlab.cli.reading import Shaping, WorkloadOptions
from schedlab.cli.replay import Policies, Scenario
from schedlab.errors import MissingExtraError

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.analysis.honesty import Honesty

EXAMPLES = (
    "schedlab incentive honesty trace.swf.gz --policy easy --policy wrsabf-or --users 30",
    "schedlab incentive honesty trace.swf --policy easy-one-reserved --user 12 --user 40 --json",
    "schedlab incentive honesty trace.swf --policy easy --policy sjf+easy --figure honesty.png",
)

_USERS = "The users"
_SIGNED = "{:+,.0f}".format


@dataclass(frozen=True, kw_only=True)
class ChangedUsers:
    """The users whose requests are changed."""

    users: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            help="Number of users, those with most jobs.",
            rich_help_panel=_USERS,
        ),
    ] = 30
    min_jobs: Annotated[
        int,
        Option(metavar="J", min=1, help="Leave out users with fewer jobs.", rich_help_panel=_USERS),
    ] = 10
    user: Annotated[
        list[str] | None,
        Option(
            metavar="U",
            help="This user, with any number of jobs; may be given several times.",
            rich_help_panel=_USERS,
        ),
    ] = None


def honesty(
    reading: WorkloadOptions,
    shaping: Shaping,
    machine: MachineOptions,
    policies: Policies,
    users: ChangedUsers,
    figure: Annotated[
        Path | None,
        Option(metavar="FILE", help="Draw each user's change as .png, .pdf or .svg."),
    ] = None,
    workers: Annotated[
        int | None,
        Option(
            metavar="W",
            min=1,
            max=1024,
            help="Number of runs side by side. Default: one per processor.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Estimate what users would gain from accurate requests, or from fivefold ones."""
    from schedlab.cli.progress import progress

    policies.names()
    if figure is not None:
        _check_figure(figure)
    scenario = Scenario.load(reading, shaping, machine)
    with progress("replaying") as report:
        found = _measure(scenario, policies, users, workers, report)
    if figure is not None:
        _draw(found, figure)
    if json:
        print_json(found.to_dict())
    else:
        _print(found, scenario)
    written = [f"written: {figure}"] if figure is not None else []
    print_notes([*scenario.notes, *written], to_stderr=json)


def _measure(
    scenario: Scenario, policies: Policies, users: ChangedUsers, workers: int | None, report: Any
) -> Honesty:
    from schedlab.analysis.honesty import measure_honesty

    return measure_honesty(
        scenario.workload,
        scenario.platform,
        policies.policy,
        users=users.user or users.users,
        min_jobs=users.min_jobs,
        tick=policies.tick,
        depth=policies.depth,
        kill_at_request=not policies.allow_overrun,
        workers=workers,
        progress=report,
    )


def _check_figure(figure: Path) -> None:
    from schedlab.viz.paper import picture_format

    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "viz")
    picture_format(figure)
    require_writable(figure)


def _draw(found: Honesty, figure: Path) -> None:
    from schedlab.viz import draw_honesty, save_figure

    save_figure(draw_honesty(found), figure)


def _print(found: Honesty, scenario: Scenario) -> None:
    from schedlab.analysis.honesty import TREATMENTS

    console = out()
    console.print(heading(scenario.title()), "", sep="\n")
    for (treatment,), rows in found.summary().group_by("treatment", maintain_order=True):
        what = f"{treatment}: {TREATMENTS[str(treatment)].sentence}"
        console.print(what, f"{_users(rows['users'].to_list())}, times in s", "", sep="\n")
        console.print(_table(rows.to_dicts()), "", sep="\n")


def _users(counts: list[int]) -> str:
    few, many = min(counts), max(counts)
    return (
        f"{many:,} user{'s' if many > 1 else ''}" if few == many else f"{few:,} to {many:,} users"
    )


def _table(rows: list[dict[str, Any]]) -> Table:
    table = new_table(
        "policy", "mean\nwait", "change", "95 % interval", "", "gain", "others'\nchange"
    )
    for row in rows:
        table.add_row(
            row["policy"],
            cell(row["wait_before_s"], "{:,.0f}".format),
            cell(row["wait_change_s"], _SIGNED),
            _interval(row["wait_change_low_s"], row["wait_change_high_s"]),
            cell(row["wait_change_percent"], "{:+.1f} %".format),
            cell(row["gain"], "{:.0%}".format),
            cell(row["others_wait_change_s"], _SIGNED),
        )
    return table


def _interval(low: float, high: float) -> str:
    return cell(low, lambda value: f"{_SIGNED(value)} to {_SIGNED(high)}")
