"""What a site wants of its scheduler, in words: ``p95 wait of qos=debug < 10 min``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.slurm.fidelity import Mask
from schedlab.slurm.replay import Times, TwinReplay, history_of
from schedlab.slurm.site import SlurmSite
from schedlab.units import parse_duration

Values = NDArray[np.float64]

STATISTICS: dict[str, Callable[[Values], float]] = {
    "mean": lambda values: float(values.mean()),
    "median": lambda values: float(np.median(values)),
    "p90": lambda values: float(np.percentile(values, 90)),
    "p95": lambda values: float(np.percentile(values, 95)),
    "p99": lambda values: float(np.percentile(values, 99)),
    "max": lambda values: float(values.max()),
}
QUANTITIES = ("wait", "slowdown")
KEYS = ("partition", "qos", "account", "user")
SHORT_S = 10.0
"""Jobs that run for less count as this long in the bounded slowdown (Feitelson et al., 1997)."""
_MEASURE = re.compile(r"(\w+)[ _-](\w+)(?:\s+of\s+(\w+)\s*=\s*(\S+))?")
_GUARD = re.compile(r"(.+?)\s*<=?\s*(\S.*)")


@dataclass(frozen=True)
class Measure:
    """A statistic of the jobs of a group.

    Args:
        statistic: a key of ``STATISTICS``.
        quantity: wait in seconds, or bounded slowdown.
        key: partition, qos, account or user; empty for all jobs.
        group: the name of the partition, QOS, account or user.
    """

    statistic: str = "mean"
    quantity: str = "wait"
    key: str = ""
    group: str = ""

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read ``mean wait``, ``p95 slowdown`` or ``p99 wait of partition=gpu``."""
        match = _MEASURE.fullmatch(text.strip().lower())
        if match is None:
            raise ParameterError(
                f'"{text}" is not a measure; write for example mean wait, or p95 wait of qos=debug'
            )
        statistic, quantity, key = match[1], match[2], match[3] or ""
        for what, word, known in (
            ("statistic", statistic, tuple(STATISTICS)),
            ("quantity", quantity, QUANTITIES),
            ("group", key, ("", *KEYS)),
        ):
            if word not in known:
                named = ", ".join(each for each in known if each)
                raise ParameterError(f'"{text}": no {what} "{word}"; known: {named}')
        written = text.strip()[match.start(4) :] if match[4] else ""  # names keep their case
        return cls(statistic, quantity, key, written)

    def __str__(self) -> str:
        of = f" of {self.key}={self.group}" if self.key else ""
        return f"{self.statistic} {self.quantity}{of}"

    def told(self, value: float) -> str:
        """Return a value with its unit."""
        return f"{value:,.0f} s" if self.quantity == "wait" else f"{value:,.2f}"

    def jobs(self, site: SlurmSite) -> Mask:
        """Return the jobs of the group; raise ParameterError if the history has none."""
        workload = history_of(site).workload
        if not self.key:
            return np.ones(len(workload), bool)
        labels = workload.labels.get(self.key, ())
        if self.group not in labels:
            some = ", ".join(labels[:8]) or "none"
            raise ParameterError(
                f'"{self}": the history has no jobs of {self.key} "{self.group}"; it has {some}'
            )
        found: Mask = workload[self.key] == labels.index(self.group)
        return found

    def values(self, site: SlurmSite, replay: TwinReplay) -> Values:
        """Return the quantity of every job; inf for jobs that never start."""
        submit_s: Times = history_of(site).details["submit_s"].to_numpy()
        wait_s = np.where(np.isnan(replay.start_s), np.inf, replay.start_s - submit_s)
        if self.quantity == "wait":
            return wait_s
        run_s = np.nan_to_num(replay.end_s - replay.last_start_s)
        return np.maximum((wait_s + run_s) / np.maximum(run_s, SHORT_S), 1.0)

    def of(self, values: Values) -> float:
        """Return the statistic of these values; 0 for no jobs."""
        return STATISTICS[self.statistic](values) if len(values) else 0.0


@dataclass(frozen=True)
class Guard:
    """A bound that no proposal may break.

    Args:
        measure: the measure that is bounded.
        most: the bound, in the measure's unit, or as a share of the present value.
        is_share: whether the bound is a share.
    """

    measure: Measure
    most: float
    is_share: bool = False

    @classmethod
    def parse(cls, text: str) -> Guard:
        """Read ``p95 wait of qos=debug < 10 min``, or ``... < 110 %`` of the present value."""
        match = _GUARD.fullmatch(text.strip())
        if match is None:
            raise ParameterError(
                f'"{text}" is not a guard; write for example p95 wait of qos=debug < 10 min, or '
                "... < 110 % of the present value"
            )
        measure, bound = Measure.parse(match[1]), match[2].replace(" ", "")
        if bound.endswith("%"):
            return cls(measure, _number(text, bound[:-1]) / 100, is_share=True)
        if measure.quantity == "wait":
            try:
                return cls(measure, float(parse_duration(bound)))
            except ParameterError as error:
                raise ParameterError(f'"{text}": {error}') from None
        return cls(measure, _number(text, bound))

    def __str__(self) -> str:
        bound = f"{self.most:.0%} of now" if self.is_share else self.measure.told(self.most)
        return f"{self.measure} < {bound}"

    def bound(self, present: float) -> float:
        """Return the bound in the measure's unit."""
        return self.most * present if self.is_share else self.most


def _number(text: str, bound: str) -> float:
    try:
        found = float(bound)
    except ValueError:
        found = -1.0
    if not 0 < found < 1e12:
        raise ParameterError(f'"{text}": the bound is "{bound}"; must be a number above 0')
    return found
