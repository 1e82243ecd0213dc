"""A platform from a TOML or SimGrid file, or from a trace's header."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedlab.errors import InputError, PlatformError, SchedlabError
from schedlab.platform.node_list import FIRST, read_node_list
from schedlab.platform.platform import Platform
from schedlab.platform.simgrid import read_simgrid
from schedlab.sections import parse_toml
from schedlab.workload.header import INFERRED, header_int
from schedlab.workload.readers.source import Source
from schedlab.workload.workload import Workload

MASTER_HOST = "master_host"


def read_platform(path: str | Path, *, master_host: str = MASTER_HOST) -> Platform:
    """Return the platform a file describes.

    TOML has ``[[cluster]]`` sections, as a site file does; XML is SimGrid's, with equal hosts; CSV
    is a list of nodes as in Alibaba's GPU cluster trace.

    Args:
        path: the file.
        master_host: in XML, the host that runs Batsim itself, and no jobs.
    """
    source = Source.load(path)
    if source.text.lstrip().startswith(b"<"):
        return read_simgrid(source, master_host)
    if source.text.startswith(FIRST):
        return read_node_list(source)
    document = parse_toml(path, source.decoded())
    try:
        return Platform.from_dict(document, source.stem)
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


@dataclass(frozen=True)
class HeaderSize:
    """The size of the machine by the header of its trace."""

    count: int
    unit: str
    """``nodes``, or ``processors`` where the trace counts those; a simulation takes either."""
    inferred: bool
    """Whether the size was not given, but counted from the nodes that jobs ran on."""

    def __str__(self) -> str:
        says = "inferred from the jobs" if self.inferred else "as the trace's header says"
        note = "; each counts as a node" if self.unit == "processors" else ""
        return f"{self.count:,} {self.unit}, {says}{note}"


def platform_from_header(workload: Workload) -> Platform:
    """Return one cluster as large as the trace's header says; see ``header_size``."""
    size = header_size(workload)
    counts_nodes = "cores_per_node" in workload
    cores = max(int(workload["cores_per_node"].max(initial=1)), 1) if counts_nodes else 1
    return Platform.homogeneous(size.count, name=workload.name, cores=cores)


def header_size(workload: Workload) -> HeaderSize:
    """Return the size of the machine by the trace's header.

    A trace counts processors, so the size is ``MaxProcs``, or ``MaxNodes`` if only that is given.
    A workload with the column ``cores_per_node`` counts nodes, so the size is ``MaxNodes``.
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
