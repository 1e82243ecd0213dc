"""What Zabbix keeps: each value for some days, and hourly trends for years."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from schedlab.errors import NoSamplesError, SensorError
from schedlab.history.sensors.series import Series, joined
from schedlab.history.sensors.source import (
    ItemSection,
    MeasuringPoint,
    SensorRequest,
    SensorSource,
    SourceSection,
)

HOUR_S = 3600.0
# Zabbix's codes of numeric types; the other types, texts and logs, have no means.
NUMERIC = {0: "history", 3: "history_uint"}


@dataclass(frozen=True, kw_only=True)
class ZabbixItem(ItemSection):
    """The Zabbix item that measures an item.

    Args:
        key: its key, with ``{host}``, ``{device}`` and ``{jobid}``.
        host: the name of the host in Zabbix; that of a facility for items of the whole site.
    """

    key: str
    host: str = "{host}"


class Sensor(NamedTuple):
    """An item as Zabbix knows it."""

    itemid: int
    host: str
    key: str
    value_type: int


class ZabbixValue(NamedTuple):
    """One value; ``ns`` is the part of the second in nanoseconds."""

    itemid: int
    clock: int
    ns: int
    value: float


class Trend(NamedTuple):
    """What Zabbix keeps of an hour."""

    itemid: int
    clock: int
    least: float
    mean: float
    greatest: float


S = TypeVar("S", bound=SourceSection)


class ZabbixSource(SensorSource[S, ZabbixItem]):
    """Joins the values with the trends from before the first value."""

    item_section = ZabbixItem

    def fetch(self, item: ZabbixItem, request: SensorRequest) -> dict[MeasuringPoint, Series]:
        """Return the values of every place, and trends where values no longer reach back."""
        names = {
            (place.filled(item.host, request.jobid), place.filled(item.key, request.jobid)): place
            for place in request.places(item)
        }
        if not names:
            return {}
        hosts, keys = ({name[part] for name in names} for part in (0, 1))
        known = [each for each in self.sensors(hosts, keys) if (each.host, each.key) in names]
        if not known:
            key = sorted(keys)[0]
            raise NoSamplesError(f'{self.name}: none of these hosts has an item of key "{key}"')
        found = {}
        for value_type in sorted({each.value_type for each in known}):
            if value_type not in NUMERIC:
                raise SensorError(f'{self.name}: the item "{known[0].key}" holds no numbers')
            alike = {e.itemid: e for e in known if e.value_type == value_type}
            for itemid, series in self._joined(item, alike, value_type, request).items():
                found[names[alike[itemid].host, alike[itemid].key]] = series
        return found

    @abstractmethod
    def sensors(self, hosts: Collection[str], keys: Collection[str]) -> list[Sensor]:
        """Return the items of these hosts with these keys."""

    @abstractmethod
    def values(
        self, itemids: Collection[int], value_type: int, start_s: int, end_s: int
    ) -> Iterable[ZabbixValue]:
        """Return values of the items between two moments, both included."""

    @abstractmethod
    def trends(
        self, itemids: Collection[int], value_type: int, start_s: int, end_s: int
    ) -> Iterable[Trend]:
        """Return trends of the hours that begin between two moments, both included."""

    def _joined(
        self, item: ZabbixItem, known: Collection[int], value_type: int, request: SensorRequest
    ) -> dict[int, Series]:
        start_s, end_s = int(request.start_s), int(np.ceil(request.end_s))
        parts = self._of_values(item, self.values(known, value_type, start_s, end_s))
        begins_s = {
            itemid: parts[itemid].start_s[0] if itemid in parts else request.end_s
            for itemid in known
        }
        # The first value may lie a step after the start although nothing is missing.
        late = [itemid for itemid, first_s in begins_s.items() if first_s > start_s + HOUR_S / 2]
        if item.kind == "counter" or not late:
            return parts
        hour_s = start_s - start_s % int(HOUR_S)
        older = self._of_trends(item, self.trends(late, value_type, hour_s, end_s))
        for itemid, series in older.items():
            before = series.clipped(request.start_s, begins_s[itemid])
            both = [each for each in (before, parts.get(itemid)) if each is not None and len(each)]
            if both:
                parts[itemid] = joined(both)
        return parts

    def _of_values(self, item: ZabbixItem, values: Iterable[ZabbixValue]) -> dict[int, Series]:
        columns: dict[int, tuple[list[float], list[float]]] = {}
        for itemid, clock, ns, value in values:
            times, numbers = columns.setdefault(itemid, ([], []))
            times.append(clock + ns * 1e-9)
            numbers.append(float(value))
        series = {k: item.series(t, v, self.name) for k, (t, v) in columns.items()}
        return {itemid: each for itemid, each in series.items() if len(each)}

    def _of_trends(self, item: ZabbixItem, trends: Iterable[Trend]) -> dict[int, Series]:
        rows: dict[int, list[Trend]] = {}
        for trend in trends:
            rows.setdefault(trend.itemid, []).append(trend)
        return {
            itemid: Series.of_intervals(
                [each.clock for each in hours],
                [each.clock + HOUR_S for each in hours],
                [float(each.mean) for each in hours],
                minimum=[float(each.least) for each in hours],
                maximum=[float(each.greatest) for each in hours],
                native_step_s=HOUR_S,
                unit=item.unit,
                source=self.name,
            )
            for itemid, hours in rows.items()
        }
