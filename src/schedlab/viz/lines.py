"""Lines side by side: results over workloads, and how trainings went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError
from schedlab.viz.colours import policy_colour
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Numbers = Sequence[float]


@dataclass(frozen=True)
class Line:
    """Values at some places, with the interval of each if it has one.

    Without places it is one value for all of them.
    """

    name: str
    y: Numbers
    x: Numbers = ()
    low: Numbers = ()
    high: Numbers = ()


def draw_lines(
    lines: Sequence[Line],
    *,
    x_label: str,
    y_label: str,
    names: Sequence[str] = (),
    width_in: float = 6.0,
) -> Figure:
    """A line in a colour of its own for each, dashed if it is one value; intervals are shaded.

    Args:
        lines: in the order of the legend.
        x_label: what is to the right.
        y_label: what is upwards, from 0.
        names: of the places 0, 1, 2 and so on, where these are no numbers.
        width_in: of the picture.
    """
    if not lines:
        raise ParameterError("a picture of lines needs at least one")
    with paper_style():
        figure, [axes] = panels(1, 1, width_in, width_in * 0.55)
        for place, line in enumerate(lines):
            _draw(axes, line, policy_colour(place), marked=bool(names))
        if names:
            axes.set_xticks(range(len(names)), names)
        else:
            axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.set_ylim(bottom=0)
        axes.grid()
        figure.legend(loc="outside right upper")
    return figure


def _draw(axes: Axes, line: Line, colour: str, *, marked: bool) -> None:
    if not line.x:
        axes.axhline(line.y[0], linestyle="--", color=colour, label=line.name)
        return
    axes.plot(line.x, line.y, color=colour, label=line.name, marker="o" if marked else "", ms=3)
    if line.low:
        axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
