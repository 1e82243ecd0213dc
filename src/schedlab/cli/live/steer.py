"""schedlab live shadow, and schedlab live steer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option, confirm

from schedlab.cli.console import AsJson, out, print_notes
from schedlab.cli.live.mirror import print_error
from schedlab.cli.live.options import (
    Conf,
    Every,
    Forks,
    GuardOptions,
    Looks,
    Policy,
    Site,
    period_s,
    print_line,
)
from schedlab.cli.slurm.fidelity import Seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.live.steering.steering import Steering, Step

SHADOW_EXAMPLES = ("schedlab live shadow mysite --policy saf",)
EXAMPLES = (
    "schedlab live steer mysite --policy saf --clamp 500",
    "schedlab live steer mysite --policy evolved:slowdown --every 2min --yes",
)


def shadow(
    site: Site,
    policy: Policy,
    bounds: GuardOptions,
    conf: Conf = None,
    every: Every = "60s",
    looks: Looks = None,
    forks: Forks = 20,
    log: Annotated[
        Path | None, Option(metavar="FILE", help="The log. Default: SITE/live/shadow.log.")
    ] = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Log what a policy would change at every period, and change nothing.

    schedlab live score says later what the changes in the log would have done.
    """
    from schedlab.errors import PeerError
    from schedlab.live.connect import connect
    from schedlab.live.ledger import Ledger
    from schedlab.live.steering.steering import Steering
    from schedlab.live.watch import LiveWatch
    from schedlab.policies import find_policy

    every_s = period_s(every)
    peer = connect(site, conf)
    guards = bounds.guards(peer.bounds)
    chosen = find_policy(policy)
    watch = LiveWatch(peer.site, peer.reader(), forks=forks, past=peer.past(), seed=seed)
    ledger = Ledger(log or _folder(site) / "shadow.log")
    steering = Steering(watch, chosen, guards, peer.site.machine.cores, ledger)
    done = 0
    while looks is None or done < looks:
        if done:
            time.sleep(every_s)
        done += 1
        try:
            _print(steering.step(), json)
        except PeerError as error:
            _print(str(error), json)


def steer(
    site: Site,
    policy: Policy,
    bounds: GuardOptions,
    conf: Conf = None,
    every: Every = "60s",
    looks: Looks = None,
    forks: Forks = 20,
    yes: Annotated[bool, Option("--yes", help="Steer without asking.")] = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Steer a running scheduler: change priorities, within bounds, towards the policy's order.

    It never holds a job, and never touches a running one. End it with Ctrl-C, with schedlab live
    stop, or by deleting SITE/live/steering.on: all priorities return to what they were. A watchdog
    returns them if this process dies or hangs. The account must be an operator of the scheduler.
    """
    from schedlab.live.connect import connect
    from schedlab.live.ledger import Ledger
    from schedlab.live.steering.steering import Steering
    from schedlab.live.steering.steering import steer as run
    from schedlab.live.switch import LOG
    from schedlab.live.watch import LiveWatch
    from schedlab.policies import find_policy

    every_s = period_s(every)
    peer = connect(site, conf)
    guards = bounds.guards(peer.bounds)
    chosen = find_policy(policy)
    hand = peer.hand(every_s / 3)
    rights = hand.check_rights()
    print_notes([rights], to_stderr=True)
    reader = peer.reader(every_s / 3, with_factors=True)
    question = (
        f"Change priorities of waiting jobs of cluster {peer.name} by up to {guards.clamp:,} every "
        f"{every_s:g} s?"
    )
    if not yes and not confirm(question, err=True):
        print_notes(["nothing was changed"], to_stderr=True)
        return
    folder = _folder(site)
    watch = LiveWatch(peer.site, reader, forks=forks, past=peer.past(), seed=seed)

    def make(beat: Callable[[], bool]) -> Steering:
        ledger = Ledger(folder / LOG)
        return Steering(watch, chosen, guards, peer.site.machine.cores, ledger, hand, beat)

    run(
        make,
        peer,
        reader,
        hand,
        folder,
        every_s=every_s,
        expire_s=guards.expire_s,
        steps=looks,
        tell=lambda step: _print(step, json),
        policy=chosen.name,
    )


def _folder(site: Path) -> Path:
    from schedlab.errors import OutputError
    from schedlab.live.switch import LIVE

    folder = site / LIVE
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None
    return folder


def _print(step: Step | str, json: bool) -> None:
    if isinstance(step, str):
        print_error(step, json)
        return
    if json:
        print_line(step.as_json())
        return
    counts, effect = step.look.counts, step.advice.effect
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(step.look.at))
    out().print(
        f"{clock}  {counts['running']:,} run, {counts['waiting']:,} wait; "
        f"{len(step.changes):,} changes, expected effect on the mean wait {effect.change:+.1%} "
        f"(80 %: {effect.low:+.1%} to {effect.high:+.1%})",
        soft_wrap=True,
    )
    for note in (*step.look.notes, *step.failed):
        out().print(f"  {note}", soft_wrap=True)
    if step.advice.refused:
        out().print(f"  not allowed: {step.advice.refused}", soft_wrap=True)
