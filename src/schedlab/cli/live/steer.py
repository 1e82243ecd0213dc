"""schedlab live shadow, and schedlab live steer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option, confirm

from schedlab.cli.console import AsJson, out, print_notes
from schedlab.cli.live.mirror import print_error
from schedlab.cli.live.options import (
    LIVE,
    Conf,
    Every,
    Forks,
    GuardOptions,
    Looks,
    Policy,
    period_s,
    print_line,
)
from schedlab.cli.slurm.fidelity import Seed, Site

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.live.steering.steering import Steering, Step

SHADOW_EXAMPLES = ("schedlab live shadow mysite --policy saf",)
EXAMPLES = (
    "schedlab live steer mysite --policy saf --clamp 500",
    "schedlab live steer mysite --policy learned:slowdown --every 2min --yes",
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
    """Write down what a policy would change at every period, and change nothing.

    schedlab live score says later what the wishes in the log would have done.
    """
    from schedlab.errors import PeerError
    from schedlab.live.ledger import Ledger
    from schedlab.live.slurm.reader import SlurmReader
    from schedlab.live.steering.steering import Steering
    from schedlab.live.watch import LiveWatch
    from schedlab.policies import choose_policy
    from schedlab.slurm import read_site
    from schedlab.slurm.real_slurm import RealSlurm

    every_s = period_s(every)
    read = read_site(site)
    guards = bounds.guards(read)
    chosen = choose_policy(policy)
    watch = LiveWatch(read, SlurmReader(RealSlurm.find(conf)), forks=forks, seed=seed)
    ledger = Ledger(log or _folder(site) / "shadow.log")
    steering = Steering(watch, chosen, guards, read.machine.cores, ledger)
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
    """Steer a running Slurm: the policy's wish becomes site factors of waiting jobs, within bounds.

    Never holds a job, never touches one that runs. End it with Ctrl-C, with schedlab live stop, or
    by deleting SITE/live/steering.on: all factors return to 0. A watchdog returns them if this
    process dies or hangs. The account needs AdminLevel=Operator.
    """
    from schedlab.live.ledger import Ledger
    from schedlab.live.slurm.hand import SlurmHand
    from schedlab.live.slurm.reader import SlurmReader
    from schedlab.live.steering.steering import Steering
    from schedlab.live.steering.steering import steer as run
    from schedlab.live.steering.switch import LOG
    from schedlab.live.watch import LiveWatch
    from schedlab.policies import choose_policy
    from schedlab.slurm import read_site
    from schedlab.slurm.real_slurm import RealSlurm

    every_s = period_s(every)
    read = read_site(site)
    guards = bounds.guards(read)
    chosen = choose_policy(policy)
    slurm = RealSlurm.find(conf)
    hand = SlurmHand(slurm, every_s / 3)
    rights = hand.check_rights()
    print_notes([rights], to_stderr=True)
    reader = SlurmReader(slurm, every_s / 3, with_factors=True)
    question = (
        f"Change priorities of waiting jobs of cluster {slurm.config.get('ClusterName', '?')} by "
        f"up to {guards.clamp:,} every {every_s:g} s?"
    )
    if not yes and not confirm(question, err=True):
        print_notes(["nothing was changed"], to_stderr=True)
        return
    folder = _folder(site)
    watch = LiveWatch(read, reader, forks=forks, seed=seed)

    def make(beat: Callable[[], bool]) -> Steering:
        ledger = Ledger(folder / LOG)
        return Steering(watch, chosen, guards, read.machine.cores, ledger, hand, beat)

    run(
        make,
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
