"""Draw values again that lie beyond a cut."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError

Floats = NDArray[np.float64]

MAX_ROUNDS = 20_000


def redraw_above(cut: float, count: int, draw: Callable[[NDArray[np.intp]], Floats]) -> Floats:
    """Draw values of at most ``cut``; ``draw(places)`` draws those at the given places."""
    values = draw(np.arange(count))
    for _ in range(MAX_ROUNDS):
        above = np.flatnonzero(values > cut)
        if not len(above):
            return values
        values[above] = draw(above)
    raise ParameterError(f"the model hardly ever draws a value of at most {cut:g}; raise the cut")
