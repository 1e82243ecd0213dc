"""schedlab live rehearse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.cli.console import AsJson, print_json, print_notes
from schedlab.cli.live.options import Every, GuardOptions, Policy, period_s
from schedlab.cli.slurm.fidelity import Phases, Seed, Site, replays
from schedlab.cli.slurm.what_if import show_rows

if TYPE_CHECKING:
    from schedlab.live.rehearsal import Rehearsal

EXAMPLES = (
    "schedlab live rehearse mysite --policy saf",
    "schedlab live rehearse mysite --policy evolved:slowdown --clamp 5000 --phases 4",
)


def rehearse(
    site: Site,
    policy: Policy,
    bounds: GuardOptions,
    every: Every = "60s",
    phases: Phases = 8,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Rehearse steering on the site's history, before any cluster is touched.

    The twin replays the history. At every period the policy is asked, and priorities change as
    schedlab live steer would change them. Guards that judge forecasts are not asked.
    """
    from schedlab.cli.progress import progress
    from schedlab.live.connect import connect
    from schedlab.live.rehearsal import rehearse as rehearsed
    from schedlab.policies import find_policy
    from schedlab.slurm.periods import periods_of
    from schedlab.slurm.replay import phases_of
    from schedlab.slurm.what_if import compare_replays

    every_s = period_s(every)
    peer = connect(site)
    read, guards, chosen = peer.site, bounds.guards(peer.bounds), find_policy(policy)
    drawn = phases_of(read, phases, seed)
    before = replays(read, drawn, f"replaying {site.name} as it was")
    done: list[Rehearsal] = []
    with progress(f"rehearsing {chosen.name}") as report:
        for clocks in drawn:
            report(len(done), phases, "")
            done.append(rehearsed(read, chosen, guards, clocks, every_s))
    rows = compare_replays(read, before, [each.replay for each in done]).rows
    changes = sum(each.changes for each in done) / phases
    if json:
        print_json(
            {
                "policy": chosen.name,
                "every_s": every_s,
                "clamp": guards.clamp,
                "phases": phases,
                "seed": seed,
                "changes": changes,
                "rows": [row.as_json() for row in rows],
            }
        )
        return
    show_rows(rows)
    first = rows[0]
    notes = [
        "wait: mean of the jobs, as it was, in the twin, and in the steered twin; 95 %: the "
        f"interval of the difference over {periods_of(read).unit}s of the history",
        f"{changes:,.0f} changes of priorities; phases of slurmctld's loops: {first.least:+.1%} to "
        f"{first.most:+.1%} over {phases} draws",
    ]
    print_notes(notes, to_stderr=False)
