"""The watchdog: a process of its own that returns all factors to 0 if the steering falls silent.

``python -m schedlab.live.steering.watchdog FOLDER LIMIT_S [SLURM_CONF]``
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from schedlab.errors import SchedlabError
from schedlab.live.ledger import Ledger
from schedlab.live.slurm.hand import SlurmHand
from schedlab.live.slurm.reader import SlurmReader
from schedlab.live.steering.release import release_all
from schedlab.live.steering.switch import LOG, WATCHDOG_LOG, Switch
from schedlab.slurm.real_slurm import RealSlurm

LOOK_S, AGAIN_S = 0.25, 1.0


def watch(switch: Switch, limit_s: float) -> str:
    """Wait until the switch is off or is not touched for too long; return which.

    Time is counted by this process: a clock that is set makes no difference.
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
    """Watch, then release until it has worked."""
    switch = Switch(folder)
    why = watch(switch, limit_s)
    slurm: RealSlurm | None = None
    while True:
        try:
            switch.off()
            slurm = slurm or RealSlurm.find(conf)
            reader = SlurmReader(slurm, limit_s, with_factors=True)
            number = release_all(reader, SlurmHand(slurm, limit_s), folder / LOG)
            break
        except SchedlabError as error:
            _tell(folder, f"{why}; not released yet: {error}")
            time.sleep(AGAIN_S)
    _tell(folder, f"{why}; {number:,} jobs returned to 0")


def _tell(folder: Path, what: str) -> None:
    """Into its own log; a disk that is full does not keep it from its work."""
    try:
        Ledger(folder / WATCHDOG_LOG).add("watchdog", time.time(), what=what)
    except SchedlabError as error:
        print(f"{what} ({error})", file=sys.stderr)


def start_watchdog(folder: Path, limit_s: float, conf: str | None) -> subprocess.Popen[bytes]:
    """Start one in a session of its own, so that what ends the steering does not end it."""
    command = [sys.executable, "-m", "schedlab.live.steering.watchdog", str(folder), f"{limit_s:g}"]
    return subprocess.Popen(
        [*command, *([conf] if conf else [])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
