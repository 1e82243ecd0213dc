"""What users gain or lose by other requests: a dot per user, a row per policy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from schedlab.analysis.honesty import TREATMENTS, Honesty
from schedlab.viz.colours import OTHERS, STRONG
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

GAIN, LOSS = STRONG[0], STRONG[1]


def draw_honesty(honesty: Honesty, *, width_in: float = 7.0) -> Figure:
    """Draw the change of each user's mean wait, a panel per treatment and a row per policy.

    It is relative to the longer of the two waits, before and after: from −100 %, no wait any more,
    to +100 %, a wait only now. The bar covers the middle half of the users, the line in it is the
    median; the numbers of users that gain and lose are at the right.
    """
    changes = honesty.changes
    policies = changes["policy"].unique(maintain_order=True).to_list()
    treatments = [name for name in TREATMENTS if name in changes["treatment"]]
    with paper_style():
        height_in = 0.85 + 0.34 * len(policies)
        figure, axes = panels(1, len(treatments), width_in, height_in, sharey=True)
        for panel, treatment in zip(axes, treatments, strict=True):
            _draw_panel(panel, policies, changes.filter(treatment=treatment))
            panel.set_title(treatment)
        axes[0].set_yticks(range(len(policies)), _short(policies))
        axes[0].invert_yaxis()
        figure.supxlabel(
            "change of the user's mean wait, relative to the longer of before and after", fontsize=8
        )
    return figure


def _short(policies: list[str]) -> list[str]:
    """Return the names without the parameters that all of them have, such as ``depth=100``."""
    parts = [re.split("[:,]", name) for name in policies]
    shared = set(parts[0][1:]).intersection(*parts) if len(parts) > 1 else set()
    kept = [[part for part in name if part not in shared] for name in parts]
    return [name[0] + ":" * (len(name) > 1) + ",".join(name[1:]) for name in kept]


def _draw_panel(axes: Axes, policies: list[str], changes: pl.DataFrame) -> None:
    from matplotlib.ticker import PercentFormatter

    axes.axvline(0, color="#444444", linewidth=0.6)
    for place, policy in enumerate(policies):
        relative = _relative(changes.filter(policy=policy))
        if len(relative):
            _draw_row(axes, place, relative)
    axes.set(xlim=(-1.04, 1.04), xticks=(-1, 0, 1))
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def _draw_row(axes: Axes, place: int, relative: NDArray[np.float64]) -> None:
    low, middle, high = np.quantile(relative, [0.25, 0.5, 0.75])
    axes.barh(place, high - low, 0.62, left=low, color="#e6e6e6", zorder=1.5)
    axes.plot([middle, middle], [place - 0.31, place + 0.31], color="#222222", zorder=3)
    colours = np.select([relative < 0, relative > 0], [GAIN, LOSS], OTHERS)
    heights = place + 0.22 * _spread(len(relative))
    axes.scatter(
        np.sort(relative), heights, 7, colours[np.argsort(relative)], linewidth=0, zorder=2
    )
    counts = f"{np.count_nonzero(relative < 0)} gain, {np.count_nonzero(relative > 0)} lose"
    axes.annotate(
        counts,
        (1, place),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=6.5,
    )


def _relative(changes: pl.DataFrame) -> NDArray[np.float64]:
    before_s, after_s = changes["wait_before_s"].to_numpy(), changes["wait_after_s"].to_numpy()
    longer_s = np.maximum(np.maximum(before_s, after_s), np.finfo(float).tiny)
    return np.asarray((after_s - before_s) / longer_s)


def _spread(dots: int) -> NDArray[np.float64]:
    """Return heights from -1 to 1 that keep neighbours apart."""
    golden = (np.arange(dots) * 0.618034) % 1
    return np.asarray(2 * golden - 1)
