"""The environments that can be trained in, by the names that Gymnasium knows them by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schedlab.errors import InputError, UnknownNameError
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.environment import Environment
from schedlab.rl.gantt.environment import GanttEnvironment
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.rl.queue_environment import QueueEnvironment
from schedlab.sections import build

Settings = QueueSettings | GanttSettings

ENVIRONMENTS: dict[type[Settings], type[Environment[Any]]] = {
    QueueSettings: QueueEnvironment,
    GanttSettings: GanttEnvironment,
}
"""The class of each environment, by the type of its rules."""


def read_settings(given: Any) -> Settings:
    """Read the rules of ``[environment]``; without an ``id`` those of ``schedlab/Queue-v0``."""
    if not isinstance(given, Mapping):
        raise InputError(f"[environment] is {given!r}; must be a section")
    rules = {each.name: settings for settings, each in ENVIRONMENTS.items()}
    rest = dict(given)
    name = rest.pop("id", QueueEnvironment.name)
    if name not in rules:
        raise UnknownNameError("environment", str(name), rules)
    return build(rules[name], rest, "[environment]")


def environment_of(settings: Settings) -> Environment[Any]:
    """Return the environment with these rules."""
    return ENVIRONMENTS[type(settings)](settings)
