"""A platform from a TOML or SimGrid file, or from a trace's header."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, PlatformError, SchedlabError, UnknownNameError
from schedlab.platform.platform import Cluster, Platform, Site
from schedlab.platform.power import NodePower
from schedlab.platform.simgrid import read_simgrid
from schedlab.workload.header import INFERRED, header_int
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

MASTER_HOST = "master_host"


def read_platform(path: str | Path, *, master_host: str = MASTER_HOST) -> Platform:
    """The platform a file describes.

    TOML has one ``[cluster]`` or ``[[site]]`` sections; XML is SimGrid's, with equal hosts.

    Args:
        path: the file.
        master_host: in XML, the host on which Batsim itself runs, and no job.
    """
    source = Source.load(path)
    if source.text.lstrip().startswith(b"<"):
        return read_simgrid(source, master_host)
    try:
        return _platform(tomllib.loads(source.decoded()), source.stem)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise InputError.at(path, int(line[1]) if line else None, f"not TOML: {error}") from None
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


@dataclass(frozen=True)
class HeaderSize:
    """How large the machine is, by the header of its trace."""

    count: int
    unit: str
    """``nodes``, or ``processors`` where the trace counts those; a simulation takes either."""
    inferred: bool
    """Whether nobody said so, and only the nodes were counted that jobs ran on."""

    def __str__(self) -> str:
        says = "inferred from the jobs" if self.inferred else "as the trace's header says"
        note = "; each counts as a node" if self.unit == "processors" else ""
        return f"{self.count:,} {self.unit}, {says}{note}"


def platform_from_header(workload: Workload) -> Platform:
    """One cluster as large as the trace's header says; see ``header_size``."""
    size = header_size(workload)
    counts_nodes = "cores_per_node" in workload
    cores = int(workload["cores_per_node"].max(initial=1)) if counts_nodes else 1
    return Platform.homogeneous(size.count, name=workload.name, cores_per_processor=max(cores, 1))


def header_size(workload: Workload) -> HeaderSize:
    """The size of the machine by the trace's header.

    A trace counts processors, so the size is ``MaxProcs``, or ``MaxNodes`` where that is all there
    is. A workload with the column ``cores_per_node`` counts nodes, so the size is ``MaxNodes``.
    """
    if "needs" in workload:
        raise PlatformError(
            f'workload "{workload.name}": its jobs name clusters; say which there are in a '
            "platform file"
        )
    keys = ("MaxNodes",) if "cores_per_node" in workload else ("MaxProcs", "MaxNodes")
    sizes = {key: size for key in keys if (size := header_int(workload.header, key) or 0) > 0}
    if not sizes:
        raise PlatformError(
            f'workload "{workload.name}": its header has no {" or ".join(keys)} above 0; '
            "say how many nodes the machine has"
        )
    key, count = next(iter(sizes.items()))
    unit = "nodes" if sizes.get("MaxNodes") == count else "processors"
    return HeaderSize(count, unit, any(INFERRED in text for text in workload.header[key]))


def _platform(document: Mapping[str, Any], default_name: str) -> Platform:
    _only(document, ("name", "cluster", "site"), "the platform")
    if ("cluster" in document) == ("site" in document):
        raise PlatformError("a platform has either one [cluster] or [[site]] sections")
    if "cluster" in document:
        sites = [Site((_cluster(document["cluster"], "[cluster]"),))]
    else:
        sites = [_site(section) for section in _sections(document["site"], "[[site]]")]
    return Platform(tuple(sites), _name(document, default_name))


def _site(section: Mapping[str, Any]) -> Site:
    _only(section, ("name", "cluster"), "[[site]]")
    where = "[[site.cluster]]"
    clusters = _sections(section.get("cluster", []), where)
    return Site(tuple(_cluster(cluster, where) for cluster in clusters), _name(section, Site.name))


def _cluster(section: Any, where: str) -> Cluster:
    if not isinstance(section, dict):
        raise PlatformError(f"{where} must be one section; write several as [[site.cluster]]")
    _only(section, [field.name for field in fields(Cluster)], where)
    if "nodes" not in section:
        raise PlatformError(f"{where} does not say how many nodes it has")
    settings = {**section, "name": _name(section, Cluster.name)}
    if "power" in section:
        settings["power"] = _power(section["power"], where)
    return Cluster(**settings)


def _power(section: Any, where: str) -> NodePower:
    if not isinstance(section, dict):
        raise PlatformError(f"{where}: power is {section!r}; must be {{ idle_w, busy_w, off_w }}")
    _only(section, [field.name for field in fields(NodePower)], f"{where}: power")
    return NodePower(**section)


def _sections(value: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(section, dict) for section in value):
        raise PlatformError(f"write {where} with double brackets, once for each")
    return value


def _only(section: Mapping[str, Any], known: Collection[str], where: str) -> None:
    for key in section:
        if key not in known:
            raise UnknownNameError(f"key or section of {where}", key, known)


def _name(section: Mapping[str, Any], default: str) -> str:
    name = section.get("name", default)
    if not isinstance(name, str):
        raise PlatformError(f"name is {name!r}; must be text")
    return name
