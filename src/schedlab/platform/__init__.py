"""The machines a workload runs on."""

from schedlab.platform.apart import Apart, Part, keep_apart
from schedlab.platform.capacity import capacity_of
from schedlab.platform.cluster import Cluster
from schedlab.platform.consumable import CapacityStep, Consumable
from schedlab.platform.demand import Demands, demands_of
from schedlab.platform.failures import Failure, check_failures, draw_failures
from schedlab.platform.intervals import Drain, NodeInterval, Outage, Reservation
from schedlab.platform.node_group import NodeGroup
from schedlab.platform.node_sets import NodeSet
from schedlab.platform.node_type import NodeType
from schedlab.platform.partition import Partition
from schedlab.platform.platform import Platform
from schedlab.platform.power import NodePower
from schedlab.platform.read import HeaderSize, header_size, platform_from_header, read_platform
from schedlab.platform.write import write_platform

__all__ = [
    "Apart",
    "CapacityStep",
    "Cluster",
    "Consumable",
    "Demands",
    "Drain",
    "Failure",
    "HeaderSize",
    "NodeGroup",
    "NodeInterval",
    "NodePower",
    "NodeSet",
    "NodeType",
    "Outage",
    "Part",
    "Partition",
    "Platform",
    "Reservation",
    "capacity_of",
    "check_failures",
    "demands_of",
    "draw_failures",
    "header_size",
    "keep_apart",
    "platform_from_header",
    "read_platform",
    "write_platform",
]
