"""Electric power of a node."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from schedlab.errors import PlatformError


@dataclass(frozen=True)
class NodePower:
    """What one node draws when idle, when busy and when switched off, in watts."""

    idle_w: float = 0.0
    busy_w: float = 0.0
    off_w: float = 0.0

    def __post_init__(self) -> None:
        for what in ("idle_w", "busy_w", "off_w"):
            value = getattr(self, what)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (number and 0 <= value < inf):
                raise PlatformError(f"{what} is {value!r}; must be a number >= 0")
        if self.off_w > self.idle_w or self.idle_w > self.busy_w:
            raise PlatformError(
                f"power off {self.off_w} W, idle {self.idle_w} W, busy {self.busy_w} W; "
                "must not fall from off to idle to busy"
            )
