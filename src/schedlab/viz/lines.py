"""Lines side by side: results over workloads, and how trainings went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError
from schedlab.viz.colours import STRONG, policy_colour
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Numbers = Sequence[float]

_STYLES = (("-", "o"), ("-.", "s"), (":", "^"))
"""The styles of lines and their marks; the next one when all colours have been used."""


@dataclass(frozen=True)
class Line:
    """Values at some places, with the interval of each if it has one.

    Without places it has one value, which holds everywhere.
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
    """Draw each line in a colour or a style of its own, dashed if it has one value.

    Intervals are shaded. Words with which all names of places begin are written once, below them.

    Args:
        lines: the lines, in the order of the legend.
        x_label: what is to the right.
        y_label: what is upwards, from 0.
        names: names of the places 0, 1, 2 and so on, if the places are not numbers.
        width_in: width of the picture.
    """
    if not lines:
        raise ParameterError("a picture of lines needs at least one")
    with paper_style():
        figure, [axes] = panels(1, 1, width_in, width_in * 0.55)
        for place, line in enumerate(lines):
            _draw(axes, line, place, marked=bool(names))
        if names:
            common, rest = _apart(names)
            axes.set_xticks(range(len(names)), rest)
            x_label = f"{common} {x_label}".strip()
        else:
            axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.set_ylim(bottom=0)
        axes.grid()
        figure.legend(loc="outside right upper")
    return figure


def _apart(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the words that all names begin with, and what is left of each."""
    words = [name.split() for name in names]
    common = 0
    while all(len(each) > common + 1 and each[common] == words[0][common] for each in words):
        common += 1
    return " ".join(words[0][:common]), [" ".join(each[common:]) for each in words]


def _draw(axes: Axes, line: Line, place: int, *, marked: bool) -> None:
    colour = policy_colour(place)
    if not line.x:
        axes.axhline(line.y[0], linestyle="--", color=colour, label=line.name)
        return
    style, mark = _STYLES[place // len(STRONG) % len(_STYLES)]
    marker = mark if marked else ""
    axes.plot(line.x, line.y, style, color=colour, label=line.name, marker=marker, markersize=3)
    if line.low:
        axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
