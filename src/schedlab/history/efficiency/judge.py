"""Judge how well a job used what it asked for."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.history.efficiency.advice import ADVICE, Change
from schedlab.history.efficiency.job import EndedJob
from schedlab.history.efficiency.uses import KINDS, UsedShare
from schedlab.history.efficiency_section import EfficiencySection, Level
from schedlab.history.schema.job import JobRecord
from schedlab.history.site import Site

_BY_URGENCY = ("gpu", "memory", "time", "cpu", "gpu_memory", "energy")
"""The kinds of use; advice is given on what is scarce first."""


@dataclass(frozen=True)
class Efficiency:
    """What a job used, and one sentence of advice if it wasted much."""

    uses: tuple[UsedShare, ...] = ()
    advice: str | None = None
    change: Change | None = None
    """What the advice says to ask for."""

    def use(self, kind: str) -> UsedShare | None:
        """Return the use of one kind, if it is known."""
        return next((each for each in self.uses if each.kind == kind), None)


def efficiency_of(record: JobRecord, site: Site | None) -> Efficiency:
    """Judge a job by the site's thresholds; the result is empty for a job that has not ended."""
    job = EndedJob.of(record, site)
    return Efficiency() if job is None else judged(job, site)


def judged(job: EndedJob, site: Site | None) -> Efficiency:
    """Judge a job that is known to have ended."""
    section = EfficiencySection() if site is None else site.efficiency
    looked = [(kind, label, look(job)) for kind, label, look in KINDS]
    known = [(kind, label, each) for kind, label, each in looked if each is not None]
    levels = section.levels({kind: share for kind, _, (share, _) in known}, job.run_s)
    found = tuple(UsedShare(kind, label, *each, levels[kind]) for kind, label, each in known)
    poor = {each.kind: each for each in found if _is_poor(job, each)}
    told = (ADVICE[kind](job, poor[kind]) for kind in _BY_URGENCY if kind in poor)
    advice, change = next((each for each in told if each), (None, None))
    return Efficiency(found, advice, change)


def _is_poor(job: EndedJob, use: UsedShare) -> bool:
    """Return whether the use is poor, or an idle GPU is hidden in the mean of several."""
    is_hidden = use.kind == "gpu" and use.level is not None and job.idle_gpus > 0
    return use.level is Level.POOR or is_hidden
