"""The machines a workload runs on."""

from schedlab.platform.platform import Cluster, Platform, Site
from schedlab.platform.power import NodePower

__all__ = ["Cluster", "NodePower", "Platform", "Site"]
