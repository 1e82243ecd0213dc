"""The options for the machine on which the jobs run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from schedlab.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schedlab.platform import Apart, Platform
    from schedlab.workload import Workload

    Counts = NDArray[np.int64]

_MACHINE = "The machine"


@dataclass(frozen=True, kw_only=True)
class MachineOptions:
    """The machine; without these options, the one that the trace's header describes."""

    nodes: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            help="Number of equal nodes, instead of that in the trace's header.",
            rich_help_panel=_MACHINE,
        ),
    ] = None
    platform: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="A platform in TOML, or in SimGrid's XML as for Batsim.",
            rich_help_panel=_MACHINE,
        ),
    ] = None
    cluster: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Only this cluster of the platform.",
            rich_help_panel=_MACHINE,
        ),
    ] = None
    cores: Annotated[
        bool,
        Option(
            "--cores",
            help="Treat every core of the platform as a node.",
            rich_help_panel=_MACHINE,
        ),
    ] = False
    whole_nodes: Annotated[
        bool,
        Option(
            "--whole-nodes",
            help="Give every job whole nodes, whatever share of them it asks for.",
            rich_help_panel=_MACHINE,
        ),
    ] = False
    partitions: Annotated[
        str | None,
        Option(
            metavar="trace|1=N,2=N",
            help="Keep the partitions of the trace apart, or its queues: each has its own nodes, "
            "as many as the trace says or as given here.",
            rich_help_panel=_MACHINE,
        ),
    ] = None
    master_host: Annotated[
        str,
        Option(
            metavar="NAME",
            help="The host of an XML platform that runs no jobs.",
            rich_help_panel=_MACHINE,
        ),
    ] = "master_host"
    oversize: Annotated[
        Literal["error", "drop", "clip"],
        Option(
            metavar="error|drop|clip",
            help="What to do with jobs wider than the machine.",
            rich_help_panel=_MACHINE,
        ),
    ] = "error"

    def given(self) -> Platform | None:
        """Return the machine that the options describe; None for the one in the trace's header."""
        from schedlab.platform import Platform

        if self.nodes is not None and self.platform is not None:
            raise ParameterError("--nodes and --platform exclude each other; give one of them")
        if self.partitions is not None and self.platform is not None:
            raise ParameterError("--partitions and --platform exclude each other; give one of them")
        if self.platform is not None:
            return self._described(self.platform)
        if self.cluster is not None:
            raise ParameterError("--cluster needs --platform, the file that describes it")
        return None if self.nodes is None else Platform.homogeneous(self.nodes)

    def sizes(self) -> dict[str, int] | None:
        """Return the sizes of partitions that --partitions gives; None where they are one pool."""
        from schedlab.platform.apart import parse_sizes

        return None if self.partitions is None else parse_sizes(self.partitions)

    def apart(self, workload: Workload) -> Apart | None:
        """Return the jobs and the machine with partitions apart, if asked for."""
        from schedlab.platform import keep_apart

        sizes = self.sizes()
        return None if sizes is None else keep_apart(workload, self.nodes, sizes)

    def fit(self, workload: Workload, nodes: int | Counts) -> Workload:
        """Return the workload with too wide jobs dropped or clipped, if asked for."""
        from schedlab.workload.transforms import oversize

        if self.oversize == "error":
            return workload
        return oversize(workload, self.oversize, nodes)

    def notes(self, workload: Workload, nodes: int | Counts) -> Iterator[str]:
        """Yield what the options did to the workload."""
        wide = int((workload["nodes"] > nodes).sum())
        done = {"drop": "dropped", "clip": "clipped"}.get(self.oversize)
        if wide and done:
            than = f"{nodes:,} nodes" if isinstance(nodes, int) else "their partition"
            yield f"{done} {wide:,} of {len(workload):,}: wider than {than}"

    def _described(self, path: Path) -> Platform:
        from schedlab.platform import read_platform

        found = read_platform(path, master_host=self.master_host)
        chosen = found if self.cluster is None else found.only(self.cluster)
        return chosen.of_cores() if self.cores else chosen
