"""The environments that can be trained in, by the names that Gymnasium knows them by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from schedlab.errors import InputError, UnknownNameError
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.rl.gantt.batch import GanttBatch
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.rl.native_batch import NativeBatch
from schedlab.sections import build
from schedlab.workload.episodes import Episodes

QUEUE, GANTT = "schedlab/Queue-v0", "schedlab/Gantt-v0"

Settings = QueueSettings | GanttSettings

ENVIRONMENTS: dict[str, type[QueueSettings] | type[GanttSettings]] = {
    QUEUE: QueueSettings,
    GANTT: GanttSettings,
}


def read_settings(given: Any) -> Settings:
    """The rules that ``[environment]`` gives; without an ``id`` those of ``schedlab/Queue-v0``."""
    if not isinstance(given, Mapping):
        raise InputError(f"[environment] is {given!r}; must be a section")
    rest = dict(given)
    name = rest.pop("id", QUEUE)
    if name not in ENVIRONMENTS:
        raise UnknownNameError("environment", str(name), ENVIRONMENTS)
    return build(ENVIRONMENTS[name], rest, "[environment]")


def settings_document(settings: Settings) -> dict[str, Any]:
    """The same as JSON has it; files from before there was a choice name no environment."""
    named = {} if isinstance(settings, QueueSettings) else {"id": GANTT}
    return {**named, **asdict(settings)}


def make_batch(settings: Settings, episodes: Episodes, size: int, *, threads: int) -> NativeBatch:
    """Make a number of environments with these rules."""
    if isinstance(settings, GanttSettings):
        return GanttBatch(settings, episodes, size, threads=threads)
    return QueueBatch(settings, episodes, size, threads=threads)


def time_scale_s(settings: Settings, episodes: Episodes) -> float:
    """What counts as 1 among the times that the agent sees; on the grid a time unit does."""
    if isinstance(settings, GanttSettings):
        return 1.0
    return float(settings.time_scale_s or episodes.longest_request_s)


def with_time_scale(settings: Settings, episodes: Episodes) -> Settings:
    """The same rules with the time scale that these episodes would give them."""
    if isinstance(settings, GanttSettings):
        return settings
    return replace(settings, time_scale_s=time_scale_s(settings, episodes))
