"""The machines a workload runs on."""

from schedlab.platform.platform import Cluster, Platform, Site
from schedlab.platform.power import NodePower
from schedlab.platform.read import HeaderSize, header_size, platform_from_header, read_platform
from schedlab.platform.write import write_platform

__all__ = [
    "Cluster",
    "HeaderSize",
    "NodePower",
    "Platform",
    "Site",
    "header_size",
    "platform_from_header",
    "read_platform",
    "write_platform",
]
