"""schedlab live stop."""

from __future__ import annotations

import time

from schedlab.cli.console import AsJson, print_json, print_notes
from schedlab.cli.live.options import Conf, Site

EXAMPLES = ("schedlab live stop mysite",)
TRIES = 90
"""Tries, a second apart: a new slurmctld may report old factors for PriorityCalcPeriod."""


def stop(site: Site, conf: Conf = None, json: AsJson = False) -> None:
    """End the steering, and return all priorities to what they were."""
    from schedlab.errors import InputError, PeerError
    from schedlab.live.connect import connect
    from schedlab.live.peer import TIMEOUT_S
    from schedlab.live.steering.release import release_all
    from schedlab.live.switch import LIVE, LOG, SteeringSwitch

    if not site.is_dir():
        raise InputError(f"{site}: no such folder")
    switch = SteeringSwitch(site / LIVE)
    was_on = switch.is_on
    switch.off()
    peer = connect(site, conf)
    reader, hand = peer.reader(with_factors=True), peer.hand(TIMEOUT_S)
    number = 0
    for tries_left in reversed(range(TRIES)):
        try:
            number += release_all(reader, hand, site / LIVE / LOG)
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
            f"{number:,} jobs returned to their own priorities; none has another now",
        ],
        to_stderr=False,
    )
