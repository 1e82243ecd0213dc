"""Slurm's settings as fields of dataclasses, with Slurm's name and notation of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, field, fields
from typing import Any

Version = tuple[int, int]


def option(
    slurm: str,
    default: Any,
    kind: str,
    *,
    since: Mapping[Version, Any] | None = None,
    within: str = "",
) -> Any:
    """Return a field of a dataclass of settings.

    Args:
        slurm: the name in slurm.conf, or of an option within SchedulerParameters.
        default: the default in Slurm 22.05.
        kind: how the value is written; a key of ``values.KINDS``.
        since: the default of later versions, by the first version that has it.
        within: the name in slurm.conf whose value holds the option.
    """
    known = {"slurm": slurm, "kind": kind, "since": dict(since or {}), "within": within}
    if isinstance(default, dict):
        return field(default_factory=dict, hash=False, metadata=known)
    return field(default=default, metadata=known)


def default_of(each: Field[Any], version: Version) -> Any:
    """Return the default of the setting in that version."""
    usual: Any = each.default
    if each.default is MISSING and each.default_factory is not MISSING:
        factory: Callable[[], Any] = each.default_factory
        usual = factory()
    changes: Mapping[Version, Any] = each.metadata.get("since", {})
    reached = [first for first in changes if first <= version]
    return changes[max(reached)] if reached else usual


def options_of(section: type, within: str = "") -> dict[str, Field[Any]]:
    """Return the settings of a dataclass by Slurm's names in lower case."""
    found: list[Field[Any]] = list(fields(section))
    return {
        each.metadata["slurm"].lower(): each
        for each in found
        if each.metadata and each.metadata["within"] == within
    }
