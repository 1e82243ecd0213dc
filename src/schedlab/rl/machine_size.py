"""The size of the machine: that of the rules, else that of the trace or the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schedlab.errors import ParameterError, PlatformError
from schedlab.platform.read import header_size
from schedlab.policies.learned.settings import QueueSettings
from schedlab.sections import from_keywords
from schedlab.workload.episodes import (
    Episodes,
    FixedEpisode,
    GeneratedEpisodes,
    MixedEpisodes,
    WindowEpisodes,
)


def settings_for(episodes: Episodes, rules: Mapping[str, Any]) -> QueueSettings:
    """Return the rules; without ``nodes`` the machine is that of the trace or model."""
    settings = from_keywords(QueueSettings, rules)
    nodes = settings.nodes if "nodes" in rules else machine_nodes(episodes)
    return from_keywords(QueueSettings, {**rules, "nodes": nodes or settings.nodes})


def machine_nodes(episodes: Episodes) -> int | None:
    """Return the nodes of the machine that these jobs are for; None if episodes have no machine."""
    if isinstance(episodes, MixedEpisodes):
        sizes = [machine_nodes(each) for each in episodes.kinds]
        return max((size for size in sizes if size is not None), default=None)
    if isinstance(episodes, GeneratedEpisodes):
        workload = episodes.sample
    elif isinstance(episodes, WindowEpisodes):
        workload = episodes.trace
    elif isinstance(episodes, FixedEpisode):
        workload = episodes.workload
    else:
        return None
    try:
        return header_size(workload).count
    except PlatformError:
        raise ParameterError(
            f'workload "{workload.name}" does not say how large its machine is; give nodes'
        ) from None
