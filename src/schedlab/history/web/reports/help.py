"""What would help: a few sentences, those that concern most node-hours first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schedlab.history.efficiency.advice import ADVICE
from schedlab.history.efficiency.job import EndedJob
from schedlab.history.efficiency.waste import WastedJob
from schedlab.history.efficiency_section import Level
from schedlab.history.site import Site
from schedlab.history.web.reports.use import Use

_TIGHT = 2.0
"""Requests of at least this multiple of the run time get a remark."""
_MOST = 3
_SAYS = {
    "gpu": "left GPUs idle: ask for fewer, or see whether data reach them fast enough",
    "memory": "asked for far more memory than was used: ask for less, and more fits on a node",
    "time": "asked for far more time than was needed: ask for less, and gaps are found sooner",
    "cpu": "kept few CPUs busy: ask for fewer",
    "energy": "drew little of the power of busy nodes: see whether fewer nodes do",
    "gpu_memory": "used little of the memory of GPUs: smaller ones would do",
}


@dataclass(frozen=True)
class Hint:
    """A sentence on what would help.

    Args:
        text: the sentence.
        node_hours: the node-hours of the jobs that it is about; None if it is about all jobs.
        jobs: the ids of some of them, the largest first.
        advice: what the largest of them should ask for.
    """

    text: str
    node_hours: float | None = None
    jobs: tuple[str, ...] = ()
    advice: str | None = None


def hints(use: Use, largest: Sequence[WastedJob], site: Site | None) -> Iterator[Hint]:
    """Yield what would help, from the jobs with most node-hours and from the requests of all."""
    poor: defaultdict[str, list[WastedJob]] = defaultdict(list)
    for job in largest:
        for each in job.efficiency.uses:
            if each.level is Level.POOR or (each.kind == "gpu" and each.level and job.idle_gpus):
                poor[each.kind].append(job)
    found = [_hint(kind, jobs, site) for kind, jobs in poor.items()]
    yield from sorted(found, key=lambda each: -(each.node_hours or 0.0))
    if use.asked_ratio is not None and use.asked_ratio >= _TIGHT:
        yield Hint(
            f"Together, jobs asked for {use.asked_ratio:.1f} times the time that they ran: "
            "tighter requests let the scheduler start jobs in gaps."
        )


def _hint(kind: str, jobs: Sequence[WastedJob], site: Site | None) -> Hint:
    by_size = sorted(jobs, key=lambda each: -each.waste.node_h)
    count = "One job" if len(jobs) == 1 else f"{len(jobs):,} jobs"
    hours = sum(each.waste.node_h for each in jobs)
    return Hint(
        f"{count} of {_hours(hours)} {_SAYS[kind]}.",
        hours,
        tuple(each.record.jobid for each in by_size[:_MOST]),
        next((told for each in by_size if (told := _advice(kind, each, site))), None),
    )


def _advice(kind: str, job: WastedJob, site: Site | None) -> str | None:
    ended, use = EndedJob.of(job.record, site), job.efficiency.use(kind)
    told = None if ended is None or use is None else ADVICE[kind](ended, use)
    return told and f"Job {job.record.jobid}: {told[0]}"


def _hours(hours: float) -> str:
    """Write a number of node-hours."""
    shown = f"{hours:,.0f}"
    return f"{shown} node-{'hour' if shown == '1' else 'hours'}"
