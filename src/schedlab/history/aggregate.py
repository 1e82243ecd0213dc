"""Compute the items of a job's record from timelines: aggregates, energy and peak power."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from schedlab.history.attribution import Occupancy, attribute, times_on
from schedlab.history.gather import ItemReading, Readings, device_name, with_devices
from schedlab.history.schema.job import Carbon, Energy, HostUse, JobRecord, StorageUse
from schedlab.history.schema.timeline import Provenance, Scope, Timeline, TimelineUri, WithTimelines
from schedlab.history.sensors.resample import coverage, integral, mean
from schedlab.history.sensors.series import Series, total
from schedlab.history.sensors.source import ItemSection, MeasuringPoint
from schedlab.history.site import Site

Part = TypeVar("Part", bound=WithTimelines)

JOULES_PER_KWH = 3.6e6
ALL_BUT_EDGES = 0.999
# An energy counter misses nothing; a power sensor shows the power only when it is read.
ENERGY_FROM = ("energy_joule", "power_watt")
POWER_FROM = ("power_watt", "energy_joule")


def measure(
    record: JobRecord, site: Site, readings: Readings, occupancy: Occupancy | None = None
) -> JobRecord:
    """Return the record with a timeline for each item, the job's energy and ``maxpower_watt``.

    Args:
        record: record of a job that has ended; any other comes back unchanged.
        site: site where the job ran.
        readings: what the site's sensors said, from ``gather``.
        occupancy: which jobs held the job's hosts, where nodes are shared.
    """
    if not readings or record.end_time is None:
        return record
    hosts = with_devices(record, site.cluster(record.cluster))
    job = _Measurement(record, site, readings, occupancy)
    changes: dict[str, Any] = {"per_host": [job.measured(host) for host in hosts]}
    return record.model_copy(update=changes | job.peak(len(hosts)) | job.energy(len(hosts)))


@dataclass
class _Measurement:
    """One job's timelines, host by host; ``series`` keeps the job's part of each."""

    record: JobRecord
    site: Site
    readings: Readings
    occupancy: Occupancy | None
    series: dict[str, dict[MeasuringPoint, Series]] = field(default_factory=dict)
    covered: dict[str, float] = field(default_factory=dict)

    def measured(self, host: HostUse) -> HostUse:
        """Return the host with its own timelines and those of its storage and accelerators."""
        parts: dict[str, dict[str, Timeline]] = {"": {}, "storage": {}}
        devices: list[dict[str, Timeline]] = [{} for _ in host.accelerator or ()]
        for item, reading in self.readings.items():
            part, _, name = item.rpartition(".")
            if part == "accelerator":
                for number, each in enumerate(devices):
                    each[name] = self._timeline(item, reading, host, number)
            else:
                parts[part][name] = self._timeline(item, reading, host)
        held = [_with(d, t) for d, t in zip(host.accelerator or (), devices, strict=True)]
        changes: dict[str, Any] = {"accelerator": held or host.accelerator}
        if parts["storage"]:
            changes["storage"] = _with(host.storage or StorageUse(), parts["storage"])
        return _with(host.model_copy(update=changes), parts[""])

    def peak(self, hosts: int) -> dict[str, Any]:
        """Return ``maxpower_watt``: the maximum over time of the sum over hosts."""
        item = next((each for each in POWER_FROM if self.series.get(each)), None)
        if item is None:
            return {}
        parts = list(self.series[item].values())
        seen = self.covered[item] / hosts
        hidden = any(each.peaks_hidden or each.maximum is not None for each in parts)
        provenance = Provenance(
            unit="W",
            coverage=seen,
            source=_sources(parts),
            max_is_lower_bound=hidden or seen < ALL_BUT_EDGES or None,
        )
        return {
            "maxpower_watt": float(total(parts)[1].max()),
            "maxpower_watt_provenance": provenance,
        }

    def energy(self, hosts: int) -> dict[str, Any]:
        """Return the job's energy in the time that was measured, and the carbon it stands for."""
        item = next((each for each in ENERGY_FROM if self.series.get(each)), None)
        if item is None:
            return {}
        parts = self.series[item].values()
        devices = self.series.get("accelerator.power_watt", {}).values()
        known: dict[str, Any] = {
            "total_joule": sum(map(_whole, parts)),
            "source": f"{item} of {_sources(parts)}",
            "coverage": self.covered[item] / hosts,
        }
        if devices:
            known["accelerator_joule"] = sum(map(_whole, devices))
        before = self.record.energy
        if before is not None and before.total_joule is not None and not _is_ours(before):
            known["accounted_joule"] = before.total_joule
        energy = (before or Energy()).model_copy(update=known)
        return {"energy": energy} | self._carbon(known["total_joule"])

    def _carbon(self, energy_j: float) -> dict[str, Any]:
        if self.site.carbon is None:
            return {}
        end = self.record.end_time
        known = self.site.carbon(0.0 if end is None else end.timestamp())
        factor, source = known.gram_per_kwh, known.source
        gram = factor * energy_j / JOULES_PER_KWH
        carbon = Carbon(emission_gram=gram, factor_gram_per_kwh=factor, source=source)
        return {"carbon": carbon}

    def _timeline(
        self, item: str, reading: ItemReading, host: HostUse, device: int | None = None
    ) -> Timeline:
        place = MeasuringPoint(host.node_id, None if device is None else str(device))
        found = reading.found.get(MeasuringPoint() if reading.scope == "site" else place)
        uri = self._uri(item, host, None if device is None else _name(host, device, reading))
        start_s, end_s = times_on(self.record, host)
        series = None if found is None else found.series.clipped(start_s, end_s)
        if found is None or series is None or not len(series):
            return Timeline(uri=uri, provenance=_absence(reading))
        part, attribution = attribute(
            series, found.section, self.record, host, self.site, self.occupancy
        )
        seen = coverage(found.series, start_s, end_s)
        self.series.setdefault(item, {})[place] = part
        self.covered[item] = self.covered.get(item, 0.0) + seen
        provenance = Provenance(
            unit=part.unit,
            native_step_s=part.native_step_s or None,
            coverage=seen,
            scope=cast(Scope, found.section.scope),
            attribution=attribution,
            source=part.source,
            max_is_lower_bound=part.peaks_hidden or None,
        )
        return _summary(uri, part, found.section, provenance)

    def _uri(self, item: str, host: HostUse, device: str | None) -> str:
        start = host.start_time or self.record.start_time
        end = host.end_time or self.record.end_time
        assert start is not None
        assert end is not None
        cluster = self.site.cluster(self.record.cluster).name
        parts = (cluster, self.record.jobid, host.node_id, item, start, end, device)
        return str(TimelineUri(*parts))


def _summary(uri: str, part: Series, section: ItemSection, provenance: Provenance) -> Timeline:
    start_s, end_s = float(part.start_s[0]), float(part.end_s[-1])
    has_integral = section.item.integral_unit is not None
    return Timeline(
        uri=uri,
        avg=mean(part, start_s, end_s),
        max=float(part.greatest.max()),
        min=float(part.least.min()),
        integral=integral(part, start_s, end_s) if has_integral else None,
        provenance=provenance,
    )


def _absence(reading: ItemReading) -> Provenance:
    said = "; ".join(reading.faults + reading.absences)
    reason = said or "the source has no samples of that time"
    return Provenance(absent_reason=reason)


def _with(part: Part, timelines: dict[str, Timeline]) -> Part:
    return part.model_copy(update={"timelines": part.timelines | timelines})


def _name(host: HostUse, number: int, reading: ItemReading) -> str:
    """Return the source's name of the device, so that the source can be asked again."""
    device = (host.accelerator or [])[number]
    return device_name(device, reading.device_by) or str(number)


def _is_ours(energy: Energy) -> bool:
    """Return whether this is our own measurement: energy from a scheduler has no coverage."""
    return "coverage" in (energy.model_extra or {})


def _whole(series: Series) -> float:
    return integral(series, float(series.start_s[0]), float(series.end_s[-1]))


def _sources(parts: Iterable[Series]) -> str:
    return ", ".join(sorted({each.source for each in parts}))
