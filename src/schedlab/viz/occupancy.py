"""Which nodes were busy when, as an image: each pixel holds the share of its area in use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.sim import Schedule
from schedlab.sim.node_shares import NodeShares

Image = NDArray[Any]


def occupancy(
    schedule: Schedule,
    classes: NDArray[np.int64],
    count: int,
    window_s: tuple[int, int],
    shape: tuple[int, int],
) -> Image:
    """Return the share of each pixel that jobs of each class use, as (class, row, column).

    Exact at any scale: a job counts with the part of a pixel that it covers and, on a node that it
    shares, with its share of the cores. Row 0 holds node 0.

    Args:
        schedule: what happened.
        classes: the class of each job, from 0 to ``count`` - 1.
        count: number of classes.
        window_s: begin and end of the image.
        shape: rows and columns of the image.
    """
    ranges, (rows, columns) = schedule.named_nodes(), shape
    job = ranges.job()
    per_column, per_row = columns / (window_s[1] - window_s[0]), rows / schedule.platform.nodes
    left = (schedule.start_s[job] - window_s[0]) * per_column
    right = (schedule.end_s[job] - window_s[0]) * per_column
    across = _edges(left, right, columns)
    upwards = _edges(ranges.first * per_row, (ranges.last + 1) * per_row, rows)
    share = NodeShares.of(schedule).of_ranges(ranges, 0, schedule.platform.nodes) / ranges.width()
    corners = np.zeros(count * (rows + 2) * (columns + 2))
    for row, height in upwards:
        line = (classes[job] * (rows + 2) + row) * (columns + 2)
        for column, width in across:
            corners += np.bincount(line + column, height * width * share, len(corners))
    summed = corners.reshape(count, rows + 2, columns + 2).cumsum(axis=1).cumsum(axis=2)
    covered: Image = np.clip(summed[:, :rows, :columns], 0.0, 1.0)
    return covered


def _edges(low: Image, high: Image, end: int) -> list[tuple[NDArray[np.int64], Image]]:
    """Return where the cover of pixels 0..end-1 changes along one axis, and by how much.

    Summed up they give 1 in the pixels between ``low`` and ``high``, and the covered share in the
    pixels that these cut. The products along two axes do the same for rectangles.
    """
    edges = []
    for place, sign in ((np.clip(low, 0, end), 1), (np.clip(high, 0, end), -1)):
        pixel = place.astype(np.int64)
        part = place - pixel
        edges += [(pixel, sign * (1 - part)), (pixel + 1, sign * part)]
    return edges


def mixed_colours(shares: Image, colours: Sequence[str]) -> Image:
    """Return the image as RGB: white where nothing ran, each class adding its colour by its share.

    A pixel in which anything ran is never paler than ``_PALEST``, so that it is seen.
    """
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    total = shares.sum(axis=0)
    mean = np.einsum("kyx,kc->yxc", shares, rgb) / np.maximum(total, _NOTHING)[:, :, None]
    strength = np.where(total > _NOTHING, _PALEST + (1 - _PALEST) * np.minimum(total, 1.0), 0.0)
    mixed: Image = np.clip(1 - strength[:, :, None] * (1 - mean), 0.0, 1.0)
    return mixed


_NOTHING = 1e-6
"""Less than this share of a pixel is rounding."""

_PALEST = 0.18
