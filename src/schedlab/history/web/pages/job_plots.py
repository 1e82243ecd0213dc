"""The figures of a job's page, which the browser fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from fastapi import Request

from schedlab.history.schema.times import from_epoch
from schedlab.history.web.pages.job_items import FLOPS, MOVED, MeasuredJob
from schedlab.history.web.plots.roofline import roofline_data
from schedlab.history.web.plots.timeline import COLOURS, DASHES, MOST_LINES, timeline_data
from schedlab.history.web.render import path_of


@dataclass(frozen=True)
class Plot:
    """A figure that the browser fills with data from a URL.

    Args:
        label: what it shows.
        url: where its data are.
        figure: the figure as it is embedded.
        unit: the unit of its values.
        names: the names of its lines.
        start: where its axis begins.
        end: where its axis ends.
        scale: the length of a second of the data on the axis.
        offset: the seconds that are added to the times of the data before.
    """

    label: str
    url: str
    figure: Any
    unit: str = ""
    names: Sequence[str] = ()
    start: float = 0.0
    end: float = 0.0
    scale: float = 1.0
    offset: float = 0.0

    @property
    def legend(self) -> list[tuple[str, str, Sequence[int]]]:
        """The name, colour and dashes of each line; for a band, what it shows."""
        if len(self.names) > MOST_LINES:
            of = f"median of {len(self.names):,}, and from the least to the greatest"
            return [(of, COLOURS[0], ())]
        return list(zip(self.names, COLOURS, DASHES, strict=False))


def timeline_plots(request: Request, key: int, job: MeasuredJob, zone: tzinfo) -> list[Plot]:
    """Return a figure for each item; the axis shows the time of the site."""
    start_s, end_s = job.span_s
    offset = zone.utcoffset(from_epoch(start_s))
    offset_s = offset.total_seconds() if offset else 0.0
    return [
        Plot(
            item.label,
            path_of(request, "job_timelines", key=key, item=item.name),
            timeline_data(len(job.places(item)), item.unit),
            item.unit,
            job.names(item),
            1e3 * (start_s + offset_s),
            1e3 * (end_s + offset_s),
            1e3,
            offset_s,
        )
        for item in job.items()
    ]


def roofline_plot(request: Request, key: int, job: MeasuredJob) -> Plot | None:
    """Return the roofline if both counters exist; the roof is that of the job's first node."""
    if job.find(FLOPS) is None or job.find(MOVED) is None:
        return None
    node = job.site.cluster(job.record.cluster).by_host.get(job.hosts[0].node_id)
    peak = None if node is None else node.peak_flop_per_s
    moved = None if node is None else node.memory_byte_per_s
    return Plot("Roofline", path_of(request, "job_roofline", key=key), roofline_data(peak, moved))
