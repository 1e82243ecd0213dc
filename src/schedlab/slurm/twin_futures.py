"""Many futures of a Slurm site: the twin goes on from the present with drawn run times."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
from numpy.typing import NDArray

from schedlab._core import NativeController
from schedlab.predict import RunTimes
from schedlab.sim.forecast.futures import drawn_levels
from schedlab.sim.forecast.past_forecaster import NEVER_S
from schedlab.slurm.native import SiteTables, native_controller
from schedlab.slurm.replay import Times, TwinReplay, history_of, phases_of, replay_native
from schedlab.slurm.site import SlurmSite


class TwinFutures:
    """Futures that can be replayed several times, such as under other priorities.

    Args:
        present: the site; its history begins now, and has the jobs that run or wait.
        runs: the distributions of their run times.
        elapsed_s: how long each job has run.
        forks: number of futures.
        rng: the random generator that draws the futures.
    """

    def __init__(
        self,
        present: SlurmSite,
        runs: RunTimes,
        elapsed_s: Times,
        forks: int,
        rng: np.random.Generator,
    ) -> None:
        workload = history_of(present).workload
        places = np.arange(len(workload))
        users = workload["user"] if "user" in workload.columns else np.zeros_like(places)
        kinds = np.column_stack([users, workload["nodes"], workload["request_s"]])
        levels = drawn_levels(kinds, forks, rng)
        self._runs_s: NDArray[np.float64] = runs.quantiles(levels, elapsed_s).T
        self._phases = phases_of(present, forks, int(rng.integers(1 << 30)))
        self._tables = SiteTables(present).made()
        self._nice = [row.nice for row in self._tables.jobs]
        self._until_s = history_of(present).begin_s + NEVER_S

    def starts(
        self,
        site_factors: NDArray[np.int64] | None = None,
        tell: Callable[[], object] = lambda: None,
    ) -> Times:
        """Return when each job starts: a row for each future, nan for never.

        Args:
            site_factors: added to the priorities of the jobs. Default: nothing.
            tell: called after each future.
        """
        rows = self._tables.jobs  # a change of a row changes the tables
        for at, (row, nice) in enumerate(zip(rows, self._nice, strict=True)):
            row.nice = nice - (0 if site_factors is None else int(site_factors[at]))
        stopped = Event()
        made = []
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            try:
                for runs, clocks in zip(self._runs_s, self._phases, strict=True):
                    for row, run_s in zip(rows, runs.tolist(), strict=True):
                        row.run_s = run_s
                    controller = native_controller(self._tables, clocks)
                    made.append(threads.submit(self._replay, controller, stopped))
                replays: list[TwinReplay] = []
                for each in made:
                    replays.append(each.result())
                    tell()
            finally:
                stopped.set()
        return np.array([each.start_s for each in replays])

    def _replay(self, controller: NativeController, stopped: Event) -> TwinReplay:
        return replay_native(controller, stopped, self._until_s, to_the_end=False)
