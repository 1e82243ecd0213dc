"""schedlab history mirror."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from schedlab.cli.console import print_notes
from schedlab.cli.live.mirror import each_look
from schedlab.cli.live.options import Conf, Every, Looks, period_s
from schedlab.cli.store_place import StoreLocation
from schedlab.errors import InputError

EXAMPLES = (
    "schedlab history mirror --site site.toml",
    "schedlab history mirror --site site.toml --every 30s",
)


def mirror(
    place: StoreLocation,
    conf: Conf = None,
    every: Every = "60s",
    looks: Looks = None,
    forks: Annotated[
        int,
        Option(metavar="N", min=0, max=1000, help="Futures of a forecast; 0 for no forecasts."),
    ] = 50,
) -> None:
    """Follow the running scheduler of the site, for the page Queue of the service.

    The site folder that the section slurm of the site file names is mirrored, as by schedlab live
    mirror. After every look, live/mirror.json there lists the running and waiting jobs, why they
    wait and when they will start; the service shows it while it is recent.
    """
    from schedlab.cli.served_mirror import write_mirror
    from schedlab.live.connect import connect
    from schedlab.live.watch import LiveWatch

    site = place.read()
    if site.slurm is None:
        raise InputError(f"{place.site}: has no [slurm]; name its site folder there")
    folder, every_s = site.path.parent / site.slurm.site, period_s(every)
    peer = connect(folder, conf)
    watch = LiveWatch(peer.site, peer.reader(), forks=forks, past=peer.past())
    cluster = peer.site.parameters.cluster_name
    for look in each_look(watch, every_s, looks, lambda said: print_notes([said], to_stderr=True)):
        write_mirror(folder, look.at, cluster, watch.mirror.jobs.values(), look.forecasts)
