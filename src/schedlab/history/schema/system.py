"""The system document: the clusters, nodes and devices that a site's records refer to."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from schedlab.history.schema.job import SCHEMA_VERSION, Count, NonNegative, Text
from schedlab.history.schema.timeline import Item


class AcceleratorKind(Item):
    """The accelerators of one kind in each node of a group."""

    type: Text
    num_perhost: Count
    mem_bytes: Count | None = None
    uuids: list[str] | None = None


class NodeGroupDocument(Item):
    """Nodes that are alike."""

    nodes: Text
    """A host list, such as ``n[01-08,12],g2``."""
    num_cpu: Count | None = None
    cpu_type: str | None = None
    mem_bytes: Count | None = None
    accelerator: list[AcceleratorKind] | None = None
    idle_power_watt: NonNegative | None = None
    max_power_watt: NonNegative | None = None


class ClusterDocument(Item):
    """One cluster: its scheduler and its nodes."""

    name: Text
    scheduler: str | None = None
    time_zone: str | None = None
    node_groups: list[NodeGroupDocument] = Field(default_factory=list)


class SystemDocument(Item):
    """All clusters of a site."""

    site: str | None = None
    clusters: list[ClusterDocument]
    schema_version: Annotated[str, Field(pattern=r"^1\.\d+$")] = SCHEMA_VERSION
