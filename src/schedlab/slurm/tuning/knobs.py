"""Parameters that a search may change, each on a scale from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import Any

from schedlab.errors import ParameterError
from schedlab.slurm.changes import parameter_named
from schedlab.slurm.dump.values import KINDS
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.written import written

HOUR, DAY = 3600, 86400
RANGES: dict[str, tuple[int, int]] = {
    "SchedulerParameters.bf_interval": (10, 300),
    "SchedulerParameters.bf_max_job_test": (50, 2000),
    "SchedulerParameters.bf_resolution": (10, 600),
    "SchedulerParameters.default_queue_depth": (20, 1000),
    "SchedulerParameters.sched_interval": (10, 300),
    "PriorityMaxAge": (HOUR, 30 * DAY),
    "PriorityDecayHalfLife": (6 * HOUR, 60 * DAY),
}
"""The ranges searched by default; they are extended to the present value. The twin does not know
what slurmctld's work costs, so settings that would make slurmctld busy are left out."""
WEIGHTS = ("Age", "Fairshare", "JobSize", "Partition", "QOS")
FLAG = "PriorityFavorSmall"
LEAST_WEIGHT = 10_000
"""Weights are searched up to ten times the largest one, and at least up to this."""
_NUMBERS = ("count", "seconds", "time", "plain minutes")
_UNITS = {"plain minutes": 60}


@dataclass(frozen=True)
class Knob:
    """One parameter of a search.

    Args:
        name: the name that ``--set`` takes.
        kind: how slurm.conf writes the value; a key of ``values.KINDS``.
        low: the least value; 0 for NO.
        high: the greatest value; 1 for YES.
        present: the present value of the site.
    """

    name: str
    kind: str
    low: int
    high: int
    present: int

    @property
    def is_flag(self) -> bool:
        """Whether the value is YES or NO."""
        return self.kind == "yes"

    def value(self, place: float) -> int:
        """Return the value at a place of the logarithmic scale, rounded to two digits."""
        place = min(max(place, 0.0), 1.0)
        if self.is_flag:
            return int(place > 0.5)
        found = (self.low + 1) * ((self.high + 1) / (self.low + 1)) ** place - 1
        rounded = round(float(f"{found:.2g}"))
        unit = _UNITS.get(self.kind, 1)
        return min(max(rounded // unit * unit, self.low), self.high)

    def place(self, value: int) -> float:
        """Return the place of a value on the scale."""
        if self.is_flag:
            return 0.75 if value else 0.25
        return log((value + 1) / (self.low + 1)) / log((self.high + 1) / (self.low + 1))

    def text(self, value: int) -> str:
        """Return the value as slurm.conf has it."""
        return written(self.kind, value)


def knobs_of(site: SlurmSite, wanted: Iterable[str] = ()) -> list[Knob]:
    """Return the knobs of a site.

    Args:
        site: the site whose present values count.
        wanted: names such as ``PriorityWeightAge`` or ``bf_interval``, each with its range if it is
            not the usual one: ``bf_interval=10:120``. Default: all that can matter at this site.
    """
    ranges = _usual(site)
    texts = list(wanted)
    if not texts:
        return [_knob(site, name, *ranges[name]) for name in ranges]
    found = {each.name: each for each in (_parsed(site, text, ranges) for text in texts)}
    return list(found.values())


def _usual(site: SlurmSite) -> dict[str, tuple[int, int]]:
    own, history = site.parameters, history_of(site)
    ranges = {name: ends for name, ends in RANGES.items() if not name.startswith("Priority")}
    if own.scheduler.type != "sched/backfill":
        ranges = {name: ends for name, ends in ranges.items() if ".bf_" not in name}
    if own.priority.type != "priority/multifactor":
        return ranges
    matters = {
        "Age": True,
        "Fairshare": bool(site.accounts.associations),
        "JobSize": len(set(history.workload["nodes"].tolist())) > 1 or site.machine.nodes > 1,
        "Partition": len({each.priority_job_factor for each in site.partitions}) > 1,
        "QOS": len({each.priority for each in site.accounts.qos}) > 1,
    }
    weights = [parameter_named(f"PriorityWeight{each}")[2].name for each in WEIGHTS]
    largest = max(getattr(own.priority, name) for name in weights)
    ends = (0, max(10 * largest, LEAST_WEIGHT))
    ranges |= {f"PriorityWeight{each}": ends for each in WEIGHTS if matters[each]}
    ranges["PriorityMaxAge"] = RANGES["PriorityMaxAge"]
    if matters["Fairshare"]:
        ranges["PriorityDecayHalfLife"] = RANGES["PriorityDecayHalfLife"]
    if matters["JobSize"]:
        ranges[FLAG] = (0, 1)
    return ranges


def _parsed(site: SlurmSite, text: str, usual: dict[str, tuple[int, int]]) -> Knob:
    name, equals, ends = text.partition("=")
    found, _, field = parameter_named(name)
    kind = field.metadata["kind"]
    if kind not in (*_NUMBERS, "yes"):
        raise ParameterError(f"{found} is not a number, and cannot be searched")
    if not equals:
        ends_of = {**RANGES, **usual, **({found: (0, 1)} if kind == "yes" else {})}
        if found not in ends_of:
            raise ParameterError(f"{found} has no usual range; write {found}=LOW:HIGH")
        return _knob(site, found, *ends_of[found])
    low, colon, high = ends.partition(":")
    if not colon:
        raise ParameterError(f'"{text}" has no range; write {found}=LOW:HIGH')
    try:
        least, most = KINDS[kind](low), KINDS[kind](high)
    except ParameterError as error:
        raise ParameterError(f"{found} {error}") from None
    if least >= most:
        raise ParameterError(f'"{text}": the range ends at {high}, not above {low}')
    return _knob(site, found, least, most)


def _knob(site: SlurmSite, name: str, low: int, high: int) -> Knob:
    _, section, field = parameter_named(name)
    present: Any = getattr(getattr(site.parameters, section), field.name)
    value = int(present or 0)
    return Knob(name, field.metadata["kind"], min(low, value), max(high, value), value)
