"""How accurate users are, as box plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bokeh.models import ColumnDataSource, FactorRange, HoverTool

from schedlab.analysis.users import Users
from schedlab.viz.analysis.tables import MAX_USERS
from schedlab.viz.colours import STRONG
from schedlab.viz.report.style import legend_above, new_figure

_ABOUT = [
    ("", "@name"),
    ("least", "@least{0.000}"),
    ("quarter", "@q25{0.000}"),
    ("median", "@median{0.000}"),
    ("three quarters", "@q75{0.000}"),
    ("greatest", "@greatest{0.000}"),
    ("mean", "@mean{0.000}"),
]


def users_figure(users: Users) -> Any:
    """Draw boxes over all users: the mean WRA of their jobs, and their WRSA at the end."""
    boxes = [
        {"name": "mean WRA of the user's jobs", **asdict(users.mean_wra)},
        {"name": "WRSA after the user's last job", **asdict(users.wrsa)},
    ]
    return _box_figure(boxes, 200, "accuracy of the user (1 = used all that was requested)")


def busiest_figure(users: Users) -> Any:
    """Draw a box for each user with many jobs: the WRSA after each job."""
    shown = users.table.head(MAX_USERS).to_dicts()
    boxes = [{**row, "name": f"user {row['user']}: {row['jobs']:,}"} for row in shown]
    return _box_figure(boxes, 110 + 20 * len(boxes), "WRSA after each of the user's jobs")


def _box_figure(boxes: Sequence[dict[str, Any]], height: int, label: str) -> Any:
    """Return a row per box: whiskers to the least and the greatest value, a dot at the mean."""
    names = [box["name"] for box in boxes]
    right = max(1.0, *(box["greatest"] for box in boxes)) * 1.02
    rows = FactorRange(factors=names[::-1], range_padding=0.03)
    plot = new_figure(height, y_range=rows, x_range=(-0.01, right), x_axis_label=label)
    keys = ("name", "least", "q25", "median", "q75", "greatest", "mean")
    source = ColumnDataSource({key: [box[key] for box in boxes] for key in keys})
    plot.segment("least", "name", "greatest", "name", source=source, line_color="#555555")
    box = plot.hbar(
        y="name",
        left="q25",
        right="q75",
        height=0.6,
        source=source,
        fill_color=STRONG[0],
        fill_alpha=0.35,
        line_color=STRONG[0],
        legend_label="middle half",
    )
    _mark(
        plot, source, "median", marker="dash", angle=1.5708, size=16, line_width=3, color=STRONG[0]
    )
    _mark(plot, source, "mean", marker="triangle", size=9, color=STRONG[2])
    plot.add_tools(HoverTool(renderers=[box], tooltips=_ABOUT, visible=False))
    plot.ygrid.grid_line_color = None
    legend_above(plot)
    return plot


def _mark(plot: Any, source: ColumnDataSource, column: str, **look: Any) -> None:
    plot.scatter(column, "name", source=source, legend_label=column, **look)
