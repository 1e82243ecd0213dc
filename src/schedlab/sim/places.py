"""Which nodes a job takes if more nodes have room than it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.lookup import parse_parameters
from schedlab.platform import Platform
from schedlab.policies import ChosenPolicy
from schedlab.policies.parameters import Parameter, Parameters, whole
from schedlab.sim.node_demands import NodeDemands

Build = Callable[..., _core.NodeChoice | None]
LOWEST = "lowest"


@dataclass(frozen=True)
class PlaceEntry:
    """One line of the table of places.

    Args:
        sentence: which node comes first.
        build: makes the choice of nodes, from the platform, the demands and its parameters.
        tells_apart: whether it distinguishes idle nodes that have the same resources.
        looks_at_room: whether it asks what nodes have of each resource.
        looks_at_gpus: whether it asks what is free of each GPU.
        parameters: its parameters.
    """

    sentence: str
    build: Build
    tells_apart: bool = False
    looks_at_room: bool = False
    looks_at_gpus: bool = False
    parameters: Parameters = field(default_factory=dict)


@dataclass(frozen=True)
class ChosenPlace:
    """A place of the table with its parameters."""

    name: str
    entry: PlaceEntry
    parameters: Mapping[str, Any]

    def build(self, platform: Platform, demands: NodeDemands | None) -> _core.NodeChoice | None:
        """Return the core's choice of nodes; None for the lowest-numbered ones."""
        if demands is None:
            return None
        return self.entry.build(platform, demands, **self.parameters)

    def require_serves(self, chosen: ChosenPolicy) -> None:
        """Refuse a policy that names nodes by its own rule."""
        if self.name != LOWEST and isinstance(chosen.core, _core.Pinned):
            raise ParameterError(
                f"policy {chosen.name} takes the lowest-numbered nodes of its plan; "
                f'place "{self.name}" is not for it'
            )


def find_place(text: str) -> ChosenPlace:
    """Return the place that a text such as ``best-fit`` or ``random:seed=3`` names."""
    if not isinstance(text, str):
        raise ParameterError(f"place is {text!r}; must be a name such as best-fit")
    name, _, rest = text.partition(":")
    if name not in PLACES:
        raise UnknownNameError("place", name, PLACES)
    entry = PLACES[name]
    known = {key: each.parse for key, each in entry.parameters.items()}
    return ChosenPlace(text, entry, parse_parameters("place", name, rest, known))


def _lowest(platform: Platform, demands: NodeDemands) -> None:
    return None


def _best_fit(platform: Platform, demands: NodeDemands) -> _core.NodeChoice:
    return _core.choose_by_room(demands.cores_and_gpus, True)


def _worst_fit(platform: Platform, demands: NodeDemands) -> _core.NodeChoice:
    return _core.choose_by_room(demands.cores_and_gpus, False)


def _weight(platform: Platform, demands: NodeDemands) -> _core.NodeChoice:
    return _core.choose_by_weight(_by_node(platform, [each.weight for each in platform.groups]))


def _switches(platform: Platform, demands: NodeDemands) -> _core.NodeChoice:
    names = [each.switch for each in platform.groups]
    if not any(names):
        raise ParameterError(
            f'place "switches": platform "{platform.name}" names no switch; '
            "write switch = into its [[cluster.nodes]]"
        )
    return _core.choose_by_switch(_by_node(platform, [names.index(each) for each in names]))


def _fgd(platform: Platform, demands: NodeDemands) -> _core.NodeChoice:
    return _core.choose_by_fragments(demands.machine(), demands.popular_parts())


def _random(platform: Platform, demands: NodeDemands, *, seed: int = 0) -> _core.NodeChoice:
    return _core.choose_at_random(seed)


def _by_node(platform: Platform, of_group: list[int]) -> NDArray[np.int64]:
    sizes = [group.nodes for group in platform.groups]
    return np.repeat(np.array(of_group, dtype=np.int64), sizes)


PLACES: dict[str, PlaceEntry] = {
    LOWEST: PlaceEntry("The lowest-numbered node first.", _lowest),
    "best-fit": PlaceEntry(
        "The node with the fewest free cores and GPUs first.", _best_fit, looks_at_room=True
    ),
    "worst-fit": PlaceEntry(
        "The node with the most free cores and GPUs first.", _worst_fit, looks_at_room=True
    ),
    "weight": PlaceEntry(
        "The node of the lowest weight on the platform first.", _weight, tells_apart=True
    ),
    "switches": PlaceEntry(
        "Nodes on as few leaf switches as possible.", _switches, tells_apart=True
    ),
    "fgd": PlaceEntry(
        "The node on which the job leaves the fewest GPUs that other jobs cannot use.",
        _fgd,
        looks_at_gpus=True,
    ),
    "random": PlaceEntry(
        "Any node, by a hash of seed, job and node.",
        _random,
        tells_apart=True,
        parameters={"seed": Parameter(whole, "another one gives other nodes")},
    ),
}
