"""``schedlab/Queue-v0`` to train in."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from schedlab.errors import ParameterError
from schedlab.policies.evolved import Priority, read_priority
from schedlab.policies.learned.agent_file import QUEUE
from schedlab.policies.learned.own_agent import numbers_and_actions
from schedlab.policies.learned.settings import QueueSettings
from schedlab.policies.ready import READY, ready_priority
from schedlab.rl.batch import QueueBatch
from schedlab.rl.environment import GANTT, Environment, require_unset
from schedlab.rl.machine_size import machine_nodes
from schedlab.rl.teacher import Teacher
from schedlab.workload.episodes import Episodes, MixedEpisodes, choose_episodes
from schedlab.workload.generators import is_model

if TYPE_CHECKING:
    from schedlab.rl.episodes_section import EpisodesSection
    from schedlab.rl.job_columns import JobColumns


class QueueEnvironment(Environment[QueueSettings]):
    """One cluster with a queue, in which an agent picks or orders jobs."""

    name = QUEUE
    by_jobs = "jobs"
    scores = (
        *("utilisation", "return", "share_started"),
        *("makespan_s", "mean_wait_s", "mean_bounded_slowdown"),
    )
    stacks = True

    def __init__(self, rules: QueueSettings) -> None:
        """Take the rules."""
        super().__init__(rules)
        self.tick, self.predictors = rules.sim_step_s, (rules.estimate,)
        self.orders = rules.mode != "pick"

    def document(self) -> dict[str, Any]:
        """Return the rules as values for JSON; a document without ``id`` means this environment."""
        return asdict(self.rules)

    @property
    def nodes(self) -> int:
        """The number of nodes of its cluster."""
        return self.rules.nodes

    def episodes(self, section: EpisodesSection, workload: str | Path | None) -> Episodes:
        """Return episodes as ``choose_episodes`` does, mixed with those of the other models."""
        require_unset(section, ("load", "units"), f'is for id = "{GANTT}"')
        first = choose_episodes(workload or "wl1", section.jobs, section.transforms, section.seed)
        others = [_other(section, text) for text in section.others]
        return MixedEpisodes((first, *others)) if others else first

    def on_its_machine(self, section: EpisodesSection, folder: Path) -> QueueSettings:
        """Return the rules with as many nodes as the trace or the model has."""
        if section.workload is None:
            return self.rules
        nodes = machine_nodes(self.episodes(section, section.workload_in(folder)))
        return replace(self.rules, nodes=nodes or self.rules.nodes)

    def batch(self, episodes: Episodes, size: int, *, threads: int) -> QueueBatch:
        """Make a batch that does not warn: a trainer without masks may try forbidden actions."""
        return QueueBatch(self.rules, episodes, size, threads=threads, warns=False)

    def time_scale_s(self, episodes: Episodes) -> float:
        """Return the scale of the rules, else the longest request."""
        return float(self.rules.time_scale_s or episodes.longest_request_s)

    def with_time_scale(self, episodes: Episodes) -> QueueSettings:
        """Return the rules with the time scale that these episodes give them."""
        return replace(self.rules, time_scale_s=self.time_scale_s(episodes))

    def spaces(self, time_scale_s: float) -> tuple[Box, Discrete]:
        """Return the spaces of observations and of actions."""
        numbers, actions = numbers_and_actions(replace(self.rules, time_scale_s=time_scale_s))
        return Box(0, self.rules.largest, (numbers,), np.float32), Discrete(actions)

    @property
    def job_columns(self) -> JobColumns:
        """Where jobs are in ``observation = "jobs"``."""
        from schedlab.rl.job_columns import IN_A_QUEUE  # loads torch

        return IN_A_QUEUE

    def teacher(self, name: str, folder: Path, episodes: Episodes) -> Teacher:
        """Return an evolved priority as a teacher."""
        return Teacher(taught_priority(name, folder), self.rules, self.time_scale_s(episodes))


def taught_priority(name: str, folder: Path) -> Priority:
    """Return the priority of a file, or the ready one of ``evolved:NAME``."""
    kind, _, ready = name.partition(":")
    if kind == "evolved" and ready in READY:
        return ready_priority(ready)
    return read_priority(folder / name)


def _other(section: EpisodesSection, text: str) -> Episodes:
    model, *own = text.split()
    if not is_model(model):
        raise ParameterError(f'others in [episodes] has "{text}"; must begin with a model')
    transforms = (*own, *section.transforms)
    return choose_episodes(model, section.jobs, transforms, section.seed)
