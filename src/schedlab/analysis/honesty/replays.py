"""Simulations in threads, of the workload as it is and with one user's requests changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from threading import Event
from typing import Any, NamedTuple

from schedlab.analysis.honesty.change import Row, measure_change
from schedlab.analysis.honesty.treatments import TREATMENTS
from schedlab.errors import ParameterError
from schedlab.platform import Platform
from schedlab.processors import usable_processors
from schedlab.sim import Schedule, simulate
from schedlab.workload import Workload

Progress = Callable[[int, int], None]


class Case(NamedTuple):
    """A policy, a treatment, and the user whose requests it changes."""

    policy: str
    treatment: str
    user: int


class _StoppedError(Exception):
    """A run stops early because the runs are no longer wanted."""


@dataclass(frozen=True)
class Replays:
    """Parallel runs of one workload; while the native simulator runs, other threads can work."""

    workload: Workload
    platform: Platform | int
    tick: int
    depth: int | None

    def run(
        self, cases: Sequence[Case], workers: int | None, progress: Progress | None
    ) -> list[Row]:
        """Return a row for each case. An exception, such as Ctrl-C, stops the runs under way."""
        if workers is not None and workers < 1:
            raise ParameterError(f"{workers} workers; must be >= 1")
        stop = Event()
        with ThreadPoolExecutor(workers or usable_processors()) as pool:
            policies = dict.fromkeys(case.policy for case in cases)
            # These are submitted first, so that they have begun when the first case waits for them.
            before = {
                name: pool.submit(self._simulate, name, self.workload, stop) for name in policies
            }
            rows = [pool.submit(self._change, case, before[case.policy], stop) for case in cases]
            try:
                _follow([*before.values(), *rows], progress)
            except BaseException:
                stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        return [row.result() for row in rows]

    def _change(self, case: Case, before: Future[Schedule], stop: Event) -> Row:
        treated = TREATMENTS[case.treatment].of(self.workload, case.user)
        after = self._simulate(case.policy, treated, stop)
        return measure_change(before.result(), after, case.treatment, case.user)

    def _simulate(self, policy: str, workload: Workload, stop: Event) -> Schedule:
        def go_on(done: int, total: int) -> None:
            if stop.is_set():
                raise _StoppedError

        return simulate(
            workload,
            self.platform,
            policy,
            tick=self.tick,
            depth=self.depth,
            kill_at_request=False,
            progress=go_on,
        )


def _follow(runs: Sequence[Future[Any]], progress: Progress | None) -> None:
    """Wait for all runs, or for the first that fails."""
    for done, run in enumerate(as_completed(runs), start=1):
        run.result()
        if progress is not None:
            progress(done, len(runs))
