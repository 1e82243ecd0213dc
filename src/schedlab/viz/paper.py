"""Figures for papers: Matplotlib without global state, saved whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.atomic import atomic_write
from schedlab.errors import MissingExtraError, ParameterError
from schedlab.sim import Schedule
from schedlab.sim.schedule import require_schedules
from schedlab.units import require_between, require_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "pdf", "svg")
_INCHES = (0.5, 1000)
_MOST_PIXELS = 2**28
_SHOWN_DPI = 110
_LETTER_IN, _KEY_IN = 0.06, 0.45

_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.6,
    "axes.edgecolor": "#444444",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "legend.columnspacing": 1.4,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.2,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    # Text stays text, so that journals can search and edit it; equal pictures have equal bytes.
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "schedlab",
}


@contextmanager
def paper_style() -> Iterator[None]:
    """Set the look of all pictures, for as long as the block lasts."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("matplotlib", "viz") from None
    with matplotlib.rc_context(_STYLE):
        yield


def checked(schedules: Sequence[Schedule]) -> Sequence[Schedule]:
    """Return the schedules; there must be at least one."""
    schedules = require_schedules(schedules)
    if not schedules:
        raise ParameterError("a picture needs at least one schedule")
    return schedules


def panels(
    rows: int, columns: int, width_in: float, height_in: float, **options: Any
) -> tuple[Figure, list[Axes]]:
    """Return a new figure with a grid of axes, row by row."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    for what, size_in in (("width_in", width_in), ("height_in", height_in)):
        require_between(what, size_in, *_INCHES)
    layout = ConstrainedLayoutEngine(w_pad=0.08)
    figure: Figure = shown_figure()(figsize=(width_in, height_in), layout=layout)
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, list(axes.flat)


@cache
def shown_figure() -> type[Figure]:
    """Return the class of figures that a notebook shows once, without pyplot."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        """A Matplotlib figure that a notebook shows as PNG."""

        def _repr_png_(self) -> bytes:
            drawn = io.BytesIO()
            with paper_style():
                self.savefig(drawn, format="png", dpi=_SHOWN_DPI)
            return drawn.getvalue()

    return ShownFigure


def top_legend(figure: Figure, axes: Axes) -> None:
    """Put the names of the lines above all panels; names that are too long are cut."""
    lines, names = axes.get_legend_handles_labels()
    width_in = float(figure.get_figwidth())
    most = max(8, int((width_in - _KEY_IN) / _LETTER_IN))
    shown = [name if len(name) <= most else f"{name[: most - 1]}…" for name in names]
    column_in = _LETTER_IN * max(map(len, shown), default=0) + _KEY_IN
    columns = max(1, min(len(shown), int(width_in / column_in)))
    figure.legend(lines, shown, loc="outside upper center", ncols=columns)


def count_axis(axes: Axes) -> None:
    """Label whole numbers upwards, with commas."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def save_figure(figure: Figure, path: str | Path, *, dpi: int = 200) -> None:
    """Write the figure as PNG, PDF or SVG, by the ending of the file's name."""
    kind = picture_format(path)
    require_whole("dpi", dpi, 20, 10_000)
    pixels = dpi**2 * figure.get_figwidth() * figure.get_figheight()
    if kind == "png" and pixels > _MOST_PIXELS:
        raise ParameterError(f"dpi is {dpi}, which makes {pixels:.2g} pixels; take a smaller one")
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with paper_style(), atomic_write(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=dpi, metadata=undated)


def picture_format(path: str | Path) -> str:
    """Return one of ``FORMATS``, by the ending of the file's name."""
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise ParameterError(
            f"{path}: the name of a picture must end in one of "
            + ", ".join(f".{known}" for known in FORMATS)
        )
    return kind
