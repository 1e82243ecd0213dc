"""The site file: clusters and their nodes, where jobs are accounted, where sensors are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from schedlab.errors import InputError, SchedlabError, UnknownNameError
from schedlab.history.efficiency_section import EfficiencySection
from schedlab.history.factors import CarbonSection, Factors, read_factors
from schedlab.history.schema.times import find_zone
from schedlab.history.sensors import make_sensor_source
from schedlab.history.sensors.source import SHARES, AnySensorSource
from schedlab.history.service_section import ServiceSection, read_service
from schedlab.history.storage_sections import ArchiveSection, ReleaseSection, StoreSection
from schedlab.platform import Cluster, Consumable, Platform
from schedlab.platform.document import (
    HISTORY_SECTIONS,
    MACHINE_SECTIONS,
    read_clusters,
    read_consumables,
)
from schedlab.sections import build, parse_toml, reject_unknown_keys
from schedlab.workload.readers.source import Source

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class SiteSection:
    """``[site]``.

    Args:
        name: name of the site.
        time_zone: time zone in which records are written, by its name in the IANA database.
    """

    name: str
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        find_zone(self.time_zone)


@dataclass(frozen=True, kw_only=True)
class SharingSection:
    """``[sharing]``: jobs may share nodes, and how a node's sensors are divided among them.

    Args:
        share_by: resource that is compared: ``cpu``, ``gpu`` or ``mem``; ``none`` leaves sensors
            undivided.
        share_of: what the job's amount is compared with: all that ``jobs`` held at the time, or all
            that the ``node`` has.
    """

    share_by: str = "cpu"
    share_of: str = "jobs"

    def __post_init__(self) -> None:
        for key, allowed in (("share_by", SHARES), ("share_of", ("jobs", "node"))):
            if (value := getattr(self, key)) not in allowed:
                raise UnknownNameError(key, value, allowed)


@dataclass(frozen=True, kw_only=True)
class SlurmSection:
    """``[slurm]``: the twin of the site's Slurm.

    Args:
        site: the folder that ``schedlab slurm import`` made, relative to the site file's folder.
    """

    site: str


@dataclass(frozen=True)
class Site:
    """A site as its file describes it."""

    path: Path
    about: SiteSection
    clusters: tuple[Cluster, ...]
    job_sections: tuple[Mapping[str, Any], ...] = ()
    sensor_sources: tuple[AnySensorSource, ...] = ()
    sharing: SharingSection | None = None
    carbon: Factors[CarbonSection] | None = None
    store: StoreSection = field(default_factory=StoreSection)
    archive: ArchiveSection | None = None
    release: ReleaseSection = field(default_factory=ReleaseSection)
    service: ServiceSection = field(default_factory=ServiceSection)
    consumables: tuple[Consumable, ...] = ()
    efficiency: EfficiencySection = field(default_factory=EfficiencySection)
    slurm: SlurmSection | None = None

    def platform(self) -> Platform:
        """Return a platform of the clusters whose nodes the file describes."""
        told = tuple(each for each in self.clusters if each.groups)
        return Platform(told, self.about.name, self.consumables)

    def cluster(self, name: str | None) -> Cluster:
        """Return the cluster of that name; without a name, the only one."""
        if name is None and len(self.clusters) == 1:
            return self.clusters[0]
        found = {each.name: each for each in self.clusters}
        if name not in found:
            raise UnknownNameError("cluster", name or "", found)
        return found[name]

    def sensor_items(self, cluster: str) -> dict[str, list[AnySensorSource]]:
        """Return the sources of each item on the cluster, in the order in which they are asked."""
        items: dict[str, list[AnySensorSource]] = {}
        for source in self.sensor_sources:
            if not source.section.clusters or cluster in source.section.clusters:
                for item in source.items:
                    items.setdefault(item, []).append(source)
        return items


def read_site(path: str | Path) -> Site:
    """Return the site that a TOML file describes; its paths are relative to its folder."""
    source = Source.load(path)
    document = parse_toml(path, source.decoded())
    try:
        return _site(document, source.path)
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


def _site(document: Mapping[str, Any], path: Path) -> Site:
    reject_unknown_keys(document, (*MACHINE_SECTIONS, *HISTORY_SECTIONS), "the site")
    for section in ("site", "cluster"):
        if section not in document:
            raise InputError(f"has no [{section}]")
    about = build(SiteSection, document["site"], "[site]")
    clusters = read_clusters(document, named=True)
    names = [each.name for each in clusters]
    if len(set(names)) < len(names):
        raise InputError("two clusters have one name")
    sources = tuple(
        make_sensor_source(each, path.parent) for each in _listed(document, "sensor_source")
    )
    for each in sources:
        for name in each.section.clusters:
            if name not in names:
                raise UnknownNameError(f'cluster of [[sensor_source]] "{each.name}"', name, names)
    return Site(
        path,
        about,
        clusters,
        tuple(_listed(document, "job_source")),
        sources,
        _optional(SharingSection, document, "sharing"),
        _carbon(document),
        build(StoreSection, document.get("store", {}), "[store]"),
        _optional(ArchiveSection, document, "archive"),
        build(ReleaseSection, document.get("release", {}), "[release]"),
        read_service(document.get("service", {})),
        read_consumables(document),
        build(EfficiencySection, document.get("efficiency", {}), "[efficiency]"),
        _optional(SlurmSection, document, "slurm"),
    )


def _carbon(document: Mapping[str, Any]) -> Factors[CarbonSection] | None:
    if "carbon" not in document:
        return None
    return read_factors(CarbonSection, document["carbon"], "carbon")


def _optional(section: type[T], document: Mapping[str, Any], name: str) -> T | None:
    return build(section, document[name], f"[{name}]") if name in document else None


def _listed(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    given = document.get(name, [])
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise InputError(f"write [[{name}]] with double brackets, once for each")
    return given
