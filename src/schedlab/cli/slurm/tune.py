"""schedlab slurm tune."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import AsJson, err, new_table, out, print_json, print_notes
from schedlab.cli.slurm.fidelity import Report, Seed, Site, check_report
from schedlab.cli.slurm.what_if import show_rows

if TYPE_CHECKING:
    from schedlab.slurm.tuning import Proposal

EXAMPLES = (
    "schedlab slurm tune mysite --out proposal",
    'schedlab slurm tune mysite --metric "mean slowdown" --guard "p95 wait of qos=debug < 10 min" '
    "--out proposal",
    "schedlab slurm tune mysite --parameter PriorityWeightAge --parameter bf_interval=10:120 "
    "--out proposal",
    "schedlab slurm tune mysite --out proposal --report proposal.html",
)
USUAL_GUARD = "max wait < 125 %"
"""Without a guard, a search may let large jobs starve: they are few and hardly change a mean."""


def tune(
    site: Site,
    output: Annotated[
        Path,
        Option(
            "--out",
            metavar="FOLDER",
            help="Folder for slurm.conf.diff, proposal.md and proposal.json. An interrupted "
            "search in it continues.",
        ),
    ],
    metric: Annotated[
        str,
        Option(
            metavar="M",
            help="What to minimise: mean, median, p90, p95, p99 or max of wait or slowdown, as "
            'in "p95 wait of partition=gpu".',
        ),
    ] = "mean wait",
    guard: Annotated[
        list[str] | None,
        Option(
            metavar="G",
            help='A bound, as in "p95 wait of qos=debug < 10 min" or "max wait < 110 %" of the '
            "present value; may be repeated. Default: max wait < 125 %.",
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        Option(
            metavar="NAME[=LOW:HIGH]",
            help="A parameter to search; may be repeated. Default: weights and periods that can "
            "matter at this site.",
        ),
    ] = None,
    generations: Annotated[
        int,
        Option(
            metavar="N", min=1, max=10_000, help="Generations of CMA-ES, about ten settings each."
        ),
    ] = 15,
    phases: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            max=1000,
            help="Number of draws of the phases of slurmctld's loops for each setting.",
        ),
    ] = 4,
    seed: Seed = 0,
    report: Report = None,
    json: AsJson = False,
) -> None:
    """Search for better settings on the first half of the history, and test them on the second.

    Weights of priorities and parameters of the schedulers are searched by CMA-ES. Changes that gain
    little are reverted. The proposal is a diff of slurm.conf, with the evidence.
    """
    from schedlab.cli.progress import progress
    from schedlab.slurm import read_site
    from schedlab.slurm.measures import Guard, Measure
    from schedlab.slurm.replay import not_replayed
    from schedlab.slurm.tuning import TuneSettings, knobs_of, propose
    from schedlab.slurm.tuning.evidence import RECORD, evidence_folder, write_evidence

    wanted, guards = Measure.parse(metric), [Guard.parse(each) for each in guard or (USUAL_GUARD,)]
    settings = TuneSettings(generations, phases, seed=seed)
    check_report(report)
    read = read_site(site)
    knobs = knobs_of(read, parameter or ())
    evidence_folder(output)
    try:
        with progress(f"tuning {site.name}") as tell:
            found = propose(
                read,
                knobs,
                wanted,
                guards,
                settings,
                record=output / RECORD,
                progress=tell,
            )
    except KeyboardInterrupt:
        if (output / RECORD).exists():
            note = "the search is kept; the same command goes on with it"
            err().print(note, style="dim", soft_wrap=True)
        raise
    ignored = not_replayed(read)
    written = write_evidence(output, found, knobs, settings, ignored)
    if report is not None:
        from schedlab.slurm.pages import write_proposal

        how = {
            "parameters searched": ", ".join(each.name for each in knobs),
            "generations": generations,
            "phases": phases,
            "seed": seed,
        }
        write_proposal(read, found, report, replays=how, not_replayed=ignored)
        written.append(report)
    if json:
        print_json(found.as_json() | {"seed": seed, "not_replayed": ignored})
    else:
        _show(found)
    print_notes([*ignored, f"written: {', '.join(map(str, written))}"], to_stderr=json)


def _show(found: Proposal) -> None:
    show_rows(found.rows)
    tested = f"{found.tested} {found.unit}s that the search did not see, and other phases"
    notes = [f"tested on {tested}; {found.settings_tried} settings were drawn"]
    for each in found.guards:
        held = "held" if each.holds else "broken"
        notes.append(f"guard {each.guard}: {held} ({each.present:,.1f} now, {each.proposed:,.1f})")
    print_notes(notes, to_stderr=False)
    if found.changes:
        table = new_table("parameter", "now", "proposed")
        for name, value in found.changes.items():
            table.add_row(name, found.present[name], value)
        out().print(table)
    print_notes([f"waits longer: {each}" for each in found.losers], to_stderr=False)
    print_notes([f"{found.verdict}{_interval(found)}"], to_stderr=False)


def _interval(found: Proposal) -> str:
    if found.interval is None or not found.changes:
        return ""
    return f" ({found.interval[0]:+.1%} to {found.interval[1]:+.1%} over {found.unit}s)"
