"""The workloads WL1 and WL2 of Takizawa, Nomura and Matsuba, calibrated on the Lublin model.

The targets are 256 nodes, 80 % (WL1) or 20 % (WL2) single-node jobs, requests of at most 6 h and
0.5 h on average, inter-arrival times of at most 0.5 h and 100 s on average. No single constant of
the model meets them, so three parts change: the serial probability (with the mix of parallel sizes
kept), the second gamma of the run times with a cut at 6 h, and the gamma of the gaps with a cut at
0.5 h. The daily cycle is off, as it would stretch gaps at night beyond 0.5 h.

The time that the model draws is the request; the transform ``set_run`` makes run times from it.
"""

from __future__ import annotations

from math import log

from schedlab.workload.generators.lublin.arrivals import LublinArrivals
from schedlab.workload.generators.lublin.model import JobClass, Lublin
from schedlab.workload.generators.lublin.run_times import LublinRunTimes
from schedlab.workload.generators.lublin.sizes import Sizes

MAX_GAP_S = 1800
MAX_REQUEST_S = 6 * 3600


def wl1(*, daily_cycle: bool = False) -> Lublin:
    """Return WL1: 80 % of the jobs on a single node."""
    return _preset("WL1", Sizes(0.80, 0.1524, 0.8, 5.5, 8.0, 0.86), 285.7, daily_cycle)


def wl2(*, daily_cycle: bool = False) -> Lublin:
    """Return WL2: 20 % of the jobs on a single node."""
    return _preset("WL2", Sizes(0.20, 0.6095, 0.8, 5.5, 8.0, 0.86), 277.0, daily_cycle)


def _preset(name: str, sizes: Sizes, alpha2: float, daily_cycle: bool) -> Lublin:
    # The cycle stretches gaps at night, so it needs a limit on the real gap too, and gamma 7.82
    # instead of 7.71 brings the long-run mean back to 100 s.
    shape, max_gap_s = (7.82, MAX_GAP_S) if daily_cycle else (7.7146, None)
    arrivals = LublinArrivals(
        alpha=shape / LublinArrivals.rush_to_all_day, max_ln_gap=log(MAX_GAP_S), max_gap_s=max_gap_s
    )
    run_times = LublinRunTimes(alpha2=alpha2, max_ln_run=log(MAX_REQUEST_S))
    return Lublin(daily_cycle=daily_cycle, typeless=JobClass(sizes, run_times, arrivals), name=name)


WL1 = wl1()
WL2 = wl2()
