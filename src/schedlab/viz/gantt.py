"""Gantt chart: which nodes each job used, and when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import WorkloadError
from schedlab.metrics import METRICS
from schedlab.platform import Platform
from schedlab.sim import Attempts, Schedule, WhyEnded
from schedlab.viz.bars import Bars, bars_of
from schedlab.viz.colours import JobColours, job_colours, usual_colouring
from schedlab.viz.occupancy import mixed_colours, occupancy
from schedlab.viz.paper import checked, count_axis, panels, paper_style
from schedlab.viz.time_axis import TimeAxis, label_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

MAX_RECTANGLES = 2000
"""More than this cannot be told apart: an image of the occupancy is drawn instead."""

_COLUMNS, _ROWS = 1600, 480
_INTERRUPTED = "#cc2222"
_LABEL_PT, _LABEL_WIDTH_PT = 6.0, 3.9


def draw_gantt(
    schedules: Sequence[Schedule],
    *,
    colour_by: str | None = None,
    width_in: float = 7.0,
    height_in: float = 2.6,
) -> Figure:
    """Draw one panel per schedule, nodes upwards and time to the right.

    Up to ``MAX_RECTANGLES`` each range of nodes is a rectangle with the job's number where there
    is room, and attempts that were interrupted end in red; beyond that, the shade of a pixel shows
    the share of it in use.

    Args:
        schedules: what happened; they share the time axis.
        colour_by: ``job``, ``user``, ``size`` or ``clusters``. Default: ``job`` if rectangles are
            drawn, else ``clusters`` if jobs name any, else ``user`` if there are several, else
            ``size``.
        width_in: width of the figure.
        height_in: height of each panel.
    """
    schedules = with_nameable_nodes(checked(schedules))
    axis = TimeAxis.over(schedules)
    each_attempt = [schedule.by_attempt() for schedule in schedules]
    named = [replace(each, node_ranges=each.named_nodes()) for each in each_attempt]
    few = all(few_rectangles(each) for each in named)
    usual = "job" if few else usual_colouring(named[0])
    colours = [job_colours(each, colour_by or usual) for each in named]
    with paper_style():
        figure, axes = panels(len(named), 1, width_in, height_in * len(named), sharex=True)
        for panel, whole, schedule, colouring in zip(axes, schedules, named, colours, strict=True):
            draw_jobs(panel, schedule, colouring, axis, rectangles=few)
            _frame(panel, whole, axis)
            if few:
                _mark_interrupted(panel, whole, schedule, axis)
        label_time(axes[-1], axis)
        _draw_legends(figure, axes, colours)
    return figure


def with_nameable_nodes(schedules: Sequence[Schedule]) -> list[Schedule]:
    """Return the schedules that name nodes; a recorded one in which jobs shared nodes does not.

    If none does, return all: the error at drawing says why.
    """
    found = [each for each in schedules if _is_nameable(each)]
    return found or list(schedules)


def _is_nameable(schedule: Schedule) -> bool:
    try:
        schedule.named_nodes()
    except WorkloadError:
        return False
    return True


def few_rectangles(schedule: Schedule) -> bool:
    """Return whether its ranges of nodes can be told apart when each is drawn."""
    return len(schedule.named_nodes().first) <= MAX_RECTANGLES


def draw_jobs(
    axes: Axes, schedule: Schedule, colours: JobColours, axis: TimeAxis, *, rectangles: bool
) -> None:
    """Draw what ran where, as rectangles or as an image, and nothing else."""
    draw = _draw_rectangles if rectangles else _draw_image
    draw(axes, schedule, colours, axis)


def _draw_rectangles(axes: Axes, schedule: Schedule, colours: JobColours, axis: TimeAxis) -> None:
    from matplotlib.collections import PolyCollection

    bars = bars_of(schedule)
    job = bars.job
    # Nothing is thinner than a pixel, so that the shortest and the narrowest jobs are seen.
    left, right = _widened(
        axis.places(schedule.start_s[job]), axis.places(schedule.end_s[job]), axis.length / _COLUMNS
    )
    bottom, top = _widened(bars.bottom, bars.top, schedule.platform.nodes / _ROWS)
    corners = np.stack([left, bottom, left, top, right, top, right, bottom], axis=1)
    axes.add_collection(
        PolyCollection(
            list(corners.reshape(-1, 4, 2)),
            facecolors=np.array(colours.colours)[colours.of_job[job]].tolist(),
            edgecolors="#333333",
            linewidths=0.3,
        )
    )
    _draw_labels(axes, schedule, bars, axis)


def _widened(low: NDArray[Any], high: NDArray[Any], least: float) -> tuple[NDArray[Any], ...]:
    return low, np.maximum(high, low + least)


def _draw_labels(axes: Axes, schedule: Schedule, bars: Bars, axis: TimeAxis) -> None:
    """Draw the number of each job on the first of its widest bars, if it fits."""
    points = 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    points_x = axes.bbox.width * points / axis.length
    points_y = axes.bbox.height * points / schedule.platform.nodes
    height = bars.top - bars.bottom
    widest = np.lexsort((np.arange(len(height)), -height, bars.job))
    for at in widest[np.unique(bars.job[widest], return_index=True)[1]].tolist():
        job, low, high = int(bars.job[at]), bars.bottom[at], bars.top[at]
        left, right = axis.at(schedule.start_s[job]), axis.at(schedule.end_s[job])
        text = str(schedule.job_id[job])
        fits_x = (right - left) * points_x > _LABEL_WIDTH_PT * len(text) + 1
        if fits_x and (high - low) * points_y > _LABEL_PT:
            axes.text(
                (left + right) / 2,
                (low + high) / 2,
                text,
                ha="center",
                va="center_baseline",
                fontsize=_LABEL_PT,
                clip_on=True,
            )


def _draw_image(axes: Axes, schedule: Schedule, colours: JobColours, axis: TimeAxis) -> None:
    nodes = schedule.platform.nodes
    shape = (min(nodes, _ROWS), _COLUMNS)
    window = (axis.first_s, axis.last_s)
    shares = occupancy(schedule, colours.of_job, len(colours.colours), window, shape)
    axes.imshow(
        mixed_colours(shares, colours.colours),
        origin="lower",
        aspect="auto",
        extent=(axis.begin, axis.end, -0.5, nodes - 0.5),
        interpolation="antialiased",
    )


def _frame(axes: Axes, schedule: Schedule, axis: TimeAxis) -> None:
    used = METRICS["utilisation"].value(schedule)
    cut = 0 if schedule.attempts is None else int(_interrupted(schedule.attempts).sum())
    axes.set_title(
        f"{schedule.policy}: {len(schedule):,} jobs"
        + ("" if math.isnan(used) else f", utilisation {used:.1%}")
        + (f", {cut:,} interrupted (red)" if cut else "")
    )
    axes.set_ylabel("node")
    axes.set_xlim(axis.begin, axis.end)
    axes.set_ylim(-0.5, schedule.platform.nodes - 0.5)
    count_axis(axes)
    _mark_clusters(axes, schedule.platform)


def _mark_interrupted(axes: Axes, whole: Schedule, by_attempt: Schedule, axis: TimeAxis) -> None:
    """Draw in red the ends of attempts that a failure, an outage or another job interrupted."""
    if whole.attempts is None or by_attempt.attempted_job_id is None:
        return
    cut = _interrupted(whole.attempts)
    job_id = whole.workload["job_id"][whole.attempts.job[cut]]
    known = set(zip(job_id.tolist(), whole.attempts.start_s[cut].tolist(), strict=True))
    rows = zip(by_attempt.attempted_job_id.tolist(), by_attempt.start_s.tolist(), strict=True)
    is_cut = np.array([row in known for row in rows], dtype=bool)
    bars = bars_of(by_attempt)
    which = is_cut[bars.job]
    ends = axis.places(by_attempt.end_s[bars.job[which]])
    axes.vlines(ends, bars.bottom[which], bars.top[which], colors=_INTERRUPTED, linewidths=2)


def _interrupted(attempts: Attempts) -> NDArray[np.bool_]:
    return attempts.why >= WhyEnded.OUTAGE


def _mark_clusters(axes: Axes, platform: Platform) -> None:
    """Draw lines between clusters, and their names at the right, if there are several clusters."""
    if len(platform.clusters) == 1:
        return
    first = -0.5
    several = len({cluster.site for cluster in platform.clusters}) > 1
    for cluster in platform.clusters:
        name = f" {cluster.site}/{cluster.name}" if several else f" {cluster.name}"
        middle = first + cluster.nodes / 2
        axes.text(1, middle, name, transform=axes.get_yaxis_transform(), va="center")
        first += cluster.nodes
        axes.axhline(first, color="#333333", linewidth=0.8, linestyle=":")


def _draw_legends(figure: Figure, axes: Sequence[Axes], colours: Sequence[JobColours]) -> None:
    """Draw one legend for all panels, or one beside each if their colours differ in meaning."""
    if len({tuple(colouring.names) for colouring in colours}) > 1:
        for panel, colouring in zip(axes, colours, strict=True):
            panel.legend(handles=_patches(colouring), loc="upper left", bbox_to_anchor=(1, 1))
    elif colours[0].names:
        patches = _patches(colours[0])
        figure.legend(handles=patches, loc="outside lower center", ncols=len(patches))


def _patches(colours: JobColours) -> list[Patch]:
    from matplotlib.patches import Patch

    title = Patch(alpha=0, label=f"{colours.title}:")
    pairs = zip(colours.colours, colours.names, strict=True)
    return [title, *(Patch(facecolor=colour, label=name) for colour, name in pairs)]
