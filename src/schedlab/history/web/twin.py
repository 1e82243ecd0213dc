"""The twin of a site's Slurm, as the service asks it; given when the service is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from schedlab.errors import ParameterError
from schedlab.units import require_whole

MOST_PHASES, MOST_CHANGES = 32, 50
Start = tuple[float, float, float]
"""The begin of the interval of a start, its middle and its end, in epoch seconds."""


class TwinParameter(Protocol):
    """A parameter of slurm.conf in a form."""

    @property
    def name(self) -> str:
        """Under which it is changed."""

    @property
    def label(self) -> str:
        """What the form calls it."""

    @property
    def value(self) -> str:
        """The present value."""

    @property
    def unit(self) -> str:
        """How it is written."""

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
        """Return what came of it, as JSON can hold it."""

    def cluster(self) -> str:
        """Return the name of the cluster."""

    def forecast(
        self,
        records: Sequence[Mapping[str, Any]],
        now_s: int,
        tell: Callable[[int, int], None],
    ) -> Mapping[str, Start]:
        """Return when the jobs that wait will start, by their ids.

        Args:
            records: of the jobs that ended lately, and of those that run and wait.
            now_s: when that was so, in epoch seconds.
            tell: hears how many steps are done, of how many; what it raises ends it.
        """


@dataclass(frozen=True)
class TwinSettings:
    """What is replayed.

    Args:
        changes: such as ``PriorityWeightAge=1000``, under full names.
        nodes: more of them, such as ``16:gpu``.
        phases: draws of the phases of slurmctld's loops.
        seed: draws them.
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
        """Return what a task keeps."""
        lists = {key: tuple(parameters[key]) for key in ("changes", "nodes")}
        return cls(**lists, phases=parameters["phases"], seed=parameters["seed"])

    def parameters(self) -> dict[str, Any]:
        """Return them as a task keeps them."""
        return asdict(self)


def checked_settings(
    twin: Twin, changes: Sequence[str], nodes: Sequence[str], phases: int, seed: int
) -> TwinSettings:
    """Return what to replay; raise ``ParameterError`` for what the twin cannot."""
    return TwinSettings(tuple(twin.checked(changes, nodes)), tuple(nodes), phases, seed)
