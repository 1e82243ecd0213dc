"""A moment on the grid as a picture: the chart, the jobs in the slots, and the backlog."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.rl.frame import Canvas, Frame
from schedlab.rl.gantt.batch import GanttBatch
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.sim import Schedule
from schedlab.viz.colours import LIGHT, OTHERS
from schedlab.viz.paper import paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE_IN = 10.0, 6.4
_PAST = 10
"""Past time units that the chart still shows."""
_INK, _PAPER = "#333333", "#f4f4f4"
_ROWS = 2
"""Rows of slots."""


@dataclass(frozen=True)
class GanttMoment:
    """One environment as it is now."""

    settings: GanttSettings
    schedule: Schedule
    now: int
    slots: NDArray[np.int32]
    backlog: int
    room: NDArray[np.bool_]
    told: str

    @classmethod
    def of(cls, batch: GanttBatch, place: int) -> GanttMoment:
        """Return the current moment of one environment of the batch."""
        core, schedule = batch.core, batch.schedule(place)
        slots, now = core.slots(place), core.now(place)
        arrived = int((schedule.workload["submit_s"] <= now).sum())
        told = (
            f"time {now:,}   step {core.steps(place):,}   "
            f"mean slowdown so far {core.mean_slowdown(place):.2f}\n"
            f"{len(schedule):,} jobs: {len(schedule) - arrived:,} to come, "
            f"{arrived - core.started(place):,} waiting, "
            f"{core.started(place) - core.completed(place):,} reserved or running, "
            f"{core.completed(place):,} ended"
        )
        room = batch.mask[place, : batch.settings.slots] != 0
        return cls(batch.settings, schedule, now, slots, core.backlog(place), room, told)


class GanttRenderer:
    """Draws moments into one figure, which is used again for each."""

    def __init__(self) -> None:
        with paper_style():
            self._canvas = Canvas(*_SIZE_IN)
            figure = self._canvas.figure
            sides: Any = {"left": 0.055, "right": 0.985}
            upper = figure.add_gridspec(1, 1, top=0.875, bottom=0.5, **sides)
            lower = figure.add_gridspec(
                1, 2, width_ratios=(8, 1), wspace=0.06, top=0.385, bottom=0.03, **sides
            )
            self._chart, self._slots, self._backlog = (
                figure.add_subplot(cell) for cell in (upper[0], lower[0], lower[1])
            )
            self._header = figure.text(0.055, 0.94, "", fontsize=9.5)

    def frame(self, batch: GanttBatch, place: int = 0) -> Frame:
        """Return one environment of the batch as it is now: height x width x RGB."""
        moment = GanttMoment.of(batch, place)
        with paper_style():
            for axes in (self._chart, self._slots, self._backlog):
                axes.clear()
            self._header.set_text(moment.told)
            _draw_chart(self._chart, moment)
            _draw_slots(self._slots, moment)
            _draw_backlog(self._backlog, moment)
            return self._canvas.pixels()


def _draw_chart(axes: Axes, moment: GanttMoment) -> None:
    """Draw resources upwards, time to the right; reservations that have not begun are hatched."""
    schedule, now, window = moment.schedule, moment.now, moment.settings.window
    ranges = schedule.named_nodes()
    shown = schedule.started & (schedule.end_s > now - _PAST)
    for job in map(int, np.flatnonzero(shown)):
        start, length = int(schedule.start_s[job]), int(schedule.ran_s[job])
        for first, last in ranges.of(job):
            corner = start, first - 0.5
            _draw_job(axes, moment, job, corner, (length, last - first + 1), ahead=start > now)
    axes.axvspan(now - _PAST, now, color="white", alpha=0.55, zorder=3)
    axes.axvline(now, color=_INK, linewidth=1.4, zorder=4)
    axes.set_xlim(now - _PAST, now + window)
    axes.set_xticks(range(now - now % 5 - _PAST + 5, now + window + 1, 5))
    axes.set_ylim(-0.5, moment.settings.resources - 0.5)
    axes.grid(visible=True)
    axes.set_xlabel("time")
    axes.set_ylabel("resource")
    axes.set_title(f"resources until {window} time units ahead; hatched: reserved, not yet begun")


def _draw_slots(axes: Axes, moment: GanttMoment) -> None:
    """Draw each slot with the size of the window; the width of a job in it is its duration."""
    settings = moment.settings
    across = ceil(settings.slots / _ROWS)
    step_x, step_y = settings.window * 1.1, settings.resources * 1.45
    for slot, job in enumerate(moment.slots.tolist()):
        x, y = slot % across * step_x, -(slot // across) * step_y
        _box(axes, (x, y), (settings.window, settings.resources), facecolor=_PAPER)
        axes.text(x, y + settings.resources * 1.06, f"{slot}", va="bottom", color=_INK)
        if job >= 0:
            work = moment.schedule.workload
            size = int(work["request_s"][job]), int(work["nodes"][job])
            _draw_job(axes, moment, job, (x, y), size, waits=True, grey=not moment.room[slot])
    axes.set_xlim(-0.5, across * step_x - settings.window * 0.08)
    axes.set_ylim(-(_ROWS - 1) * step_y - 0.5, settings.resources * 1.3)
    axes.set_axis_off()
    axes.set_title("waiting jobs, by the action that picks each; grey: no room ahead", pad=4)


def _draw_backlog(axes: Axes, moment: GanttMoment) -> None:
    """Draw a cell for each job in the backlog."""
    columns, rows = moment.settings.backlog_columns, moment.settings.window
    for cell in range(columns * rows):
        colour = OTHERS if cell < moment.backlog else _PAPER
        _box(axes, (cell % columns, -(cell // columns)), (0.9, 0.9), facecolor=colour, linewidth=0)
    axes.set_xlim(-0.05, max(columns, 1))
    axes.set_ylim(-rows + 0.9, 1)
    axes.set_axis_off()
    axes.set_title(f"backlog: {moment.backlog:,}", pad=4)


def _draw_job(
    axes: Axes,
    moment: GanttMoment,
    job: int,
    corner: tuple[float, float],
    size: tuple[int, int],
    *,
    ahead: bool = False,
    waits: bool = False,
    grey: bool = False,
) -> None:
    """Draw a rectangle with the job's number in it, or beside it if the job waits."""
    colour = OTHERS if grey else LIGHT[job % len(LIGHT)]
    _box(axes, corner, size, facecolor=colour, linewidth=0.8, hatch="///" if ahead else None)
    axes.text(
        corner[0] + (size[0] + 0.5 if waits else size[0] / 2),
        corner[1] + size[1] / 2,
        str(moment.schedule.workload["job_id"][job]),
        ha="left" if waits else "center",
        va="center",
        color=_INK,
        fontsize=6.5,
        clip_on=True,
    )


def _box(axes: Axes, corner: tuple[float, float], size: tuple[float, float], **look: Any) -> None:
    from matplotlib.patches import Rectangle

    style: dict[str, Any] = {"edgecolor": "white", "linewidth": 0, **look}
    axes.add_patch(Rectangle(corner, *size, **style))
