"""An episode as pictures: what has run, what the nodes do, and which jobs wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.rl.batch import QueueBatch
from schedlab.rl.frame import Canvas, Frame
from schedlab.sim import Schedule
from schedlab.units import format_duration
from schedlab.viz.colours import LIGHT, OTHERS, STRONG, job_colours
from schedlab.viz.gantt import draw_jobs, few_rectangles
from schedlab.viz.paper import count_axis, paper_style
from schedlab.viz.time_axis import DURATION_TICKS, TimeAxis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

_SIZE_IN = 10.0, 6.6
_BY_REQUEST, _BY_ESTIMATE, _CHOOSABLE = LIGHT[0], STRONG[0], STRONG[2]
_LEAST_SPAN_S = 3600
"""The shortest time axis; a shorter one would change its scale with every frame."""
_SHORTEST_S, _LEAST_NODES = 10, 0.5
"""Where logarithmic axes begin."""


@dataclass(frozen=True)
class Moment:
    """One environment as it is now: the schedule shows nothing of the future."""

    schedule: Schedule
    view: _core.View
    choosable: NDArray[np.bool_]
    steps: int
    max_steps: int

    @classmethod
    def of(cls, batch: QueueBatch, place: int) -> Moment:
        """Return the current moment of one environment of the batch."""
        view = batch.played(place)[1].view
        schedule = batch.schedule(place)
        past = replace(schedule, end_s=np.minimum(schedule.end_s, view.now))
        allowed = batch.mask[place, : batch.settings.visible_jobs] != 0
        return cls(past, view, allowed, batch.core.steps(place), batch.settings.max_steps)

    @property
    def elapsed_s(self) -> int:
        """The time since the first submission."""
        return int(self.view.now - self.schedule.workload["submit_s"][0])

    @property
    def longest_request_s(self) -> int:
        """The longest request of the workload, at which axes of durations end."""
        return int(self.schedule.workload["request_s"].max())


class FrameRenderer:
    """Draws moments into one figure, which is used again for each."""

    def __init__(self) -> None:
        with paper_style():
            self._canvas = Canvas(*_SIZE_IN)
            figure = self._canvas.figure
            sides = {"left": 0.075, "right": 0.985}
            upper = figure.add_gridspec(
                1, 2, width_ratios=(4, 1), wspace=0.04, top=0.88, bottom=0.5, **sides
            )
            lower = figure.add_gridspec(2, 1, hspace=0.25, top=0.395, bottom=0.075, **sides)
            self._gantt, self._nodes, self._widths, self._times = (
                figure.add_subplot(cell) for cell in (upper[0], upper[1], lower[0], lower[1])
            )
            self._header = figure.text(0.075, 0.945, "", fontsize=9.5)

    def frame(self, batch: QueueBatch, place: int = 0) -> Frame:
        """Return one environment of the batch as it is now: height x width x RGB."""
        moment = Moment.of(batch, place)
        with paper_style():
            for axes in (self._gantt, self._nodes, self._widths, self._times):
                axes.clear()
            self._header.set_text(_told(moment))
            _draw_gantt(self._gantt, moment)
            _draw_nodes(self._nodes, moment)
            _draw_widths(self._widths, moment)
            _draw_times(self._times, moment)
            return self._canvas.pixels()


def _told(moment: Moment) -> str:
    view, jobs = moment.view, len(moment.schedule)
    started = int(moment.schedule.started.sum())
    to_come = jobs - started - len(view.queue)
    return (
        f"{format_duration(moment.elapsed_s)}   step {moment.steps:,} of {moment.max_steps:,}\n"
        f"{jobs:,} jobs: {to_come:,} to come, {len(view.queue):,} waiting, "
        f"{len(view.running):,} running, {started - len(view.running):,} ended"
    )


def _draw_gantt(axes: Axes, moment: Moment) -> None:
    schedule, now = moment.schedule, moment.view.now
    first = int(schedule.workload["submit_s"][0])
    axis = TimeAxis.between(first, max(now, first + _LEAST_SPAN_S))
    _node_axis(axes, moment)
    axes.set_xlim(0, axis.end)
    axes.set_xlabel(axis.label)
    axes.set_ylabel("node")
    used = schedule.used_nodes().mean(first, now) / schedule.platform.nodes
    axes.set_title(f"what has run: {used:.0%} of the machine so far")
    colours = job_colours(schedule, "job")
    draw_jobs(axes, schedule, colours, axis, rectangles=few_rectangles(schedule))
    axes.axvline(axis.at(now), color="#333333", linewidth=1.2)


def _draw_nodes(axes: Axes, moment: Moment) -> None:
    """Draw how long each node is still occupied, by request and by estimate."""
    view, schedule = moment.view, moment.schedule
    by_request, by_estimate = np.zeros((2, schedule.platform.nodes))
    running, ranges = view.running, schedule.named_nodes()
    until = running.start_s + schedule.workload["request_s"][running.job]
    for job, request_end, release in zip(running.job, until, running.release_s, strict=True):
        for first, last in ranges.of(int(job)):
            by_request[first : last + 1] = request_end - view.now
            by_estimate[first : last + 1] = release - view.now
    edges = np.arange(schedule.platform.nodes + 1) - 0.5
    for left_s, colour in ((by_request, _BY_REQUEST), (by_estimate, _BY_ESTIMATE)):
        axes.stairs(
            np.maximum(left_s, _SHORTEST_S),
            edges,
            baseline=_SHORTEST_S,
            orientation="horizontal",
            fill=True,
            color=colour,
        )
    _node_axis(axes, moment)
    axes.tick_params(labelleft=False)
    axes.set_xscale("log")
    axes.set_xlim(_SHORTEST_S, moment.longest_request_s)
    _duration_ticks(axes.xaxis, ("1 min", "1 h", "1 d"), moment.longest_request_s)
    axes.set_xlabel("time left")
    axes.set_title(f"nodes: {view.free_nodes:,} of {view.nodes:,} free")


def _node_axis(axes: Axes, moment: Moment) -> None:
    axes.set_ylim(-0.5, moment.schedule.platform.nodes - 0.5)
    count_axis(axes)


def _draw_widths(axes: Axes, moment: Moment) -> None:
    """Draw the nodes of the visible jobs; a job higher than the line does not fit."""
    queue, slots = moment.view.queue, len(moment.choosable)
    nodes = np.asarray(queue.nodes)[:slots]
    colours = np.where(moment.choosable[: len(nodes)], _CHOOSABLE, OTHERS).tolist()
    axes.bar(np.arange(len(nodes)), nodes, color=colours)
    axes.axhline(max(moment.view.free_nodes, _LEAST_NODES), color="#333333", linestyle="--")
    axes.set_xlim(-0.6, slots - 0.4)
    axes.tick_params(labelbottom=False)
    axes.set_yscale("log", base=2)
    axes.set_ylim(_LEAST_NODES, moment.view.nodes * 1.3)
    axes.set_yticks([4**power for power in range(10) if 4**power <= moment.view.nodes])
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel("nodes")
    seen = f"{len(nodes):,}" if len(nodes) == len(queue) else f"{len(nodes):,} of {len(queue):,}"
    axes.set_title(f"queue: {seen} waiting; dashed: free nodes")
    _legend(axes, {"can be chosen now": _CHOOSABLE, "cannot": OTHERS})


def _draw_times(axes: Axes, moment: Moment) -> None:
    """Draw requests and estimates of the visible jobs."""
    queue, slots = moment.view.queue, len(moment.choosable)
    for times_s, colour in ((queue.request_s, _BY_REQUEST), (queue.estimate_s, _BY_ESTIMATE)):
        visible_s = np.asarray(times_s)[:slots]
        axes.bar(np.arange(len(visible_s)), visible_s, color=colour)
    axes.set_xlim(-0.6, slots - 0.4)
    axes.set_yscale("log")
    axes.set_ylim(_SHORTEST_S, moment.longest_request_s)
    _duration_ticks(axes.yaxis, ("1 min", "10 min", "1 h", "1 d"), moment.longest_request_s)
    axes.set_xlabel("action that picks the job")
    axes.set_ylabel("run time")
    _legend(axes, {"requested": _BY_REQUEST, "estimated": _BY_ESTIMATE})


def _duration_ticks(axis: Axis, names: Sequence[str], longest_s: int) -> None:
    shown = {at: name for at, name in DURATION_TICKS.items() if name in names and at <= longest_s}
    axis.set_ticks(list(shown), list(shown.values()))
    axis.set_ticks([], minor=True)


def _legend(axes: Axes, colours: Mapping[str, str]) -> None:
    from matplotlib.patches import Patch

    patches = [Patch(facecolor=colour, label=name) for name, colour in colours.items()]
    axes.legend(handles=patches, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderpad=0.1)
