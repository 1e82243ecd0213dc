"""schedlab live advise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.cli.console import AsJson, new_table, out, print_json
from schedlab.cli.live.mirror import print_look
from schedlab.cli.live.options import Conf, Forks, GuardOptions, Policy, Site
from schedlab.cli.slurm.fidelity import Seed

if TYPE_CHECKING:
    from schedlab.live.advice import Advice

EXAMPLES = (
    "schedlab live advise mysite --policy saf",
    "schedlab live advise mysite --policy evolved:slowdown --clamp 500 --json",
)
_SHOWN = 20


def advise(
    site: Site,
    policy: Policy,
    bounds: GuardOptions,
    conf: Conf = None,
    forks: Forks = 50,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Show what a policy would change in the queue of a running scheduler now, and its effect.

    Nothing is changed. The policy's order becomes changes of priorities within the clamp; the twin
    forecasts the waits with and without them, in the same futures.
    """
    from schedlab.live.advice import advise as advised
    from schedlab.live.connect import connect
    from schedlab.live.watch import LiveWatch
    from schedlab.policies import find_policy

    peer = connect(site, conf)
    guards = bounds.guards(peer.bounds)
    chosen = find_policy(policy)
    reader = peer.reader(with_factors=True)
    watch = LiveWatch(peer.site, reader, forks=forks, past=peer.past(), seed=seed)
    look = watch.look()
    made = advised(look, watch.mirror.waiting(), chosen, guards, peer.site.machine.cores)
    if json:
        print_json({**look.as_json(), "advice": made.as_json(), "seed": seed})
        return
    print_look(look)
    print_advice(made, peer.factor)


def print_advice(made: Advice, factor: str) -> None:
    """Print what a policy would do, for people."""
    from schedlab.units import short_duration

    effect = made.effect
    if not effect.jobs:
        out().print(f"{made.policy}: no job waits that a priority could move")
        return
    out().print(
        f"{made.policy}: the {effect.jobs:,} waiting jobs would wait "
        f"{short_duration(effect.then_s)} on average instead of {short_duration(effect.now_s)}: "
        f"{effect.change:+.1%} (80 %: {effect.low:+.1%} to {effect.high:+.1%})",
        soft_wrap=True,
    )
    if made.refused:
        out().print(f"the guards would not allow it: {made.refused}", soft_wrap=True)
    if made.shifts:
        table = new_table("job", factor, "starts in", "instead of")
        for each in made.shifts[:_SHOWN]:
            times = (each.then_s, each.now_s)
            cells = (short_duration(max(time_s, 0)) for time_s in times)
            table.add_row(each.job, f"{each.factor:+,}", *cells)
        out().print(table)
        if len(made.shifts) > _SHOWN:
            out().print(f"and {len(made.shifts) - _SHOWN:,} more; --json has all")
