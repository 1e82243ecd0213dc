"""Pictures as arrays of pixels, drawn into one figure again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab.viz.paper import paper_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Frame = NDArray[np.uint8]


class Canvas:
    """A figure of a fixed size, and its pixels."""

    def __init__(self, width_in: float, height_in: float, dpi: int = 100) -> None:
        with paper_style():
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure

            self.figure: Figure = Figure(figsize=(width_in, height_in), dpi=dpi)
            self._canvas = FigureCanvasAgg(self.figure)

    def pixels(self) -> Frame:
        """Return what is drawn now: height x width x RGB."""
        self._canvas.draw()  # type: ignore[no-untyped-call]
        rgba = np.asarray(self._canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        return rgba[:, :, :3].copy()
