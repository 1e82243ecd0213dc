"""schedlab live score."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Option

from schedlab.cli.console import AsJson, print_json, print_notes
from schedlab.cli.slurm.fidelity import Phases, Seed, Site, replays
from schedlab.cli.slurm.what_if import show_rows

EXAMPLES = (
    "schedlab live score mysite",
    "schedlab live score imported-again --log mysite/live/shadow.log --json",
)


def score(
    site: Site,
    log: Annotated[
        Path | None,
        Option(metavar="FILE", help="The log of a shadow. Default: SITE/live/shadow.log."),
    ] = None,
    phases: Phases = 8,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Estimate what the changes logged by a shadow would have done, and score its forecasts.

    The history of the site must cover the time of the shadow: import it again afterwards.
    The twin replays it with and without these changes.
    """
    from schedlab.errors import InputError
    from schedlab.live.grid_engine.commands import SITE_FILE
    from schedlab.live.ledger import read_ledger
    from schedlab.live.score import jobs_within, score_forecasts, steered_site
    from schedlab.live.switch import LIVE
    from schedlab.slurm import read_site
    from schedlab.slurm.replay import phases_of
    from schedlab.slurm.what_if import compare_replays

    if (site / SITE_FILE).exists():
        raise InputError(f"{site}: a Grid Engine, whose history the twin cannot replay")
    entries = list(read_ledger(log or site / LIVE / "shadow.log"))
    present = read_site(site)
    within = jobs_within(present, entries)
    other, told = steered_site(present, entries)
    drawn = phases_of(present, phases, seed)
    before = replays(present, drawn, f"replaying {site.name} as it was")
    after = replays(other, drawn, f"replaying {site.name} steered")
    rows = compare_replays(present, before, after, within, unstarted=True).rows
    forecasts = score_forecasts(present, entries)
    if json:
        print_json(
            {
                "wishes": told,
                "phases": phases,
                "seed": seed,
                "forecasts": None if forecasts is None else asdict(forecasts),
                "rows": [row.as_json() for row in rows],
            }
        )
        return
    show_rows(rows)
    notes = [
        f"{told:,} proposed changes; wait: mean of the jobs that waited meanwhile, as it was, "
        "in the twin, and in the twin with these changes"
    ]
    if forecasts is not None:
        notes.append(
            f"forecasts: {forecasts.covered:.0%} of {forecasts.jobs:,} jobs started within their "
            f"80 % intervals; the most likely start was off by {forecasts.error_s:,.0f} s"
        )
    print_notes(notes, to_stderr=False)
