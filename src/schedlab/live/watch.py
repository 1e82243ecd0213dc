"""Follow a running scheduler: read it once a period, update the mirror, and forecast starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from schedlab.errors import PeerError
from schedlab.live.departure import WINDOW_S, MirrorDeparture, departure_of
from schedlab.live.forecaster import LiveForecaster
from schedlab.live.mirror import Mirror
from schedlab.live.peer import SchedulerReader
from schedlab.live.queue import LiveJob, LiveStage
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.twin_futures import TwinFutures

ASKED = 3
"""The number of looks within which accounting must report the end of a job."""
CLOCK_WENT_BACK = "the clock went back; the mirror begins again with this reading"


@dataclass(frozen=True)
class StartsTold:
    """The forecast of a waiting job, in epoch seconds."""

    job: str
    low: float
    likely: float
    high: float


@dataclass(frozen=True)
class Look:
    """What one period showed.

    Args:
        at: when the scheduler was read.
        counts: how many jobs wait, run, and are held.
        took_s: how long the scheduler took to answer.
        departure: how far the twin is from the scheduler.
        forecasts: the forecasts of the jobs that wait, in order of submission.
        notes: what is not as expected.
        present: the site from which the twin goes on; None without jobs.
        futures: the futures of this site, where forecasts were made.
    """

    at: float
    counts: dict[str, int]
    took_s: float
    departure: MirrorDeparture
    forecasts: tuple[StartsTold, ...] = ()
    notes: tuple[str, ...] = ()
    present: SlurmSite | None = field(default=None, repr=False)
    futures: TwinFutures | None = field(default=None, repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return the look as a JSON document, without the site and its futures."""
        return {
            "at": round(self.at, 3),
            **self.counts,
            "took_s": round(self.took_s, 3),
            "departure": self.departure.as_json(),
            "forecasts": [
                {
                    "job": each.job,
                    "low": round(each.low),
                    "likely": round(each.likely),
                    "high": round(each.high),
                }
                for each in self.forecasts
            ],
            "notes": list(self.notes),
        }


class LiveWatch:
    """Looks at a running scheduler, over and over.

    Args:
        site: the twin's model of the scheduler.
        reader: reads the running scheduler.
        forks: number of futures that a forecast replays; 0 for no forecasts.
        past: jobs that have ended, to learn run times from, beside those of the site's history.
        window_s: over how long the twin is compared with what happened.
        seed: seed of futures and phases.
    """

    def __init__(
        self,
        site: SlurmSite,
        reader: SchedulerReader,
        *,
        forks: int = 50,
        past: Iterable[LiveJob] = (),
        window_s: float = WINDOW_S,
        seed: int = 0,
    ) -> None:
        self._site, self._reader, self._window_s, self._seed = site, reader, window_s, seed
        self.mirror = Mirror(site)
        self.beat: Callable[[], object] = lambda: None
        """Called again and again while a look is computed."""
        self._forks = forks
        self._asked: dict[str, tuple[LiveJob, int]] = {}
        self.forecaster = LiveForecaster(site, forks=max(forks, 1), seed=seed)
        self.forecaster.run_times.learn(past)

    def look(self) -> Look:
        """Read the scheduler once, and forecast; PeerError if it does not answer."""
        reading = self._reader.read()
        notes = list(reading.notes)
        if self.mirror.moments and reading.at <= self.mirror.now:
            self.mirror, self._asked = Mirror(self._site), {}
            notes.append(CLOCK_WENT_BACK)
        gone = self.mirror.take(reading)
        notes += self._ask_how_they_ended(gone)
        if strange := self.mirror.unknown:
            name, why = next(iter(strange.items()))
            notes.append(
                f"{len(strange):,} jobs are left out, such as {name}: {why}; the site has changed: "
                "import it again, or start again"
            )
        self.forecaster.learn(self.mirror)
        departure = departure_of(
            self.mirror, window_s=self._window_s, seed=self._seed, tell=self.beat
        )
        made = Look(reading.at, reading.counts(), reading.took_s, departure, notes=tuple(notes))
        present = self.mirror.site()
        if present is None or not self._forks:
            return replace(made, present=present)
        futures = self.forecaster.futures(present)
        told = self._forecasts(present, futures)
        return replace(made, present=present, futures=futures, forecasts=told)

    def _ask_how_they_ended(self, gone: list[LiveJob]) -> list[str]:
        """Ask accounting how jobs ended; it may be late, so ask about unknown jobs again."""
        self._asked |= {job.id: (job, 0) for job in gone}
        if not self._asked:
            return []
        try:
            known = self._reader.ended(list(self._asked))
        except PeerError as error:
            number, self._asked = len(self._asked), {}
            return [f"{number:,} jobs are gone, and accounting does not say how: {error}"]
        for name in known.keys() & self._asked.keys():
            job, _ = self._asked.pop(name)
            now = self.mirror.jobs.get(name)
            if now is not None and now.stage is LiveStage.ENDED:  # else it waits again
                state, start, end = known[name]
                told = replace(job, stage=LiveStage.ENDED, state=state, start=start)
                self.mirror.end([replace(told, end=end or int(self.mirror.now))])
        lost = [name for name, (_, times) in self._asked.items() if times + 1 == ASKED]
        self._asked = {
            name: (job, times + 1) for name, (job, times) in self._asked.items() if name not in lost
        }
        return [f"{len(lost):,} jobs are gone, and accounting does not know them"] if lost else []

    def _forecasts(self, present: SlurmSite, futures: TwinFutures) -> tuple[StartsTold, ...]:
        made = self.forecaster.forecast(present, futures, self.beat)
        names = history_of(present).details["slurm_id"].to_list()
        epoch_s = self.mirror.epoch_s
        return tuple(
            StartsTold(names[job], epoch_s + low, epoch_s + likely, epoch_s + high)
            for job, (low, likely, high) in zip(
                made.job, made.quantiles([0.1, 0.5, 0.9]).tolist(), strict=True
            )
        )
