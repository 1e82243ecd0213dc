"""A what-if as one picture, for slides and papers."""

from __future__ import annotations

import io
from datetime import datetime, tzinfo
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from schedlab.history.web.plots.timeline import COLOURS
from schedlab.history.web.simulations.what_if import PolicyOutcome, WhatIfComparison
from schedlab.history.web.simulations.window import Window
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE = Lock()
"""Guards Matplotlib's settings, which all threads of the process share."""


def what_if_picture(
    comparison: WhatIfComparison, window: Window, zone: tzinfo, format: str
) -> bytes:
    """Draw waits and nodes in use; what really happened lies on top.

    Args:
        comparison: the outcomes of the simulations.
        window: the cluster and the time.
        zone: the zone in which times are shown.
        format: ``png``, ``svg`` or ``pdf``.
    """
    stream = io.BytesIO()
    with _STYLE, paper_style():
        figure, (waits, used) = panels(2, 1, 7.0, 5.0)
        for place, each in enumerate(comparison.outcomes):
            _draw(waits, used, each, place, window, zone)
        waits.set(title=f"{window.cluster}: {comparison.jobs:,} jobs", xlabel="wait (h)")
        waits.set(ylabel="jobs (%)", ylim=(0, 102))
        used.set(ylabel="nodes in use", ylim=(0, 1.05 * comparison.nodes))
        lines, names = waits.get_legend_handles_labels()
        figure.legend(lines, names, loc="outside upper center", ncols=min(len(names), 4))
        figure.savefig(stream, format=format, dpi=200)
    return stream.getvalue()


def _draw(
    waits: Axes, used: Axes, outcome: PolicyOutcome, place: int, window: Window, zone: tzinfo
) -> None:
    is_past = place == 0
    colour = COLOURS[place % len(COLOURS)]
    width, above = (2.2, 3) if is_past else (1.1, 2)
    shares = np.linspace(0, 100, len(outcome.waits_s))
    hours = np.asarray(outcome.waits_s) / 3600
    waits.plot(hours, shares, color=colour, linewidth=width, zorder=above, label=outcome.policy)
    edges = np.linspace(window.from_s, window.to_s, len(outcome.used_nodes) + 1)
    times = np.array([datetime.fromtimestamp(each, zone).replace(tzinfo=None) for each in edges])
    used.stairs(outcome.used_nodes, times, color=colour, linewidth=width, zorder=above)
