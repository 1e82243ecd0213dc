"""Tuned policies that come with schedlab, by what they are good for: ``evolved:slowdown``."""

from __future__ import annotations

from importlib.resources import as_file, files

from schedlab.policies.evolved import EvolvedPolicy, Priority, read_priority

READY = {
    "slowdown": "Evolved for a small mean bounded slowdown, on traces and on models.",
    "utilisation": "Evolved to use a machine fully that always has jobs waiting.",
}
"""What each is for; its card in the docs says how it was made and how it does elsewhere."""


def ready_priority(name: str) -> Priority:
    """Return the weights of a ready policy."""
    with as_file(files(__name__) / f"{name}.toml") as path:
        return read_priority(path)


def ready_policy(name: str) -> EvolvedPolicy:
    """Return a new policy, for one simulation at a time."""
    return EvolvedPolicy(ready_priority(name), f"evolved:{name}")
