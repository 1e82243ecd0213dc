"""schedlab slurm what-if."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import AsJson, new_table, out, print_json, print_notes
from schedlab.cli.slurm.fidelity import Phases, Report, Seed, Site, check_report, replays_of_all

if TYPE_CHECKING:
    from schedlab.slurm.what_if import WhatIfRow

EXAMPLES = (
    "schedlab slurm what-if mysite --set SchedulerParameters.bf_interval=60",
    "schedlab slurm what-if mysite --set PriorityWeightAge=1000 --set bf_max_job_user=20",
    "schedlab slurm what-if mysite --add-nodes 16:gpu --report more-gpus.html",
    "schedlab slurm what-if mysite --policy easy",
)


def what_if(
    site: Site,
    changes: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of slurm.conf; may be repeated. Options of SchedulerParameters "
            "may be given alone.",
        ),
    ] = None,
    add_nodes: Annotated[
        list[str] | None,
        Option(
            "--add-nodes",
            metavar="N:LIKE",
            help="More nodes, like those of a host, a partition, a feature or a node type; may be "
            "repeated.",
        ),
    ] = None,
    policy: Annotated[
        str | None,
        Option(
            metavar="P",
            help="A policy of schedlab in place of Slurm, on the same machine: easy, "
            "evolved:slowdown, ...",
        ),
    ] = None,
    phases: Phases = 8,
    seed: Seed = 0,
    report: Report = None,
    json: AsJson = False,
) -> None:
    """Replay the site's history under another configuration, beside the present one.

    Both are replayed under the same phases. Differences are relative to the twin's own replay of
    the present configuration, so that the twin's error cancels.
    """
    from schedlab.errors import ParameterError
    from schedlab.slurm import read_site
    from schedlab.slurm.changes import changed_site, changes_told
    from schedlab.slurm.more_nodes import nodes_told, with_more_nodes
    from schedlab.slurm.other_policy import replay_under
    from schedlab.slurm.periods import periods_of
    from schedlab.slurm.replay import not_replayed, phases_of
    from schedlab.slurm.what_if import compare_replays

    if not changes and not add_nodes and policy is None:
        raise ParameterError("nothing is changed; give --set, --add-nodes or --policy")
    if changes and policy is not None:
        raise ParameterError("--policy takes the place of Slurm, so that --set changes nothing")
    check_report(report)
    present = read_site(site)
    other = with_more_nodes(changed_site(present, changes or ()), add_nodes or ())
    replayed = [present, other] if policy is None else [present]
    before, *changed = replays_of_all(
        [(each, phases_of(each, phases, seed)) for each in replayed], f"replaying {site.name}"
    )
    after = changed[0] if policy is None else [replay_under(other, policy)] * phases
    found = compare_replays(present, before, after)
    rows, ignored = found.rows, not_replayed(present)
    written = []
    if report is not None:
        from schedlab.slurm.pages import write_what_if

        write_what_if(
            present,
            found,
            report,
            changes=[
                *changes_told(present, changes or ()),
                *nodes_told(add_nodes or ()),
                *([] if policy is None else [f"{policy} in place of Slurm"]),
            ],
            replays={"phases": phases, "seed": seed},
            not_replayed=ignored,
        )
        written = [f"written: {report}"]
    if json:
        told = {
            "changes": changes or [],
            "add_nodes": add_nodes or [],
            "policy": policy,
            "seed": seed,
            "phases": phases,
            "not_replayed": ignored,
        }
        print_json(told | {"rows": [row.as_json() for row in rows]})
        print_notes(written, to_stderr=True)
        return
    show_rows(rows)
    unit, every = periods_of(present).unit, rows[0]
    notes = [
        "wait: mean of the jobs, as it was, in the twin as it is and changed; the difference is "
        f"between the two twins; 95 %: its interval over {unit}s of the history",
        f"phases of slurmctld's loops: {every.least:+.1%} to {every.most:+.1%} over {phases} draws",
    ]
    if policy is not None:
        notes.append(
            f"{policy} decides at every event, without slurmctld's loops, fair share and limits of "
            "accounts"
        )
    print_notes([*notes, *ignored, *written], to_stderr=False)


def show_rows(rows: Sequence[WhatIfRow]) -> None:
    """Print a table of waits before and after."""
    table = new_table("jobs of", "jobs", "wait s", "twin s", "changed s", "difference", "95 %")
    for row in rows:
        table.add_row(
            row.group,
            f"{row.jobs:,}",
            "–" if row.real_wait_s is None else f"{row.real_wait_s:,.0f}",
            f"{row.before_s.mean:,.0f}",
            f"{row.after_s.mean:,.0f}",
            f"{row.difference:+.1%}",
            "–" if row.interval is None else f"{row.interval[0]:+.1%} to {row.interval[1]:+.1%}",
        )
    out().print(table)
