"""Learning to schedule: environments in which an agent decides.

Importing this registers ``schedlab/Queue-v0`` and ``schedlab/Gantt-v0`` with Gymnasium.
"""

from schedlab.errors import MissingExtraError

try:
    import gymnasium
except ModuleNotFoundError:
    raise MissingExtraError("Gymnasium", "rl") from None

from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.rl.gantt import GanttBatch, GanttEnv, GanttSettings, GanttVectorEnv, GridEpisodes
from schedlab.rl.queue_env import QueueEnv
from schedlab.rl.vector_env import QueueVectorEnv
from schedlab.workload.episodes import (
    Episodes,
    FixedEpisode,
    GeneratedEpisodes,
    WindowEpisodes,
    choose_episodes,
)

__all__ = [
    "Episodes",
    "FixedEpisode",
    "GanttBatch",
    "GanttEnv",
    "GanttSettings",
    "GanttVectorEnv",
    "GeneratedEpisodes",
    "GridEpisodes",
    "QueueBatch",
    "QueueEnv",
    "QueueSettings",
    "QueueVectorEnv",
    "WindowEpisodes",
    "choose_episodes",
]

_ENVIRONMENTS = {
    "schedlab/Queue-v0": ("schedlab.rl:QueueEnv", "schedlab.rl:QueueVectorEnv"),
    "schedlab/Gantt-v0": ("schedlab.rl:GanttEnv", "schedlab.rl:GanttVectorEnv"),
}
for _name, (_one, _many) in _ENVIRONMENTS.items():
    if _name not in gymnasium.registry:
        gymnasium.register(_name, entry_point=_one, vector_entry_point=_many)
