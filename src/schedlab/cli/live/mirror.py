"""schedlab live mirror."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.cli.console import AsJson, new_table, out
from schedlab.cli.live.options import Conf, Every, Looks, Site, period_s, print_line
from schedlab.cli.slurm.fidelity import Seed

if TYPE_CHECKING:
    from schedlab.live.watch import LiveWatch, Look

EXAMPLES = (
    "schedlab live mirror mysite",
    "schedlab live mirror mysite --every 30s --looks 10 --json",
)
_SHOWN = 20


def mirror(
    site: Site,
    conf: Conf = None,
    every: Every = "60s",
    looks: Looks = None,
    forks: Annotated[
        int,
        Option(metavar="N", min=0, max=1000, help="Futures of a forecast; 0 for no forecasts."),
    ] = 50,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Follow a running scheduler with the twin, and forecast when waiting jobs start.

    It only reads the queue, the nodes and the shares, once a period. Every look shows how far the
    twin is from reality: the twin continues from the state half an hour ago with what users did
    since. With --json every look is one line.
    """
    from schedlab.live.connect import connect
    from schedlab.live.watch import LiveWatch

    every_s = period_s(every)
    peer = connect(site, conf)
    watch = LiveWatch(peer.site, peer.reader(), forks=forks, past=peer.past(), seed=seed)
    for look in each_look(watch, every_s, looks, lambda said: print_error(said, json)):
        if json:
            print_line(look.as_json())
        else:
            print_look(look)


def each_look(
    watch: LiveWatch, every_s: float, looks: int | None, tell: Callable[[str], None]
) -> Iterator[Look]:
    """Look once a period; report a failed look, and go on unless it is the only one."""
    from schedlab.errors import PeerError

    done = 0
    while looks is None or done < looks:
        if done:
            time.sleep(every_s)
        done += 1
        try:
            yield watch.look()
        except PeerError as error:
            if looks == 1:
                raise
            tell(f"{error}; trying again in {every_s:g} s")


def print_error(said: str, json: bool) -> None:
    """Print what went wrong with one look; the next may work."""
    if json:
        print_line({"at": round(time.time(), 3), "error": said})
    else:
        out().print(f"{_clock(time.time())}  {said}", soft_wrap=True)


def print_look(look: Look) -> None:
    """Print one look, for people."""
    from schedlab.units import short_duration

    counts = look.counts
    out().print(
        f"{_clock(look.at)}  {counts['running']:,} run, {counts['waiting']:,} wait"
        + (f" ({counts['held']:,} held)" if counts["held"] else "")
        + f"; answered in {look.took_s:.2f} s"
    )
    out().print(f"  twin: {look.departure}")
    for note in look.notes:
        out().print(f"  {note}", soft_wrap=True)
    if look.forecasts:
        table = new_table("job", "starts in", "80 %: from", "to")
        soonest = sorted(look.forecasts, key=lambda each: each.likely)
        for each in soonest[:_SHOWN]:
            moments = (each.likely, each.low, each.high)
            table.add_row(each.job, *(short_duration(max(at - look.at, 0)) for at in moments))
        out().print(table)
        if len(soonest) > _SHOWN:
            out().print(f"  and {len(soonest) - _SHOWN:,} more; --json has all")


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
