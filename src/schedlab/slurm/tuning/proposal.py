"""propose(): better settings found on the first half of a history, tested on the second."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError
from schedlab.evolve.record import read_record, write_record
from schedlab.slurm.fidelity import Mask
from schedlab.slurm.measures import Guard, Measure
from schedlab.slurm.periods import interval_of_change, part_of, periods_of
from schedlab.slurm.replay import history_of, phases_of, replay_sites
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.tuning.conf_diff import conf_diff
from schedlab.slurm.tuning.knobs import Knob
from schedlab.slurm.tuning.search import Search
from schedlab.slurm.tuning.trial import Setting, Trials, always_started, mean_of
from schedlab.slurm.waits import JobWaits
from schedlab.slurm.what_if import WhatIfRow, change, compare_replays, losers_of
from schedlab.units import require_whole
from schedlab.version import __version__

Progress = Callable[[int, int, str], None]
"""Called with the number of finished generations, the number of all, and a note of progress."""
TEST_SEED = 1_000
"""Added to the seed: the test draws other phases than the search."""


@dataclass(frozen=True)
class TuneSettings:
    """The size of a search.

    Args:
        generations: number of generations of CMA-ES.
        phases: number of draws of the phases under which each setting is replayed.
        worth: a change of a parameter must gain this share of the metric, or it is undone.
        seed: seed of candidates and phases.
    """

    generations: int = 15
    phases: int = 4
    worth: float = 0.005
    seed: int = 0

    def __post_init__(self) -> None:
        require_whole("generations", self.generations, 1, 10_000)
        require_whole("phases", self.phases, 1, 1000)
        require_whole("the seed", self.seed)


@dataclass(frozen=True)
class GuardResult:
    """A guard on the periods of the test: the value at present, as proposed, and the bound."""

    guard: str
    present: float
    proposed: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the proposal keeps the guard."""
        return self.proposed < self.bound


@dataclass(frozen=True)
class Proposal:
    """The result of a search, and of its test.

    Args:
        metric: the metric that the search minimised.
        changes: the proposed values by name, as slurm.conf has them; empty for no change.
        present: the present values of the same parameters.
        unit: unit of the periods: week, day or part.
        learned: how many periods the search saw.
        tested: how many periods the test saw.
        settings_tried: how many settings the search drew.
        gain_learned: the difference of the metric on the periods of the search, as a share.
        before: the metric on the periods of the test, at present.
        after: the same under the proposal.
        difference: the difference of the two, as a share.
        interval: its 95 % interval over the periods of the test; None for too few of them.
        guards: the guards on the periods of the test.
        rows: waits by partition, QOS, account and size, on the periods of the test.
        diff: the diff of slurm.conf.
        waits: waits of the jobs of the test.
    """

    metric: str
    changes: dict[str, str]
    present: dict[str, str]
    unit: str
    learned: int
    tested: int
    settings_tried: int
    gain_learned: float
    before: float
    after: float
    difference: float
    interval: tuple[float, float] | None
    guards: tuple[GuardResult, ...]
    rows: tuple[WhatIfRow, ...]
    diff: str
    waits: JobWaits

    @property
    def is_better(self) -> bool:
        """Whether the test shows a gain: the whole interval is below 0, and all guards hold."""
        shown = self.interval is not None and self.interval[1] < 0
        return bool(self.changes) and shown and all(each.holds for each in self.guards)

    @property
    def losers(self) -> list[str]:
        """Groups of jobs that would wait much longer, a sentence for each."""
        return losers_of(self.rows)

    @property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        if not self.changes:
            return "no change is better: the search found none that gains enough"
        broken = [each.guard for each in self.guards if not each.holds]
        if broken:
            return f"no change is proposed: in the test it breaks the guard {broken[0]}"
        gain = f"{self.metric} {self.difference:+.1%} in the test"
        if self.interval is None:
            return (
                f"no change is proposed: {gain}, where too few jobs waited to tell it from chance"
            )
        if not self.is_better:
            return f"no change is proposed: {gain}, which may be chance"
        return f"proposed: {gain}"

    def as_json(self) -> dict[str, Any]:
        """Return all figures except the waits of single jobs, for files."""
        told = {"verdict": self.verdict, "is_better": self.is_better}
        document = told | asdict(self) | {"rows": [row.as_json() for row in self.rows]}
        del document["waits"]
        return document


def propose(
    site: SlurmSite,
    knobs: Sequence[Knob],
    metric: Measure,
    guards: Sequence[Guard] = (),
    settings: TuneSettings | None = None,
    *,
    record: Path | None = None,
    progress: Progress | None = None,
) -> Proposal:
    """Search for better settings on the first half of the history, and test them on the rest.

    Args:
        site: a site with a history.
        knobs: the parameters that may change.
        metric: the metric to minimise.
        guards: bounds that the proposal must keep.
        settings: the size of the search.
        record: a file that keeps what was measured, so that an interrupted search goes on.
        progress: called after each generation.
    """
    settings = settings or TuneSettings()
    if not knobs:
        raise ParameterError("no parameter to search")
    periods = periods_of(site)
    half = len(periods) // 2
    first = periods.before(half)
    for each in (metric, *(guard.measure for guard in guards)):
        for mask, name in ((first, "first"), (~first, "second")):
            if not (each.jobs(site) & mask).any():
                raise InputError(
                    f'"{each}": no such job in the {name} half of the history; choose another group'
                )
    trials = Trials(part_of(site, first), knobs, metric, guards, settings.phases, settings.seed)
    search = Search(knobs, trials, settings.seed)
    start = search.best.cost
    for _ in _generations(search, settings, record, _determined_by(site, trials, knobs, settings)):
        if progress is not None:
            note = f"{metric} {search.best.cost / start - 1:+.1%}" if start else ""
            progress(len(search.generations), settings.generations, note)
    search.prune(settings.worth * start)
    setting = search.best.setting if search.best.cost < (1 - settings.worth) * start else {}
    learned = search.best.cost / start - 1 if start and setting else 0.0
    tried = len(search.generations) * search.population
    return _tested(site, trials, setting, settings, tried, learned)


def _generations(
    search: Search, settings: TuneSettings, record: Path | None, determined_by: dict[str, Any]
) -> Iterator[None]:
    """Run the generations of the search that are still to do, and yield after each."""
    if record is not None and record.exists():
        search.repeat(read_record(record, determined_by, search.population))
    while len(search.generations) < settings.generations:
        search.step()
        if record is not None:
            write_record(record, determined_by, search.generations)
        yield


def _determined_by(
    site: SlurmSite, trials: Trials, knobs: Sequence[Knob], settings: TuneSettings
) -> dict[str, Any]:
    """Return everything on which measured costs depend, as JSON has it."""
    history = history_of(site)
    digest = hashlib.sha256(repr((site.machine, site.parameters, site.accounts)).encode())
    digest.update(history.details.write_json().encode())
    document = {
        "site": digest.hexdigest()[:24],
        "knobs": [asdict(each) for each in knobs],
        "metric": str(trials.metric),
        "guards": [str(each) for each in trials.guards],
        "phases": settings.phases,
        "seed": settings.seed,
        "versions": {"schedlab": __version__, "cma": version("cma")},
    }
    as_json: dict[str, Any] = json.loads(json.dumps(document))
    return as_json


def _tested(
    site: SlurmSite,
    trials: Trials,
    setting: Setting,
    settings: TuneSettings,
    tried: int,
    learned: float,
) -> Proposal:
    """Test the setting: replay the whole history under phases that the search did not see."""
    seed = settings.seed + TEST_SEED
    changed = trials.changed(setting, site)
    before, after = replay_sites(
        [(each, phases_of(each, settings.phases, seed)) for each in (site, changed)]
    )
    periods = periods_of(site)
    half = len(periods) // 2
    later = ~periods.before(half) & always_started(site, before)
    metric = trials.metric

    def measured(mask: Mask) -> tuple[float, float]:
        return mean_of(site, metric, before, mask), mean_of(site, metric, after, mask)

    guards = []
    for guard in trials.guards:
        values = [mean_of(site, guard.measure, each, later) for each in (before, after)]
        guards.append(GuardResult(str(guard), values[0], values[1], guard.bound(values[0])))
    present, proposed = measured(later)
    written = trials.written(setting)
    compared = compare_replays(site, before, after, later)
    return Proposal(
        str(metric),
        written,
        trials.present(setting),
        periods.unit,
        half,
        len(periods) - half,
        tried,
        learned,
        present,
        proposed,
        change(present, proposed),
        interval_of_change(periods, later & metric.jobs(site), measured),
        tuple(guards),
        compared.rows,
        conf_diff(site.conf, written),
        compared.waits,
    )
