"""What a training asks about an environment: its rules, its jobs and its agents."""

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
    """An environment by its rules; ``environments.py`` lists those that can be trained in."""

    name: ClassVar[str]
    """The one that Gymnasium knows it by."""
    by_jobs: ClassVar[str]
    """The ``observation`` that the kernel network needs."""
    scores: ClassVar[tuple[str, ...]]
    """The results of an episode by which settings can be ranked."""
    stacks: ClassVar[bool] = False
    """Whether trainings in it can go side by side on one GPU."""
    teaches_by_name: ClassVar[bool] = False
    """Whether its teachers are rules, which need no file."""
    tick: int = 0
    """Seconds between two looks at the queue; 0: every event is seen at once."""
    predictors: tuple[str, ...] = ()
    """Those of run times that its agents are shown."""
    orders: bool = False
    """Whether an agent orders jobs, so that an answer against the mask starts none, ever."""

    def __init__(self, rules: Rules) -> None:
        """Take the rules, of the type that the table lists it for."""
        self.rules = rules

    def document(self) -> dict[str, Any]:
        """Return the rules as JSON has them."""
        return {"id": self.name, **asdict(self.rules)}  # type: ignore[call-overload]

    @property
    @abstractmethod
    def nodes(self) -> int:
        """Of its machine."""

    @abstractmethod
    def episodes(self, section: EpisodesSection, workload: str | Path | None) -> Episodes:
        """Open what ``[episodes]`` describes; a workload is a model or a file."""

    def on_its_machine(self, section: EpisodesSection, folder: Path) -> Rules:
        """Return the rules with the machine that the trace or the model has."""
        return self.rules

    @abstractmethod
    def batch(self, episodes: Episodes, size: int, *, threads: int) -> NativeBatch:
        """Make a number of environments with these rules."""

    def time_scale_s(self, episodes: Episodes) -> float:
        """Return what counts as 1 among the times that the agent sees."""
        return 1.0

    def with_time_scale(self, episodes: Episodes) -> Rules:
        """Return the rules with the time scale that these episodes give them."""
        return self.rules

    @abstractmethod
    def spaces(self, time_scale_s: float) -> tuple[Box, Discrete]:
        """Return what an agent sees, and what it can do."""

    @property
    @abstractmethod
    def job_columns(self) -> JobColumns:
        """Where ``by_jobs`` tells of jobs."""

    def check_teacher(self, name: str) -> None:
        """Refuse the name of a teacher that there cannot be."""

    @abstractmethod
    def teacher(self, name: str, folder: Path, episodes: Episodes) -> Decider:
        """Return what a network first learns to decide as; files are beside the training file."""


def require_unset(section: EpisodesSection, keys: Collection[str], sentence: str) -> None:
    """Refuse keys of ``[episodes]`` that this environment does not read."""
    for key in keys:
        if getattr(section, key) not in (None, ()):
            raise ParameterError(f"{key} in [episodes] {sentence} in [environment]")
