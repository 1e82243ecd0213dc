"""schedlab live stop."""

from __future__ import annotations

import time

from schedlab.cli.console import AsJson, print_json, print_notes
from schedlab.cli.live.options import LIVE, Conf
from schedlab.cli.slurm.fidelity import Site

EXAMPLES = ("schedlab live stop mysite",)
TRIES = 20


def stop(site: Site, conf: Conf = None, json: AsJson = False) -> None:
    """End the steering of a Slurm, and return all site factors to 0."""
    from schedlab.errors import InputError, PeerError
    from schedlab.live.slurm.hand import SlurmHand
    from schedlab.live.slurm.reader import SlurmReader
    from schedlab.live.steering.release import release_all
    from schedlab.live.steering.switch import LOG, Switch
    from schedlab.slurm.real_slurm import RealSlurm

    if not site.is_dir():
        raise InputError(f"{site}: no such folder")
    switch = Switch(site / LIVE)
    was_on = switch.is_on
    switch.off()
    slurm = RealSlurm.find(conf)
    reader = SlurmReader(slurm, with_factors=True)
    number = 0
    for tries_left in reversed(range(TRIES)):
        try:
            number += release_all(reader, SlurmHand(slurm), site / LIVE / LOG)
            break
        except PeerError:  # the steering may be in the middle of a change; it makes no other one
            if not tries_left:
                raise
            time.sleep(1.0)
    if json:
        print_json({"was_on": was_on, "returned": number})
        return
    print_notes(
        [
            "the steering is off" if was_on else "no steering was on",
            f"{number:,} jobs returned to site factor 0; none has another now",
        ],
        to_stderr=False,
    )
