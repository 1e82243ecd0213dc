"""Trials of settings: the site is replayed under some phases, and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schedlab.slurm.changes import changed_site
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.fidelity import Mask, ran_before
from schedlab.slurm.measures import Guard, Measure
from schedlab.slurm.replay import TwinReplay, phases_of, replay_all
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.tuning.knobs import Knob

Setting = Mapping[str, int]
"""Values of the parameters that differ from the present ones, by name."""
PENALTY = 10.0
"""A guard that is broken by 1 % weighs as much as a metric that is 10 % worse."""


@dataclass(frozen=True)
class SettingTrial:
    """A setting and its cost: the metric relative to the present, plus penalties of guards."""

    setting: Setting
    cost: float


class Trials:
    """Measurements of settings on a site; each setting is measured once.

    Args:
        site: a site with the jobs to learn from.
        knobs: the parameters, which say how values are written.
        metric: the metric to minimise.
        guards: the bounds that must be kept.
        phases: number of draws of the phases.
        seed: seed of the phases.
    """

    def __init__(
        self,
        site: SlurmSite,
        knobs: Sequence[Knob],
        metric: Measure,
        guards: Sequence[Guard],
        phases: int,
        seed: int,
    ) -> None:
        self.site, self.metric, self.guards = site, metric, tuple(guards)
        self._knobs = {each.name: each for each in knobs}
        self._phases, self._seed = phases, seed
        self._known: dict[tuple[tuple[str, int], ...], SettingTrial] = {}
        present = self.replays({})
        self._counted = always_started(site, present)
        self._present = [self._measured(each, present) for each in self._measures()]

    def __call__(self, setting: Setting) -> SettingTrial:
        """Measure the setting, unless it was measured before."""
        key = tuple(sorted(setting.items()))
        if key not in self._known:
            self._known[key] = SettingTrial(dict(setting), self._cost(setting))
        return self._known[key]

    def written(self, setting: Setting) -> dict[str, str]:
        """Return the values as slurm.conf has them, by name."""
        return {name: self._knobs[name].text(value) for name, value in setting.items()}

    def present(self, setting: Setting) -> dict[str, str]:
        """Return the present values of the parameters that the setting changes."""
        return {name: self._knobs[name].text(self._knobs[name].present) for name in setting}

    def changed(self, setting: Setting, site: SlurmSite | None = None) -> SlurmSite:
        """Return the site under the setting."""
        changes = [f"{name}={text}" for name, text in self.written(setting).items()]
        return changed_site(site or self.site, changes)

    def replays(self, setting: Setting) -> list[TwinReplay]:
        """Replay the site under the setting, with phases drawn for the periods of its loops."""
        changed = self.changed(setting)
        phases: list[Clocks] = phases_of(changed, self._phases, self._seed)
        return replay_all(changed, phases)

    def _measured(self, measure: Measure, replays: Sequence[TwinReplay]) -> float:
        return mean_of(self.site, measure, replays, self._counted)

    def _measures(self) -> list[Measure]:
        return [self.metric, *(each.measure for each in self.guards)]

    def _cost(self, setting: Setting) -> float:
        replays = self.replays(setting)
        values = [self._measured(each, replays) for each in self._measures()]
        return cost_of(self.guards, values, self._present)


def cost_of(guards: Sequence[Guard], values: Sequence[float], present: Sequence[float]) -> float:
    """Return the cost of values relative to the present ones.

    Both sequences have the value of the metric first, then that of each guard's measure.
    """
    cost = values[0] / present[0] if present[0] else values[0]
    for guard, value, before in zip(guards, values[1:], present[1:], strict=True):
        bound = guard.bound(before)
        cost += PENALTY * max(value / bound - 1, 0.0) if bound else PENALTY * value
    return float(min(cost, 1e9))


def always_started(site: SlurmSite, replays: Sequence[TwinReplay]) -> Mask:
    """Return the jobs that every replay starts.

    Other jobs ran before the history begins, or wait for something that no setting changes.
    """
    found: Mask = np.all([~np.isnan(each.start_s) for each in replays], axis=0)
    return found & ~ran_before(site)


def mean_of(
    site: SlurmSite, measure: Measure, replays: Sequence[TwinReplay], within: Mask
) -> float:
    """Return the mean of the measure over replays, for its jobs within the mask."""
    mask = measure.jobs(site) & within
    return float(np.mean([measure.of(measure.values(site, each)[mask]) for each in replays]))
