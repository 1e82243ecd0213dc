"""What a learned policy decides by: bars per group of inputs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError
from schedlab.viz.colours import STRONG
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MeanAndInterval = tuple[float, float, float]
"""A mean, and the ends of its interval; NaN where they are not known."""

_PLAIN, _MARKED = STRONG[0], STRONG[1]


def draw_importance(
    groups: Sequence[str],
    measures: Mapping[str, Sequence[MeanAndInterval | None]],
    *,
    marked: Collection[str] = (),
    mark: str = "",
    width_in: float = 7.0,
) -> Figure:
    """Draw a panel per measure, a bar per group with its 95 % interval, a dash for none.

    Args:
        groups: the names of the groups.
        measures: by title, a mean with its interval for each group; titles that end in % are
            drawn in per cent.
        marked: groups in another colour.
        mark: what these groups have in common.
        width_in: width of the picture.
    """
    if not groups or not measures:
        raise ParameterError("a picture of importance needs groups and measures")
    colours = [_MARKED if group in marked else _PLAIN for group in groups]
    with paper_style():
        height_in = 0.95 + 0.19 * len(groups)
        figure, axes = panels(1, len(measures), width_in, height_in, sharey=True)
        for panel, (title, values) in zip(axes, measures.items(), strict=True):
            scale = 100.0 if title.endswith("%") else 1.0
            _draw_bars(panel, values, colours, scale)
            panel.set_title(title)
        axes[0].set_yticks(range(len(groups)), groups)
        axes[0].invert_yaxis()
        for name, label in zip(groups, axes[0].get_yticklabels(), strict=True):
            label.set_color(_MARKED if name in marked else "black")
        if mark and not set(marked).isdisjoint(groups):
            figure.supxlabel(mark, color=_MARKED, fontsize=7.5)
    return figure


def _draw_bars(
    axes: Axes, values: Sequence[MeanAndInterval | None], colours: Sequence[str], scale: float
) -> None:
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    for place, (value, colour) in enumerate(zip(values, colours, strict=True)):
        if value is None or math.isnan(value[0]):
            axes.annotate("–", (0, place), xytext=(3, 0), textcoords="offset points", va="center")
            continue
        mean, low, high = (scale * number for number in value)
        axes.barh(place, mean, 0.7, color=colour)
        if not math.isnan(low):
            axes.plot([low, high], [place, place], color="#222222", linewidth=0.9)
    axes.axvline(0, color="#444444", linewidth=0.6)
    axes.margins(x=0.08)
    axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
