"""Forecasts of when waiting jobs of a Slurm site start: the twin continues from a moment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from schedlab.sim.forecast import StartForecast
from schedlab.sim.forecast.past_forecaster import PastForecaster, Places, Seconds
from schedlab.slurm.replay import history_of, phases_of
from schedlab.slurm.site import SlurmHistory, SlurmSite
from schedlab.slurm.twin_futures import TwinFutures
from schedlab.slurm.use import with_use_until
from schedlab.slurm.waiting import waiting_at

LOOKED_S = 5.0
"""After this time the main scheduler has run."""


def present_site(site: SlurmSite, at_s: float) -> tuple[SlurmSite, Places]:
    """Return the site as it was at a moment, and the places of its jobs in the history.

    Jobs that ran then run on their nodes, and jobs that waited wait; other jobs are unknown. Fair
    share has the use of users up to then. Commands given until then are kept.

    Args:
        site: a site with a history.
        at_s: the moment, on the clock of the history.
    """
    import polars as pl

    history = history_of(site)
    submit_s, start_s, end_s = (
        history.details[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        for name in ("submit_s", "start_s", "end_s")
    )
    there = (submit_s <= at_s) & ~(end_s <= at_s)
    runs = there & (start_s <= at_s)
    details = history.details.with_columns(
        ran_before=pl.Series(runs),
        start_s=pl.when(pl.Series(runs)).then(pl.col("start_s")),
        first_start_s=pl.when(pl.Series(runs)).then(pl.col("first_start_s")),
        end_s=pl.lit(None, dtype=pl.Float64),
        state=pl.lit("RUNNING"),
    ).filter(pl.Series(there))
    known = SlurmHistory(
        history.workload.take(there),
        details,
        tuple(each for each in history.commands if each.at_s <= at_s),
        None if history.clocks is None else history.clocks.since(at_s, site.parameters),
        begin_s=at_s,
    )
    return replace(with_use_until(site, at_s), history=known), np.flatnonzero(there)


class TwinForecaster(PastForecaster):
    """A forecaster of starts at moments of a site's history, one after the other.

    The phases of slurmctld's loops are drawn, too.

    Args:
        site: a site with a history.
        forks: number of futures to replay.
        seed: seed of the draws.
    """

    def __init__(self, site: SlurmSite, *, forks: int = 50, seed: int = 0) -> None:
        history = history_of(site)
        self._site = site
        start_s, end_s = (
            history.details[name].cast(float).fill_null(np.nan).to_numpy()
            for name in ("start_s", "end_s")
        )
        super().__init__(
            history.workload,
            history.details["submit_s"].to_numpy(),
            start_s,
            end_s,
            first_s=history.begin_s,
            forks=forks,
            seed=seed,
        )

    def names(self, made: StartForecast) -> list[str]:
        """Return Slurm's ids of the jobs of a forecast."""
        names = history_of(self._site).details["slurm_id"].to_list()
        return [names[job] for job in made.job]

    def reasons(self, made: StartForecast, after_s: float = LOOKED_S) -> list[str]:
        """Return why the jobs of a forecast wait, in the words of squeue.

        The reason is empty for jobs that slurmctld has started by then.

        Args:
            made: the forecast.
            after_s: time that slurmctld has to look at the jobs.
        """
        at_s = float(made.now_s)
        present, places = present_site(self._site, at_s)
        clocks = phases_of(present, 1)[0]
        waiting = waiting_at(present, clocks, [at_s + after_s])[at_s + after_s]
        known = {int(places[place]): reason for place, reason in waiting.items()}
        return [known.get(int(job), "") for job in made.job]

    def starts(self, running: Places, waiting: Places, at_s: float) -> Seconds:
        """Return when the waiting jobs start, a row for each future of the twin."""
        present, places = present_site(self._site, at_s)
        waits = np.isin(places, waiting)
        elapsed_s = np.where(waits, 0.0, at_s - np.nan_to_num(self._start_s[places], nan=at_s))
        runs = self._runs.distributions(places)
        futures = TwinFutures(present, runs, elapsed_s, self._forks, self._rng)
        return futures.starts()[:, waits]
