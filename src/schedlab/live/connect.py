"""From a site folder to the running scheduler that it belongs to."""

from __future__ import annotations

from pathlib import Path

from schedlab.live.peer import Peer
from schedlab.live.slurm.peer import SlurmPeer


def connect(folder: Path, conf: Path | None = None) -> Peer:
    """Return the scheduler of a site folder; nothing is asked of it yet.

    Args:
        folder: that ``schedlab slurm import`` has made.
        conf: the slurm.conf. Default: as Slurm finds it.
    """
    return SlurmPeer(folder, conf)
