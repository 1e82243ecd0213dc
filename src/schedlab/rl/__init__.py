"""Learning to schedule: environments in which an agent decides.

Importing this registers ``schedlab/Queue-v0`` with Gymnasium.
"""

from schedlab.errors import MissingExtraError

try:
    import gymnasium
except ModuleNotFoundError:
    raise MissingExtraError("Gymnasium", "rl") from None

from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
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
    "GeneratedEpisodes",
    "QueueBatch",
    "QueueEnv",
    "QueueSettings",
    "QueueVectorEnv",
    "WindowEpisodes",
    "choose_episodes",
]

if "schedlab/Queue-v0" not in gymnasium.registry:
    gymnasium.register(
        "schedlab/Queue-v0",
        entry_point="schedlab.rl.queue_env:QueueEnv",
        vector_entry_point="schedlab.rl.vector_env:QueueVectorEnv",
    )
