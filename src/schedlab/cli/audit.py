"""schedlab audit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option

from schedlab.cli.console import AsJson, heading, out, print_json, print_notes

EXAMPLES = (
    "schedlab audit schedule.csv --policy easy",
    "schedlab audit cluster.swf.gz --policy easy --nodes 128 --tick 60 --tolerance 5",
    "schedlab audit batsim_jobs.csv --policy conservative --nodes 32 --json",
)

DEPARTS = 1


def audit(
    file: Annotated[
        Path,
        Argument(
            metavar="SCHEDULE",
            help="A schedule of any simulator or cluster: our CSV or Parquet, SWF with wait times, "
            "or Batsim's _jobs.csv.",
        ),
    ],
    policy: Annotated[
        str,
        Option(metavar="P", help="The policy it should follow, such as easy or easy:backfill=sjf."),
    ],
    nodes: Annotated[
        int | None,
        Option(metavar="N", min=1, help="Size of the machine, instead of that in the file."),
    ] = None,
    tick: Annotated[
        int | None,
        Option(
            metavar="S",
            min=0,
            help="Seconds between decisions of the policy. Default: as the file says, else at "
            "once.",
        ),
    ] = None,
    tolerance: Annotated[
        int,
        Option(metavar="S", min=0, help="Starts that differ by at most S seconds count as equal."),
    ] = 0,
    schedule: Annotated[
        str | None,
        Option(metavar="NAME", help="Which schedule of the file, if it holds several."),
    ] = None,
    format: Annotated[
        str | None,
        Option(
            metavar="NAME", help="Format, if the file name does not show it: schedlab, swf, batsim."
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Say whether a schedule is feasible, and where and why it first departs from a policy.

    The exit code is 0 if it is feasible and follows the policy, 1 if not.
    """
    from schedlab.audit import audit as judge
    from schedlab.audit import find_observed, read_observed
    from schedlab.cli.progress import progress
    from schedlab.policies import find_policy

    chosen = find_policy(policy)
    with progress(f"auditing {file.name}"):
        found = read_observed(file, format=format, nodes=nodes)
        observed = find_observed(found, schedule, chosen.name)
        verdict = judge(observed.schedule, policy, tick=tick, tolerance=tolerance)
    verdict = replace(verdict, schedule=file.name, notes=(*observed.notes, *verdict.notes))
    if json:
        print_json(verdict.to_dict())
    else:
        title, *lines = verdict.lines()
        out().print(heading(title), *lines, sep="\n", soft_wrap=True)
        print_notes(verdict.notes, to_stderr=False)
    if not (verdict.feasible and verdict.faithful):
        raise Exit(DEPARTS)
