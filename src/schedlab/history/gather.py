"""Read a job's timelines from the sources of its site."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from schedlab.errors import NoSamplesError, SensorError
from schedlab.history.attribution import times_on
from schedlab.history.schema.job import AcceleratorUse, HostUse, JobRecord
from schedlab.history.sensors.series import Series
from schedlab.history.sensors.source import (
    AnySensorSource,
    ItemSection,
    MeasuringPoint,
    SensorRequest,
)
from schedlab.history.site import Site
from schedlab.platform import Cluster


@dataclass(frozen=True)
class Measured:
    """A timeline, and the section of the site file that describes how it is measured."""

    series: Series
    section: ItemSection


@dataclass
class ItemReading:
    """What was found for one item.

    Args:
        found: timelines by place.
        faults: errors of sources that failed, unless other sources had the data.
        absences: messages of sources that work and have no data.
        scope: scope of the item in the source that was asked last.
        device_by: how that source names devices.
    """

    found: dict[MeasuringPoint, Measured] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    absences: list[str] = field(default_factory=list)
    scope: str = "node"
    device_by: str = "index"


Readings = dict[str, ItemReading]


def gather(record: JobRecord, site: Site) -> Readings:
    """Return every item that the site measures on the job's hosts, at native resolution.

    The sources of an item are asked in turn, each for the places without data so far. If a source
    fails, only its items are missing.
    """
    if record.end_time is None or not record.per_host:
        return {}
    cluster = site.cluster(record.cluster)
    hosts = with_devices(record, cluster)
    starts, ends = zip(*(times_on(record, host) for host in hosts), strict=True)
    times = SensorRequest({}, min(starts), max(ends), record.jobid, cluster.name)
    return {
        item: read_item(item, sources, times, hosts)
        for item, sources in site.sensor_items(cluster.name).items()
    }


def read_item(
    item: str, sources: Iterable[AnySensorSource], times: SensorRequest, hosts: Sequence[HostUse]
) -> ItemReading:
    """Return what the sources know of one item on these hosts, in the times of the request."""
    reading = ItemReading()
    for source in sources:
        section = source.items[item]
        reading.scope, reading.device_by = section.scope, section.device_by
        names = _names(section, hosts)
        missing = [theirs for theirs, ours in names.items() if ours not in reading.found]
        if not missing:
            break
        try:
            found = source.read(item, replace(times, hosts=_by_host(missing)))
        except NoSamplesError as error:
            reading.absences.append(str(error))
        except SensorError as error:
            reading.faults.append(str(error))
        else:
            ours = {names[theirs]: series for theirs, series in found.items()}
            reading.found |= {place: Measured(each, section) for place, each in ours.items()}
            if len(found) == len(missing):
                reading.faults.clear()
    return reading


def with_devices(record: JobRecord, cluster: Cluster) -> list[HostUse]:
    """Return the job's hosts with the accelerators it held, if record or site file say so."""
    return [_with_devices(record, host, cluster) for host in record.per_host or ()]


def _with_devices(record: JobRecord, host: HostUse, cluster: Cluster) -> HostUse:
    node = cluster.by_host.get(host.node_id)
    if host.accelerator or node is None or not node.gpu_count:
        return host
    asked = record.resource_req.accelerator
    if record.exclusive or (asked is not None and asked.num_perhost == node.gpu_count):
        held = [
            AcceleratorUse(index=number, type=kind) for number, kind in enumerate(node.gpu_types())
        ]
        return host.model_copy(update={"accelerator": held})
    return host


def _names(section: ItemSection, hosts: Iterable[HostUse]) -> dict[MeasuringPoint, MeasuringPoint]:
    """Map the source's name of each place to ours, where a device is its number in the record."""
    if section.scope == "site":
        return {MeasuringPoint(): MeasuringPoint()}
    if section.scope != "device":
        return {MeasuringPoint(host.node_id): MeasuringPoint(host.node_id) for host in hosts}
    return {
        MeasuringPoint(host.node_id, name): MeasuringPoint(host.node_id, str(number))
        for host in hosts
        for number, device in enumerate(host.accelerator or ())
        if (name := device_name(device, section.device_by)) is not None
    }


def device_name(device: AcceleratorUse, by: str) -> str | None:
    """Return the device's name in a source that names devices by ``index`` or ``uuid``.

    None if unknown.
    """
    if by == "uuid":
        return device.uuid
    return None if device.index is None else str(device.index)


def _by_host(places: Iterable[MeasuringPoint]) -> dict[str, tuple[str, ...]]:
    hosts: dict[str, tuple[str, ...]] = {}
    for host, device in places:
        if host is not None:
            hosts[host] = hosts.get(host, ()) + (() if device is None else (device,))
    return hosts
