"""schedlab slurm fidelity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from schedlab.cli.console import AsJson, new_table, out, print_json, print_notes

if TYPE_CHECKING:
    from schedlab.slurm.clocks import Clocks
    from schedlab.slurm.fidelity import Fidelity, Spread
    from schedlab.slurm.replay import TwinReplay
    from schedlab.slurm.site import SlurmSite

EXAMPLES = (
    "schedlab slurm fidelity mysite",
    "schedlab slurm fidelity mysite --phases 20 --seed 7 --json",
    "schedlab slurm fidelity mysite --report fidelity.html",
    "schedlab slurm fidelity run-1 --from-log --replica run-2 --replica run-3",
)

Site = Annotated[Path, Argument(metavar="SITE", help="A site folder: schedlab slurm import.")]
Phases = Annotated[
    int,
    Option(
        metavar="N",
        min=1,
        max=1000,
        help="Number of draws of the phases of slurmctld's loops.",
    ),
]
Seed = Annotated[int, Option(metavar="N", min=0, help="Seed of the phases.")]
Report = Annotated[
    Path | None,
    Option(metavar="FILE", help="Write a report, one HTML file."),
]


def fidelity(
    site: Site,
    phases: Phases = 8,
    seed: Seed = 0,
    from_log: Annotated[
        bool,
        Option(
            "--from-log", help="Take the phases from the log that was imported, and replay once."
        ),
    ] = False,
    replica: Annotated[
        list[Path] | None,
        Option(
            metavar="SITE",
            help="Another real run of the same jobs, imported: how far Slurm differs from itself.",
        ),
    ] = None,
    report: Report = None,
    json: AsJson = False,
) -> None:
    """Replay the site's history and compare the twin with what really happened.

    The phases of slurmctld's loops decide many starts, and no file has them. They are drawn
    several times; the table shows the mean and the range of the replays.
    """
    from schedlab.slurm import read_site
    from schedlab.slurm.fidelity import check_starts, fidelity_of
    from schedlab.slurm.replay import not_replayed, phases_of
    from schedlab.slurm.replicas import replicas_of

    check_report(report)
    read = read_site(site)
    replicas = replicas_of(read, [(each.name, read_site(each)) for each in replica or ()])
    draws = [clocks_of_log(read)] if from_log else phases_of(read, phases, seed)
    check_starts(read)  # before the replays, which take long
    made = replays(read, draws, f"replaying {site.name}")
    found = fidelity_of(read, made, clocks=draws[0])
    ignored = not_replayed(read)
    written = []
    if report is not None:
        from schedlab.slurm.pages import write_fidelity

        how = {"phases": "those of the log"} if from_log else {"phases": phases, "seed": seed}
        write_fidelity(read, found, report, replays=how, not_replayed=ignored, replicas=replicas)
        written = [f"written: {report}"]
    if json:
        of_replicas = [each.as_json() for each in replicas]
        more = {"seed": seed, "not_replayed": ignored, "replicas": of_replicas}
        print_json(found.as_json() | more)
        print_notes(written, to_stderr=True)
        return
    _print(found)
    notes = [*map(str, replicas), *map(str, found.departures), *_lost(found), *ignored, *written]
    print_notes(notes, to_stderr=False)


def check_report(report: Path | None) -> None:
    """Fail before the replays, not after them, if the page cannot be written."""
    if report is None:
        return
    from schedlab.atomic import require_writable
    from schedlab.viz.page import require_bokeh

    require_bokeh()
    require_writable(report)


def clocks_of_log(site: SlurmSite) -> Clocks:
    """Return the phases of the site's log; raise an error if it has none."""
    from schedlab.errors import InputError
    from schedlab.slurm.replay import history_of

    clocks = history_of(site).clocks
    if clocks is None:
        raise InputError(
            "the site has no clocks.toml; import a dump with slurmctld.log, written with "
            "SlurmctldDebug=debug and DebugFlags=Backfill"
        )
    return clocks


def replays(site: SlurmSite, draws: list[Clocks], what: str) -> list[TwinReplay]:
    """Replay under all phases, with a progress bar if it takes long."""
    return replays_of_all([(site, draws)], what)[0]


def replays_of_all(
    asked: Sequence[tuple[SlurmSite, list[Clocks]]], what: str
) -> list[list[TwinReplay]]:
    """Replay sites, each under its phases, with a progress bar if it takes long."""
    from schedlab.cli.progress import progress
    from schedlab.slurm.replay import replay_sites

    every = sum(len(draws) for _, draws in asked)
    with progress(what) as report:
        return replay_sites(asked, lambda done: report(done, every))


def _print(found: Fidelity) -> None:
    table = new_table(
        "jobs of", "jobs", "wait s", "twin s", "range", "off by", "p95 s", "twin s", "start ± s"
    )
    for row in found.rows:
        table.add_row(
            row.group,
            f"{row.jobs:,}",
            f"{row.real_wait_s:,.0f}",
            f"{row.twin_wait_s.mean:,.0f}",
            extremes(row.twin_wait_s),
            f"{row.wait_error:+.1%}",
            f"{row.real_p95_s:,.0f}",
            f"{row.twin_p95_s.mean:,.0f}",
            f"{row.start_error_s.mean:,.0f}",
        )
    out().print(table)
    every = found.rows[0]
    notes = [
        "wait: mean of the jobs, as it was and in the twin, with the extremes of the replays; "
        "start ±: mean difference of a job's start",
        f"starts: half of them within {every.median_error_s.mean:,.0f} s; {every.near:.0%} within "
        f"30 s, {every.far:.0%} off by more than 5 min",
        f"CPUs in use: {found.real_use:.1%}, in the twin {found.twin_use.mean:.1%}",
        f"replays: {found.replays}",
    ]
    print_notes(notes, to_stderr=False)


def extremes(value: Spread) -> str:
    """Return the smallest and the largest value of the replays."""
    return f"{value.least:,.0f}-{value.most:,.0f}"


def _lost(found: Fidelity) -> list[str]:
    if not found.not_started:
        return []
    some = ", ".join(found.not_started[:5])
    return [f"{len(found.not_started):,} jobs that ran never start in the twin: {some}"]
