"""Tuned policies that come with schedlab, by what they are good for: ``evolved:slowdown``."""

from __future__ import annotations

from importlib.resources import as_file, files

from schedlab.policies.evolved import EvolvedPolicy, Priority, evolved_policy, read_priority
from schedlab.policies.network import NetworkPolicy

READY_PRIORITIES = {
    "slowdown": "Evolved for a small mean bounded slowdown, on traces and on models.",
    "utilisation": "Evolved to use a machine fully that always has jobs waiting.",
}
"""Those that are priorities: they can teach networks, and be candidates of ``lookahead``."""

READY = READY_PRIORITIES | {
    "generalist": "A small network for slowdowns on any machine; learns run times from past jobs.",
}
"""What each is for; its card in the docs says how it was made and how it does elsewhere."""


def ready_priority(name: str) -> Priority:
    """Return the weights of a ready priority."""
    with as_file(files(__name__) / f"{name}.toml") as path:
        return read_priority(path)


def ready_policy(name: str) -> EvolvedPolicy | NetworkPolicy:
    """Return a new policy, for one simulation at a time."""
    with as_file(files(__name__) / f"{name}.toml") as path:
        return evolved_policy(path, f"evolved:{name}")
