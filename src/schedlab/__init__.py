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
    "simulate",
]

if TYPE_CHECKING:
    from schedlab.platform import Platform
    from schedlab.policies import Order, Policy
    from schedlab.sim import Schedule, Simulation, simulate
    from schedlab.version import __version__
    from schedlab.workload import Workload
else:
    # Loaded when first asked for: the command line's help must not wait for NumPy and the core.
    _HOMES = {
        "Order": "schedlab.policies",
        "Platform": "schedlab.platform",
        "Policy": "schedlab.policies",
        "Schedule": "schedlab.sim",
        "Simulation": "schedlab.sim",
        "Workload": "schedlab.workload",
        "__version__": "schedlab.version",
        "simulate": "schedlab.sim",
    }

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals().setdefault(name, getattr(import_module(_HOMES[name]), name))

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
