"""The Lublin–Feitelson workload model, its constants and its presets."""

from schedlab.workload.generators.lublin.arrivals import LublinArrivals
from schedlab.workload.generators.lublin.model import (
    BATCH,
    INTERACTIVE,
    TYPELESS,
    JobClass,
    Lublin,
)
from schedlab.workload.generators.lublin.presets import WL1, WL2, wl1, wl2
from schedlab.workload.generators.lublin.run_times import LublinRunTimes
from schedlab.workload.generators.lublin.sizes import Sizes

__all__ = [
    "BATCH",
    "INTERACTIVE",
    "TYPELESS",
    "WL1",
    "WL2",
    "JobClass",
    "Lublin",
    "LublinArrivals",
    "LublinRunTimes",
    "Sizes",
    "wl1",
    "wl2",
]
