"""A laboratory and workbench for batch scheduling on clusters.

Four nouns and one verb: ``simulate(workload, platform, policy)`` gives a ``Schedule``.
"""

from typing import TYPE_CHECKING

__all__ = [
    "Order",
    "Platform",
    "Policy",
    "Schedule",
    "Simulation",
    "Workload",
    "__version__",
    "apply",
    "compare",
    "generate",
    "load_schedules",
    "over_time",
    "read_platform",
    "read_workload",
    "save_schedules",
    "simulate",
    "summary",
    "table",
    "write_workload",
]

if TYPE_CHECKING:
    from schedlab.metrics.summary import compare, summary
    from schedlab.metrics.tables import over_time, table
    from schedlab.platform import Platform, read_platform
    from schedlab.policies import Order, Policy
    from schedlab.sim import Schedule, Simulation, load_schedules, save_schedules, simulate
    from schedlab.version import __version__
    from schedlab.workload import Workload, apply, generate, read_workload, write_workload
else:
    # Loaded on first use: the command line's help must not wait for NumPy and the core.
    _HOMES = {
        "Order": "schedlab.policies",
        "Platform": "schedlab.platform",
        "Policy": "schedlab.policies",
        "Schedule": "schedlab.sim",
        "Simulation": "schedlab.sim",
        "Workload": "schedlab.workload",
        "__version__": "schedlab.version",
        "apply": "schedlab.workload",
        "compare": "schedlab.metrics",
        "generate": "schedlab.workload",
        "load_schedules": "schedlab.sim",
        "over_time": "schedlab.metrics",
        "read_platform": "schedlab.platform",
        "read_workload": "schedlab.workload",
        "save_schedules": "schedlab.sim",
        "simulate": "schedlab.sim",
        "summary": "schedlab.metrics",
        "table": "schedlab.metrics",
        "write_workload": "schedlab.workload",
    }

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals().setdefault(name, getattr(import_module(_HOMES[name]), name))

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
