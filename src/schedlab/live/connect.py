"""Find the running scheduler that a site folder belongs to."""

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
    """Return the scheduler of a site folder, without sending it a request.

    Args:
        folder: one that ``schedlab slurm import`` has made; if it has a file ``slurmrestd.toml``,
            slurmrestd is asked instead of the commands. Or one with a file ``grid-engine.toml``.
        conf: the slurm.conf. Default: as Slurm finds it.
        twin: another folder that ``schedlab slurm import`` has made, for example later.
    """
    if (folder / SITE_FILE).exists():
        if conf is not None:
            raise InputError(f"{conf}: a slurm.conf, but {folder / SITE_FILE} says Grid Engine")
        return GridEnginePeer(folder)
    kind = RestPeer if (folder / REST_FILE).exists() else SlurmPeer
    return kind(folder, conf, twin)
