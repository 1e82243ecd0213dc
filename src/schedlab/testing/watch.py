"""An order that writes down what it is shown."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from schedlab.policies import Order, Queue


class WatchAccuracy(Order):
    """First come, first served, writing down the accuracy of each waiting job's user."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[float] = []

    def score(self, queue: Queue) -> ArrayLike:
        """Zero for all."""
        self.seen.extend(queue.wrsa.tolist())
        return np.zeros(len(queue))
