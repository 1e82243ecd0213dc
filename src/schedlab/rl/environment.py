"""What a training needs to know of an environment: its rules, its jobs and its agents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from schedlab.errors import ParameterError
from schedlab.workload.episodes import Episodes

GANTT = "schedlab/Gantt-v0"

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Discrete

    from schedlab.policies.learned.agent import Decider
    from schedlab.rl.episodes_section import EpisodesSection
    from schedlab.rl.job_columns import JobColumns
    from schedlab.rl.native_batch import NativeBatch

Rules = TypeVar("Rules")


class Environment(ABC, Generic[Rules]):
    """An environment with its rules; ``environments.py`` lists those that agents can train in."""

    name: ClassVar[str]
    """The name by which Gymnasium knows it."""
    by_jobs: ClassVar[str]
    """The ``observation`` that the kernel network needs."""
    scores: ClassVar[tuple[str, ...]]
    """The results of an episode by which settings can be ranked."""
    stacks: ClassVar[bool] = False
    """Whether several trainings in it can run side by side on one GPU."""
    teaches_by_name: ClassVar[bool] = False
    """Whether its teachers are rules, which need no file."""
    tick: int = 0
    """Seconds between two looks at the queue; 0: every event is seen at once."""
    predictors: tuple[str, ...] = ()
    """The predictors of run times whose predictions its agents see."""
    orders: bool = False
    """Whether an agent orders jobs; then an action against the mask never starts one."""

    def __init__(self, rules: Rules) -> None:
        """Take the rules, of the type that ``ENVIRONMENTS`` lists for this class."""
        self.rules = rules

    def document(self) -> dict[str, Any]:
        """Return the rules as values for JSON."""
        return {"id": self.name, **asdict(self.rules)}  # type: ignore[call-overload]

    @property
    @abstractmethod
    def nodes(self) -> int:
        """The number of nodes of its machine."""

    @abstractmethod
    def episodes(self, section: EpisodesSection, workload: str | Path | None) -> Episodes:
        """Return the episodes that ``[episodes]`` describes; a workload is a model or a file."""

    def on_its_machine(self, section: EpisodesSection, folder: Path) -> Rules:
        """Return the rules with the machine size of the trace or the model."""
        return self.rules

    @abstractmethod
    def batch(self, episodes: Episodes, size: int, *, threads: int) -> NativeBatch:
        """Make a number of environments with these rules."""

    def time_scale_s(self, episodes: Episodes) -> float:
        """Return the time that the agent sees as 1."""
        return 1.0

    def with_time_scale(self, episodes: Episodes) -> Rules:
        """Return the rules with the time scale that these episodes give them."""
        return self.rules

    @abstractmethod
    def spaces(self, time_scale_s: float) -> tuple[Box, Discrete]:
        """Return the spaces of observations and of actions."""

    @property
    @abstractmethod
    def job_columns(self) -> JobColumns:
        """Where the observation ``by_jobs`` describes jobs."""

    def check_teacher(self, name: str) -> None:
        """Refuse a name that no teacher can have."""

    @abstractmethod
    def teacher(self, name: str, folder: Path, episodes: Episodes) -> Decider:
        """Return the teacher that a network first imitates; files are beside the training file."""


def require_unset(section: EpisodesSection, keys: Collection[str], sentence: str) -> None:
    """Refuse keys of ``[episodes]`` that this environment does not read."""
    for key in keys:
        if getattr(section, key) not in (None, ()):
            raise ParameterError(f"{key} in [episodes] {sentence} in [environment]")
