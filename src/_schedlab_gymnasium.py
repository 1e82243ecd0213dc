"""Tell Gymnasium of the environments as soon as it is imported.

``schedlab-gymnasium.pth`` imports this when Python starts, so that
``gymnasium.make("schedlab/Queue-v0")`` works without an import of schedlab. Gymnasium asked
packages for their environments by entry points until 1.0, and has no way of its own since. Nothing
of schedlab is imported here, and nothing of Gymnasium before somebody else does.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost every start of Python some milliseconds
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

ENVIRONMENTS = {
    "schedlab/Queue-v0": ("schedlab.rl:QueueEnv", "schedlab.rl:QueueVectorEnv"),
    "schedlab/Gantt-v0": ("schedlab.rl:GanttEnv", "schedlab.rl:GanttVectorEnv"),
}
"""By the names that Gymnasium knows them by: one environment, and many."""


def register() -> None:
    """Register those that Gymnasium does not know yet."""
    from gymnasium.envs import registration

    for name, (one, many) in ENVIRONMENTS.items():
        if name not in registration.registry:
            registration.register(name, entry_point=one, vector_entry_point=many)


class _Registering:
    """Loads Gymnasium as its own loader does, and registers the environments afterwards."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Do as its own loader does."""
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: Any) -> None:
        """Do as its own loader does, and register."""
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        register()


class _WhenImported:
    """Finds Gymnasium where any other import would, once."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find the normal module, with another loader."""
        if name != "gymnasium":
            return None
        from importlib.util import find_spec

        sys.meta_path.remove(_WhenImported)  # so that the others are asked next
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            loading: Any = _Registering(spec.loader)
            spec.loader = loading
        return spec


if "gymnasium" not in sys.modules:
    sys.meta_path.insert(0, _WhenImported)
