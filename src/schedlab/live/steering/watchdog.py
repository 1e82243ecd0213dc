"""The watchdog: a process of its own that returns all priorities if the steering falls silent.

``python -m schedlab.live.steering.watchdog FOLDER LIMIT_S [CONF]``
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from schedlab.errors import SchedlabError
from schedlab.live.connect import connect
from schedlab.live.ledger import Ledger
from schedlab.live.steering.release import release_all
from schedlab.live.switch import LOG, WATCHDOG_LOG, SteeringSwitch

LOOK_S, AGAIN_S = 0.25, 1.0
T = TypeVar("T")


def watch(switch: SteeringSwitch, limit_s: float) -> str:
    """Wait until the switch is off or is not touched for too long; return which.

    This process measures the time itself, so setting the clock makes no difference.
    """
    last, since = switch.last_beat(), time.monotonic()
    while last is not None:
        time.sleep(min(LOOK_S, limit_s / 4))
        beat = switch.last_beat()
        if beat != last:
            last, since = beat, time.monotonic()
        elif time.monotonic() - since > limit_s:
            return f"no sign of life for {limit_s:g} s"
    return "the switch is off"


def main(folder: Path, limit_s: float, conf: Path | None) -> None:
    """Watch, then release until that has worked, and once more one period later.

    A silent steering that wakes up may finish the change that it has begun; it makes no other one.
    """
    switch = SteeringSwitch(folder)
    why = watch(switch, limit_s)
    _until_it_works(folder, why, switch.off)
    release = partial(_release, folder, limit_s, conf)
    _tell(folder, f"{why}; {_until_it_works(folder, why, release):,} jobs returned")
    time.sleep(limit_s)
    if not switch.is_on:  # else another steering is on, with a watchdog of its own
        late = _until_it_works(folder, why, release)
        if late:
            _tell(folder, f"{why}; {late:,} jobs returned later")


def _release(folder: Path, limit_s: float, conf: Path | None) -> int:
    peer = connect(folder.parent, conf)
    reader = peer.reader(limit_s, with_factors=True)
    return release_all(reader, peer.hand(limit_s), folder / LOG)


def _until_it_works(folder: Path, why: str, act: Callable[[], T]) -> T:
    while True:
        try:
            return act()
        except SchedlabError as error:
            if not folder.is_dir():  # the site is gone for good
                sys.exit(str(error))
            _tell(folder, f"{why}; not released yet: {error}")
            time.sleep(AGAIN_S)


def _tell(folder: Path, what: str) -> None:
    """Write to the watchdog's own log; a full disk does not stop the watchdog."""
    try:
        Ledger(folder / WATCHDOG_LOG).add("watchdog", time.time(), what=what)
    except SchedlabError as error:
        print(f"{what} ({error})", file=sys.stderr)


def start_watchdog(folder: Path, limit_s: float, conf: Path | None) -> subprocess.Popen[bytes]:
    """Start a watchdog in a session of its own, so that what ends the steering does not end it."""
    command = [sys.executable, "-m", "schedlab.live.steering.watchdog", str(folder), f"{limit_s:g}"]
    return subprocess.Popen(
        [*command, *([str(conf)] if conf else [])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
