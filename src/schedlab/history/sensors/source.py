"""The contract of a sensor source: timelines of an item, by host and device."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from numpy.typing import ArrayLike

from schedlab.errors import (
    InputError,
    NoSamplesError,
    ParameterError,
    SensorError,
    UnknownNameError,
)
from schedlab.history.sensors.items import PER_SECOND, SensorItem, describe, find_unit
from schedlab.history.sensors.series import Series
from schedlab.sections import build, build_each

KINDS = ("gauge", "counter")
SCOPES = ("job", "device", "node", "site")
SHARES = ("cpu", "gpu", "mem", "none")
DEVICES_BY = ("index", "uuid")
_CHOICES = {"kind": KINDS, "scope": SCOPES, "share": SHARES, "device_by": DEVICES_BY}
# Samples this far around the window are read too, to have the one that holds at its start.
USUAL_MARGIN_S = 900.0


class MeasuringPoint(NamedTuple):
    """Where a timeline was measured; host and device are None for the whole site."""

    host: str | None = None
    device: str | None = None

    def __str__(self) -> str:
        return " ".join(each for each in self if each) or "the site"

    def filled(self, template: str, jobid: str | None = None) -> str:
        """Return the text of a site file with ``{host}``, ``{device}`` and ``{jobid}`` replaced."""
        values = {"host": self.host, "device": self.device, "jobid": jobid}
        for name, value in values.items():
            template = template.replace(f"{{{name}}}", value or "")
        return template


@dataclass(frozen=True)
class SensorRequest:
    """The timelines of one item that are wanted.

    Args:
        hosts: the hosts, each with its devices that are wanted.
        start_s: beginning of the time wanted, in seconds of the epoch.
        end_s: end of the time wanted.
        jobid: the job, for sensors that measure jobs.
        cluster: cluster of the hosts, as two clusters may have hosts of the same name.
    """

    hosts: Mapping[str, tuple[str, ...]]
    start_s: float
    end_s: float
    jobid: str | None = None
    cluster: str | None = None

    def places(self, item: ItemSection) -> list[MeasuringPoint]:
        """Return every place that can have a timeline of the item."""
        if item.scope == "site":
            return [MeasuringPoint()]
        if item.scope == "device":
            return [MeasuringPoint(host, each) for host, ids in self.hosts.items() for each in ids]
        return [MeasuringPoint(host) for host in self.hosts]


@dataclass(frozen=True, kw_only=True)
class ItemSection:
    """``[[sensor_source.item]]``: how a source measures one item.

    Args:
        name: name of the item, which ends in its unit: ``power_watt``.
        unit: unit in which the source counts.
        kind: ``gauge``, or ``counter`` for one that only rises.
        scope: ``node``, ``job`` or ``site``; items of accelerators are of a ``device``.
        share: resource by which a job's part of a shared node is found, if not as in ``[sharing]``.
        device_by: whether the source names devices by their ``index`` or their ``uuid``.
        stale_s: how long a sample holds if no other follows.
    """

    name: str
    unit: str
    kind: str = "gauge"
    scope: str = "node"
    share: str | None = None
    device_by: str = "index"
    stale_s: float | None = None

    def __post_init__(self) -> None:
        for key, allowed in _CHOICES.items():
            if (value := getattr(self, key)) is not None and value not in allowed:
                raise UnknownNameError(key, value, allowed)
        if self.stale_s is not None and self.stale_s <= 0:
            raise ParameterError(f"stale_s is {self.stale_s:g}; must be above 0")
        self._check_scope()
        given = self._given_base()
        if given != self.item.unit:
            raise ParameterError(
                f'a {self.kind} in {self.unit} cannot be turned into "{self.name}", '
                f"which is counted in {self.item.unit}"
            )

    def _check_scope(self) -> None:
        if self.item.of_device:
            object.__setattr__(self, "scope", "device")
        elif self.scope == "device":
            raise ParameterError(f'"{self.name}" is of no device; say accelerator.{self.name}')
        elif self.scope == "site" and self.name in ("power_watt", "energy_joule"):
            raise ParameterError(
                f'the whole site\'s power is not "{self.name}" of a node; rename it'
            )

    @property
    def item(self) -> SensorItem:
        """The item as the schema describes it."""
        return describe(self.name, self._given_base())

    @property
    def margin_s(self) -> float:
        """How long before and after a window a sample may lie and still matter for it."""
        return self.stale_s or USUAL_MARGIN_S

    def series(self, time_s: ArrayLike, value: ArrayLike, source: str) -> Series:
        """Return the timeline of samples, or of the readings of a counter."""
        if self.kind == "counter":
            return Series.of_counter(time_s, value, unit=self.unit, source=source)
        return Series.of_samples(time_s, value, stale_s=self.stale_s, unit=self.unit, source=source)

    def in_base_unit(self, series: Series) -> Series:
        """Return the series in the unit of the schema."""
        unit = find_unit(self.unit)
        if self.kind == "counter":
            to_base = 100.0 if unit.base == "s" else 1.0
            return series.scaled(unit.factor * to_base, self.item.unit)
        return series.scaled(unit.factor, self.item.unit, offset=unit.offset)

    def _given_base(self) -> str:
        base = find_unit(self.unit).base
        return PER_SECOND.get(base, f"{base}/s") if self.kind == "counter" else base


@dataclass(frozen=True, kw_only=True)
class SourceSection:
    """``[[sensor_source]]``: the keys that every kind has.

    Args:
        name: name of the source in provenances.
        clusters: clusters whose nodes it measures. Default: all.
    """

    name: str
    clusters: tuple[str, ...] = ()


S = TypeVar("S", bound=SourceSection)
I = TypeVar("I", bound=ItemSection)  # noqa: E741


@dataclass
class SensorSource(ABC, Generic[S, I]):
    """A place where timelines are kept; each kind of place has its own class.

    Args:
        section: settings of the source.
        items: items that it measures, by name.
        folder: folder of the site file, to which paths are relative.
    """

    section: S
    items: Mapping[str, I]
    folder: Path = field(default_factory=Path)

    source_section: ClassVar[type[Any]] = SourceSection
    item_section: ClassVar[type[Any]] = ItemSection

    @classmethod
    def from_section(
        cls, given: Mapping[str, Any], preset: Iterable[Mapping[str, Any]], folder: Path
    ) -> Self:
        """Return the source that a section of a site file describes.

        Its own items replace those of the same name in the preset.
        """
        where = "[[sensor_source]]"
        section = build(cls.source_section, {k: v for k, v in given.items() if k != "item"}, where)
        inside = f'{where} "{section.name}": [[item]]'
        own = build_each(cls.item_section, given.get("item", []), inside)
        items = {each["name"]: build(cls.item_section, each, inside) for each in preset}
        items |= {each.name: each for each in own}
        if not items:
            raise InputError(
                f'{where} "{section.name}" has no [[sensor_source.item]] and no preset'
            )
        return cls(section, items, folder)

    @property
    def name(self) -> str:
        """The name of the source in the site file."""
        return str(self.section.name)

    def read(self, item: str, request: SensorRequest) -> dict[MeasuringPoint, Series]:
        """Return timelines in the schema's unit, at native resolution.

        A place without samples has no timeline.

        Raises:
            SensorError: the source is down, or its answer cannot be trusted.
        """
        section = self.items[item]
        if section.scope == "job" and request.jobid is None:
            raise SensorError(f'{self.name}: "{item}" is measured by job; say of which')
        wide = replace(
            request,
            start_s=request.start_s - section.margin_s,
            end_s=request.end_s + section.margin_s,
        )
        found = {
            place: section.in_base_unit(series).clipped(request.start_s, request.end_s)
            for place, series in self.fetch(section, wide).items()
        }
        return {place: series for place, series in found.items() if len(series)}

    def series(
        self,
        item: str,
        host: str | None,
        device: str | None,
        start_s: float,
        end_s: float,
        *,
        jobid: str | None = None,
        cluster: str | None = None,
    ) -> Series:
        """Return one timeline, where ``read`` returns many."""
        devices = () if device is None else (device,)
        hosts = {} if host is None else {host: devices}
        found = self.read(item, SensorRequest(hosts, start_s, end_s, jobid, cluster))
        place = MeasuringPoint(host, device)
        if place not in found:
            raise NoSamplesError(f'{self.name}: no samples of "{item}" of {place} in that time')
        return found[place]

    @abstractmethod
    def fetch(self, item: I, request: SensorRequest) -> dict[MeasuringPoint, Series]:
        """Return timelines as the source has them, in its own unit."""

    @abstractmethod
    def check(self) -> str:
        """Return one sentence on what answers there, or raise ``SensorError``."""


AnySensorSource = SensorSource[Any, Any]
