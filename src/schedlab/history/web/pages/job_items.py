"""The timelines of a job: which items, on which hosts, and under which names."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from schedlab.errors import UnknownNameError
from schedlab.history.gather import with_devices
from schedlab.history.schema.job import HostUse, JobRecord
from schedlab.history.sensors.source import MeasuringPoint
from schedlab.history.site import Site
from schedlab.history.web.queries.job_series import places_of, read_window
from schedlab.history.web.queries.timelines import TimelinePart

FLOPS, MOVED = "flop_count", "memory_access_bytes"
"""The counters from which a roofline is made."""

_LABELS = {
    "used_cpu_percent": "CPU",
    "accelerator.utilization_percent": "GPU",
    "power_watt": "Power",
    "accelerator.power_watt": "GPU power",
    "used_mem_bytes": "Memory",
    "accelerator.usedmem_bytes": "GPU memory",
    "used_vmem_bytes": "Virtual memory",
    "frequency_hz": "Clock",
    "energy_joule": "Power, by energy counter",
    "communication_bytes": "Network",
    "io_bytes": "Input and output",
    "storage.access_bytes": "Storage traffic",
    "storage.utilization_bytes": "Storage use",
    "accelerator.temperature_celsius": "GPU temperature",
    FLOPS: "Floating point operations",
    MOVED: "Memory traffic",
}
_UNITS = {"B": ("GiB", 2.0**30), "B/s": ("GiB/s", 2.0**30), "Hz": ("GHz", 1e9)}
_OWN_UNITS = {FLOPS: ("Gflop/s", 1e9)}
_PLAIN = {"degC": "°C", "1": "", "1/s": "per second"}


@dataclass(frozen=True)
class MeasuredItem:
    """An item that the site measures.

    Args:
        name: its name in the record.
        unit: the unit in which the page shows it.
        divisor: the number by which values are divided to be in this unit.
    """

    name: str
    unit: str
    divisor: float

    @property
    def label(self) -> str:
        """Its name on the page."""
        return _LABELS.get(self.name) or self.name.replace(".", " ").replace("_", " ")


@dataclass(frozen=True)
class MeasuredJob:
    """A job whose hosts have sensors.

    Args:
        site: the site that has the sensors.
        record: the record of the job, as it is.
        hosts: its hosts, with the accelerators that it held.
        shown: the names of the hosts, as the viewer is shown them.
    """

    site: Site
    record: JobRecord
    hosts: Sequence[HostUse]
    shown: Sequence[str]

    @classmethod
    def of(cls, site: Site | None, record: JobRecord, shown: Sequence[str]) -> MeasuredJob | None:
        """Return the measured job; None if it has no hosts, or if there is no source to ask."""
        if site is None or record.start_time is None or not record.per_host:
            return None
        try:
            cluster = site.cluster(record.cluster)
        except UnknownNameError:
            return None
        return cls(site, record, with_devices(record, cluster), shown)

    @property
    def span_s(self) -> tuple[float, float]:
        """Its start and its end, or now if it still runs; they are at least a second apart."""
        start, end = self.record.start_time, self.record.end_time
        assert start is not None
        start_s = start.timestamp()
        return start_s, max(start_s + 1, end.timestamp() if end else time.time())

    def read(
        self, connection: Connection, item: MeasuredItem, from_s: float, to_s: float, **wanted: Any
    ) -> dict[MeasuringPoint, TimelinePart]:
        """Return the timelines of an item between two moments, where there are any.

        See ``TimelineRequest``.
        """
        window = {"from_s": from_s, "to_s": to_s, "now_s": time.time()}
        return read_window(
            connection, self.site, self.record, self.hosts, item.name, **window, **wanted
        )

    def items(self) -> list[MeasuredItem]:
        """Return the items that the site measures where the job ran, the best known first."""
        cluster = self.site.cluster(self.record.cluster).name
        found = [
            _item(name, sources[0].items[name].item.unit)
            for name, sources in self.site.sensor_items(cluster).items()
            if places_of(self.hosts, name)
        ]
        known = {name: place for place, name in enumerate(_LABELS)}
        return sorted(found, key=lambda each: (known.get(each.name, len(known)), each.name))

    def find(self, name: str) -> MeasuredItem | None:
        """Return the item of that name."""
        return next((item for item in self.items() if item.name == name), None)

    def names(self, item: MeasuredItem) -> list[str]:
        """Return the names of the lines of an item."""
        called = dict(zip((host.node_id for host in self.hosts), self.shown, strict=True))
        return [_called(place, called) for place in self.places(item)]

    def places(self, item: MeasuredItem) -> list[MeasuringPoint]:
        """Return where an item is measured."""
        return places_of(self.hosts, item.name)


def _called(place: MeasuringPoint, called: dict[str, str]) -> str:
    host = called[place.host or ""]
    return host if place.device is None else f"{host} gpu {place.device}"


def _item(name: str, unit: str) -> MeasuredItem:
    shown, divisor = _OWN_UNITS.get(name) or _UNITS.get(unit) or (_PLAIN.get(unit, unit), 1.0)
    return MeasuredItem(name, shown, divisor)
