"""From a site folder to the running scheduler that it belongs to."""

from __future__ import annotations

from pathlib import Path

from schedlab.errors import InputError
from schedlab.live.grid_engine.commands import SITE_FILE
from schedlab.live.grid_engine.peer import GridEnginePeer
from schedlab.live.peer import Peer
from schedlab.live.slurm.peer import SlurmPeer
from schedlab.live.slurm.rest import SITE_FILE as REST_FILE
from schedlab.live.slurm.rest_peer import RestPeer


def connect(folder: Path, conf: Path | None = None, twin: Path | None = None) -> Peer:
    """Return the scheduler of a site folder; nothing is asked of it yet.

    Args:
        folder: that ``schedlab slurm import`` has made; a file ``slurmrestd.toml`` in it says that
            slurmrestd is asked, and not the commands. Or one with a file ``grid-engine.toml``.
        conf: the slurm.conf. Default: as Slurm finds it.
        twin: another folder that ``schedlab slurm import`` has made, such as of later.
    """
    if (folder / SITE_FILE).exists():
        if conf is not None:
            raise InputError(f"{conf}: a slurm.conf, but {folder / SITE_FILE} says Grid Engine")
        return GridEnginePeer(folder)
    kind = RestPeer if (folder / REST_FILE).exists() else SlurmPeer
    return kind(folder, conf, twin)
