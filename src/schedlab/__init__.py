"""A laboratory and workbench for batch scheduling on clusters.

Four nouns and one verb: ``simulate(workload, platform, policy)`` gives a ``Schedule``.
"""

from schedlab.platform import Platform
from schedlab.policies import Order, Policy
from schedlab.sim import Schedule, simulate
from schedlab.version import __version__
from schedlab.workload import Workload

__all__ = ["Order", "Platform", "Policy", "Schedule", "Workload", "__version__", "simulate"]
