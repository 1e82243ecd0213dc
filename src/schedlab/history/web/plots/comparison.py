"""Several schedules of the same jobs, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from bokeh.models import HoverTool, NumeralTickFormatter
from numpy.typing import NDArray

from schedlab.history.web.plots.look import steps, time_figure
from schedlab.history.web.plots.timeline import COLOURS, DASHES
from schedlab.viz.report.style import legend_above, new_figure

_HEIGHT = 260
_LETTERS = 34  # a phone has room for this many in a line of the legend
_UNITS = ((7200, (3600, "h")), (300, (60, "min")), (0, (1, "s")))
_MARK = 5  # the width, in letters, of the line beside a name


def waits_figure(waits_s: Mapping[str, Sequence[float]]) -> Any:
    """Draw the cumulative distribution of the waits, a line for each schedule."""
    unit_s, unit = wait_unit(waits_s)
    plot = new_figure(
        _HEIGHT, x_axis_label=f"wait ({unit})", y_axis_label="jobs (%)", y_range=(0, 102)
    )
    for place, (name, values) in enumerate(waits_s.items()):
        source = {"x": np.asarray(values) / unit_s, "y": np.linspace(0, 100, len(values))}
        plot.line("x", "y", source=source, name=name, **_line(place, name))
    _place_legend(plot, waits_s)
    about = [("", "$name"), ("wait", f"@x{{0.00}} {unit}"), ("jobs", "@y{0} %")]
    plot.add_tools(HoverTool(tooltips=about, visible=False))
    plot.min_border_left = 64
    plot.toolbar.autohide = True
    return plot


def wait_unit(waits_s: Mapping[str, Sequence[float]]) -> tuple[int, str]:
    """Return the unit that suits the longest of these waits, in seconds and by its name."""
    longest = max((max(each, default=0.0) for each in waits_s.values()), default=0.0)
    return next(unit for least, unit in _UNITS if longest >= least)


def used_figure(edge_s: NDArray[Any], used_nodes: Mapping[str, Sequence[float]], nodes: int) -> Any:
    """Draw the nodes in use over time, a line for each schedule."""
    plot = time_figure(
        _HEIGHT, edge_s[0], edge_s[-1], y_range=(0, 1.05 * nodes), y_axis_label="nodes in use"
    )
    for place, (name, means) in enumerate(used_nodes.items()):
        time_ms, value = steps(edge_s, np.asarray(means))
        plot.line(time_ms, value, name=name, **_line(place, name))
    _place_legend(plot, used_nodes)
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0")
    return plot


def _place_legend(plot: Any, names: Iterable[str]) -> None:
    legend_above(plot)
    longest = max(map(len, names), default=0)
    plot.legend[0].ncols = max(1, min(3, _LETTERS // (longest + _MARK)))


def _line(place: int, name: str) -> dict[str, Any]:
    """Return the look of a line; what really happened is boldest, and on top of the others."""
    is_past = place == 0
    return {
        "color": COLOURS[place % len(COLOURS)],
        "line_width": 3 if is_past else 1.6,
        "line_dash": "solid" if is_past else DASHES[place % len(DASHES)],
        "level": "annotation" if is_past else "glyph",
        "legend_label": name,
    }
