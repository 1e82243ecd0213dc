"""Schedules made outside the simulator: on the grid of Gantt-v0, and by Batsim."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from schedlab.errors import UnknownNameError
from schedlab.policies.learned.document import naming
from schedlab.sim import Schedule
from schedlab.workload import Workload

GRID_RULES = ("sjf", "tetris", "packer", "random", "sjf+ahead")
"""The names in ``schedlab.rl.gantt.RULES``, which may need libraries that are not installed."""
_MODEL = ".zip"


@dataclass(frozen=True)
class OtherSimulator:
    """Another simulator, with policies of its own.

    Args:
        policies: the names of its policies.
        play: makes a schedule from the jobs, the number of nodes, the policy and a seed.
        drawn: the policies that give other schedules with other seeds.
        has_models: whether a policy may also be the file of a trained model.
    """

    policies: Collection[str]
    play: Callable[[Workload, int, str, int], Schedule]
    drawn: Collection[str] = ()
    has_models: bool = False


def _on_the_grid(jobs: Workload, nodes: int, policy: str, seed: int) -> Schedule:
    from schedlab.rl.gantt import GanttSettings, find_rule, schedule_by

    if policy in GRID_RULES:
        settings = GanttSettings(resources=nodes, observation="vector")
        return schedule_by(find_rule(policy, settings, seed), jobs, settings)
    from schedlab.rl.model_file import read_model  # loads torch

    model = read_model(policy)
    with naming(policy):
        agent, settings = model.agent(), model.config.require_grid(nodes)
    return schedule_by(agent, jobs, settings)


def _in_batsim(jobs: Workload, nodes: int, policy: str, seed: int) -> Schedule:
    from schedlab.testing.batsim import batsim_easy

    return batsim_easy(jobs, nodes)


OTHER_SIMULATORS = {
    "gantt": OtherSimulator(GRID_RULES, _on_the_grid, drawn=("random",), has_models=True),
    "batsim": OtherSimulator(("easy_bf",), _in_batsim),
}
"""The simulators, by the text before the colon of a policy such as ``gantt:sjf``."""


def is_elsewhere(policy: str) -> bool:
    """Return whether the policy belongs to another simulator."""
    return policy.partition(":")[0] in OTHER_SIMULATORS


def is_drawn(policy: str) -> bool:
    """Return whether another seed gives another schedule of the same jobs."""
    kind, _, name = policy.partition(":")
    return kind in OTHER_SIMULATORS and name in OTHER_SIMULATORS[kind].drawn


def check_elsewhere(policy: str) -> None:
    """Refuse a policy that the other simulator does not have."""
    kind, _, name = policy.partition(":")
    known = OTHER_SIMULATORS[kind]
    if name not in known.policies and not (known.has_models and name.endswith(_MODEL)):
        raise UnknownNameError("policy", policy, [f"{kind}:{each}" for each in known.policies])


def with_model_in(folder: Path, policy: str) -> str:
    """Return the same policy, with the file of ``gantt:FILE.zip`` looked for in the folder."""
    kind, _, name = policy.partition(":")
    return f"{kind}:{folder / name}" if is_elsewhere(policy) and name.endswith(_MODEL) else policy


def schedule_elsewhere(policy: str, jobs: Workload, nodes: int, seed: int) -> Schedule:
    """Return the schedule by ``gantt:sjf``, ``gantt:FILE.zip``, ``batsim:easy_bf`` or the like."""
    kind, _, name = policy.partition(":")
    return OTHER_SIMULATORS[kind].play(jobs, nodes, name, seed)
