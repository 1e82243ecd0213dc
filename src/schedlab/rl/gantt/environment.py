"""``schedlab/Gantt-v0`` to train in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from gymnasium.spaces import Box, Discrete

from schedlab.errors import UnknownNameError
from schedlab.policies.learned.agent import Decider
from schedlab.rl.environment import GANTT, Environment, require_unset
from schedlab.rl.gantt.batch import GanttBatch
from schedlab.rl.gantt.env import grid_episodes
from schedlab.rl.gantt.rules import TEACHERS, find_rule
from schedlab.rl.gantt.settings import SLOT_FEATURES, GanttSettings
from schedlab.workload.episodes import Episodes

if TYPE_CHECKING:
    from schedlab.rl.episodes_section import EpisodesSection
    from schedlab.rl.job_columns import JobColumns


class GanttEnvironment(Environment[GanttSettings]):
    """A small grid, whose chart an agent fills; a time unit counts as 1."""

    name = GANTT
    by_jobs = "vector"
    scores = ("return", "makespan_s", "mean_wait_s", "mean_slowdown")
    teaches_by_name = True

    @property
    def nodes(self) -> int:
        """The resources of the grid."""
        return self.rules.resources

    def episodes(self, section: EpisodesSection, workload: str | Path | None) -> Episodes:
        """Open jobs as for ``grid_episodes``."""
        require_unset(section, ("seed", "others"), f'is not for id = "{GANTT}"')
        return grid_episodes(
            self.rules.resources,
            workload,
            section.jobs,
            section.transforms,
            section.load,
            section.units,
        )

    def batch(self, episodes: Episodes, size: int, *, threads: int) -> GanttBatch:
        """Make a number of grids."""
        return GanttBatch(self.rules, episodes, size, threads=threads)

    def spaces(self, time_scale_s: float) -> tuple[Box, Discrete]:
        """Return the spaces of observations and of actions."""
        seen = Box(0, 1, self.rules.observation_shape, np.float32)
        return seen, Discrete(self.rules.slots + 1)

    @property
    def job_columns(self) -> JobColumns:
        """Where jobs are in ``observation = "vector"``."""
        from schedlab.rl.job_columns import JobColumns  # loads torch

        return JobColumns(first=self.rules.window, features=SLOT_FEATURES, size=0)

    def check_teacher(self, name: str) -> None:
        """Refuse a name that is not that of a rule to learn from."""
        if name not in TEACHERS:
            raise UnknownNameError("teacher", name, TEACHERS)

    def teacher(self, name: str, folder: Path, episodes: Episodes) -> Decider:
        """Return the rule of that name."""
        return find_rule(name, self.rules)
