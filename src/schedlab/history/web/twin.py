"""The interface to the twin of a site's Slurm; the service is given an implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from schedlab.errors import ParameterError
from schedlab.units import require_whole

MOST_PHASES, MOST_CHANGES = 32, 50
Start = tuple[float, float, float]
"""The beginning, middle and end of the interval of a start, in epoch seconds."""


class TwinParameter(Protocol):
    """A parameter of slurm.conf in a form."""

    @property
    def name(self) -> str:
        """The name under which it is changed."""

    @property
    def label(self) -> str:
        """The name that the form shows."""

    @property
    def value(self) -> str:
        """The present value."""

    @property
    def unit(self) -> str:
        """The unit or format of its values."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it may have; empty for any."""


class Twin(Protocol):
    """Replays the history of a Slurm site under another configuration."""

    def version(self) -> str:
        """Return a text that changes with what the twin is made of."""

    def groups(self) -> Mapping[str, Sequence[TwinParameter]]:
        """Return all parameters by group."""

    def checked(self, changes: Sequence[str], nodes: Sequence[str]) -> list[str]:
        """Return the changes under full names; raise ``ParameterError`` for wrong ones."""

    def what_if(
        self,
        changes: Sequence[str],
        nodes: Sequence[str],
        phases: int,
        seed: int,
        progress: Callable[[float], None],
    ) -> dict[str, Any]:
        """Replay the history with the changes and return the result, in types that JSON has."""

    def cluster(self) -> str:
        """Return the name of the cluster."""

    def forecast(
        self,
        records: Sequence[Mapping[str, Any]],
        now_s: int,
        tell: Callable[[int, int], None],
    ) -> Mapping[str, Start]:
        """Return the forecast starts of the jobs that wait, by their ids.

        Args:
            records: the records of the jobs that ended lately, and of those that run and wait.
            now_s: the time at which they were so, in epoch seconds.
            tell: called with the steps done and their total; what it raises ends the forecast.
        """


@dataclass(frozen=True)
class TwinSettings:
    """The settings of a replay.

    Args:
        changes: changed parameters under full names, such as ``PriorityWeightAge=1000``.
        nodes: more nodes, such as ``16:gpu``.
        phases: the number of draws of the phases of slurmctld's loops.
        seed: the seed of these draws.
    """

    changes: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    phases: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        require_whole("phases", self.phases, 1, MOST_PHASES)
        require_whole("the seed", self.seed, 0, 2**31 - 1)
        if len(self.changes) + len(self.nodes) > MOST_CHANGES:
            raise ParameterError(f"more than {MOST_CHANGES} changes at once")

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> TwinSettings:
        """Return the settings that a task's parameters hold."""
        lists = {key: tuple(parameters[key]) for key in ("changes", "nodes")}
        return cls(**lists, phases=parameters["phases"], seed=parameters["seed"])

    def parameters(self) -> dict[str, Any]:
        """Return the settings as a task's parameters."""
        return asdict(self)


def checked_settings(
    twin: Twin, changes: Sequence[str], nodes: Sequence[str], phases: int, seed: int
) -> TwinSettings:
    """Return the settings of a replay; raise ``ParameterError`` if the twin cannot do it."""
    return TwinSettings(tuple(twin.checked(changes, nodes)), tuple(nodes), phases, seed)
