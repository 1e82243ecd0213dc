"""The facts of a job, in the order in which its page shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from schedlab.history.schema.job import JobRecord, JobState
from schedlab.history.site import Site
from schedlab.history.web.quantities import FILTERS, JOULE_PER_WATT_HOUR

_HOUR_S = 3_600


@dataclass(frozen=True)
class Fact:
    """A fact about a job.

    Args:
        label: what it is about.
        value: its value, as text.
        note: where it comes from, or what belongs to it.
    """

    label: str
    value: str
    note: str = ""


def facts(record: JobRecord, site: Site | None, zone: tzinfo) -> dict[str, list[Fact]]:
    """Return facts by heading; unrecorded facts are left out."""
    groups = {
        "Time": _times(record, zone),
        "Request": _request(record),
        "Energy": _energy(record, site),
        "Result": _result(record),
    }
    found = {name: list(each) for name, each in groups.items()}
    return {name: each for name, each in found.items() if each}


def run_s(record: JobRecord) -> float | None:
    """Return how long the job ran; None until it has ended."""
    return _between(record.start_time, record.end_time)


def wait_s(record: JobRecord) -> float | None:
    """Return how long the job waited; None until it has started."""
    return _between(record.queue_time, record.start_time)


def wra(record: JobRecord) -> float | None:
    """Return the run time over the request; None if one of them is unknown."""
    ran, asked = run_s(record), record.req_walltime_sec
    return ran / asked if ran is not None and asked else None


def gram_per_kwh(record: JobRecord, site: Site | None) -> tuple[float, str] | None:
    """Return a job's emission factor and its source, from the record or else from the site."""
    known = record.carbon
    if known is not None and known.factor_gram_per_kwh is not None:
        return known.factor_gram_per_kwh, known.source or "its record"
    if site is None or site.carbon is None:
        return None
    moment = record.end_time or datetime.now(UTC)
    factor = site.carbon(moment.timestamp())
    return factor.gram_per_kwh, factor.source


def _between(first: datetime | None, last: datetime | None) -> float | None:
    return None if first is None or last is None else (last - first).total_seconds()


def _times(record: JobRecord, zone: tzinfo) -> Iterator[Fact]:
    moments = (
        ("Submitted", record.queue_time, ""),
        ("Started", record.start_time, _after("waited", wait_s(record))),
        ("Ended", record.end_time, _after("ran", run_s(record))),
    )
    for label, moment, note in moments:
        if moment is not None:
            yield Fact(label, FILTERS["moment"](moment.timestamp(), zone), note)
    if record.state == JobState.RUNNING and record.start_time and record.req_walltime_sec:
        end_s = record.start_time.timestamp() + record.req_walltime_sec
        yield Fact("Ends", FILTERS["moment"](end_s, zone), "at the latest")


def _after(word: str, seconds: float | None) -> str:
    return "" if seconds is None else f"{word} {FILTERS['duration'](seconds)}"


def _request(record: JobRecord) -> Iterator[Fact]:
    asked = record.resource_req
    if record.req_walltime_sec is not None:
        share = wra(record)
        note = "" if share is None else f"used {FILTERS['percent'](share)} of it"
        yield Fact("Time limit", FILTERS["duration"](record.req_walltime_sec), note)
    ran = run_s(record)
    hours = "" if ran is None else f"{asked.num_host * ran / _HOUR_S:,.1f} node-hours"
    yield Fact("Nodes", f"{asked.num_host:,}", hours)
    if asked.num_cpu_perhost:
        yield Fact("CPUs of a node", f"{asked.num_cpu_perhost:,}")
    if asked.accelerator and asked.accelerator.num_perhost:
        yield Fact("GPUs of a node", f"{asked.accelerator.num_perhost:,}")
    if asked.mem_perhost_bytes:
        yield Fact("Memory of a node", FILTERS["bytes"](asked.mem_perhost_bytes))
    if record.exclusive is not None:
        yield Fact("Nodes to itself", "yes" if record.exclusive else "no")


def _energy(record: JobRecord, site: Site | None) -> Iterator[Fact]:
    energy = record.energy
    if energy is None or energy.total_joule is None:
        return
    coverage = (energy.model_extra or {}).get("coverage")
    seen = f", {FILTERS['percent'](coverage)} of the time seen" if coverage is not None else ""
    yield Fact("Energy", FILTERS["energy"](energy.total_joule), (energy.source or "") + seen)
    if energy.accelerator_joule is not None:
        share = energy.accelerator_joule / energy.total_joule if energy.total_joule else 0.0
        note = f"{FILTERS['percent'](share)} of it"
        yield Fact("by GPUs", FILTERS["energy"](energy.accelerator_joule), note)
    ran = run_s(record)
    if ran:
        peak = record.maxpower_watt
        note = "" if peak is None else f"at most {FILTERS['power'](peak)}"
        yield Fact("Mean power", FILTERS["power"](energy.total_joule / ran), note)
    factor = gram_per_kwh(record, site)
    if factor is not None:
        gram = factor[0] * energy.total_joule / JOULE_PER_WATT_HOUR / 1e3
        yield Fact("CO₂ equivalent", FILTERS["mass"](gram), f"{factor[0]:g} g/kWh: {factor[1]}")


def _result(record: JobRecord) -> Iterator[Fact]:
    if record.exit_status is not None:
        yield Fact("Exit status", str(record.exit_status))
    if record.exit_signal is not None:
        yield Fact("Signal", str(record.exit_signal))
    if record.usage and record.usage.cpu_sec is not None:
        yield Fact("CPU time", FILTERS["duration"](record.usage.cpu_sec))
    if record.usage and record.usage.maxrss_bytes is not None:
        yield Fact("Greatest memory", FILTERS["bytes"](record.usage.maxrss_bytes))
    for label, text in (
        ("Application", record.application),
        ("Kind", record.job_type),
        ("Quality of service", record.qos),
        ("Tags", ", ".join(record.tags or ())),
        ("Waits for", ", ".join(record.dependency or ())),
    ):
        if text:
            yield Fact(label, text)
