"""Collect a dump of the running Slurm, by the script that operators use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.resources import as_file, files
from pathlib import Path

from schedlab.errors import OutputError, PeerError

TIMEOUT_S = 900.0
_ROUND = re.compile(r"round-(\d{4,})")


def place_of(folder: Path, number: int) -> Path:
    """Return the folder of a round, in the folder of the loop."""
    return folder / f"round-{number:04d}"


def forget(folder: Path, last: int) -> None:
    """Delete the collected data of all rounds up to ``last``; their small files stay.

    What cannot be deleted stays; the next step that writes reports a full disk.

    Args:
        folder: the folder of the loop.
        last: the number of a round; below 1 nothing is deleted.
    """
    for place in sorted(folder.glob("round-*")):
        found = _ROUND.fullmatch(place.name)
        if found is None or int(found[1]) > last:
            continue
        for each in (*place.glob("dump-*"), *place.glob("site-*")):
            shutil.rmtree(each, ignore_errors=True)


def collect(dump: Path, history_s: float, conf: Path | None = None) -> None:
    """Write a dump into a folder, and replace what was there.

    Args:
        dump: the folder.
        history_s: how far back jobs are collected.
        conf: the slurm.conf. Default: as Slurm finds it.
    """
    try:
        shutil.rmtree(dump, ignore_errors=True)
        dump.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{dump}: cannot be made: {error.strerror}") from None
    env = dict(os.environ)
    if conf is not None:
        env["SLURM_CONF"] = str(conf.resolve())
    since = f"now-{max(1, round(history_s / 60))}minutes"
    with as_file(files("schedlab.slurm") / "collect-slurm.sh") as script:
        try:
            done = subprocess.run(
                ["sh", str(script), str(dump), since],
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                env=env,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise PeerError(f"Slurm was not collected within {TIMEOUT_S / 60:.0f} min") from None
    missing = [line for line in done.stdout.splitlines() if line.startswith("left out:  sacct.txt")]
    if done.returncode or missing:
        why = missing[0] if missing else done.stderr.strip() or done.stdout.strip()
        raise PeerError(f"Slurm was not collected: {why}")
