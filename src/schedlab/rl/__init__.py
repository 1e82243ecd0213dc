"""Learning to schedule: environments in which an agent decides.

As soon as Gymnasium is imported, it knows ``schedlab/Queue-v0`` and ``schedlab/Gantt-v0``. Where
Python reads no ``.pth`` files, importing this package registers them.
"""

from _schedlab_gymnasium import register
from schedlab.errors import MissingExtraError

try:
    import gymnasium  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtraError("Gymnasium", "rl") from None

from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.rl.gantt import GanttBatch, GanttEnv, GanttSettings, GanttVectorEnv, GridEpisodes
from schedlab.rl.own_policy import as_policy, save_settings
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
    "as_policy",
    "choose_episodes",
    "save_settings",
]

register()
