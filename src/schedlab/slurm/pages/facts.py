"""What was replayed: the cluster, its history, the phases and the versions."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping

import numpy as np

from schedlab.analysis import Clock
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmSite
from schedlab.units import format_duration
from schedlab.version import __version__

Facts = list[tuple[str, list[tuple[str, str]]]]


def facts_of(site: SlurmSite, replays: Mapping[str, object]) -> Facts:
    """Return the facts: titles, each with names and values.

    Args:
        site: the site that was replayed.
        replays: how it was replayed: the number of phases, the seed and the like.
    """
    partitions = [each.name for each in site.machine.clusters[0].partitions]
    machine = [
        ("cluster", site.parameters.cluster_name),
        ("Slurm", site.parameters.version),
        ("nodes", f"{site.machine.nodes:,}, with {site.machine.cores:,} CPUs"),
        ("partitions", ", ".join(partitions)),
    ]
    run = [
        (name, f"{value:,}" if isinstance(value, int) else str(value))
        for name, value in replays.items()
    ]
    versions = f"schedlab {__version__}, NumPy {np.__version__}, Python {platform.python_version()}"
    return [
        ("Cluster", machine),
        ("History", _history(site)),
        ("Replays", [*run, ("versions", versions)]),
    ]


def _history(site: SlurmSite) -> list[tuple[str, str]]:
    history = history_of(site)
    submit_s = history.details["submit_s"].to_numpy()
    first_s, last_s = float(submit_s.min()), float(submit_s.max())
    told, clock = moment_of(site), clock_of(site)
    users = history.workload.labels.get("user", ())
    return [
        ("jobs", f"{len(submit_s):,}" + (f" of {len(users):,} users" if len(users) > 1 else "")),
        *([("submitted", f"{told(first_s)} to {told(last_s)}")] if clock else []),
        ("submitted within", format_duration(last_s - first_s)),
        *([("commands", f"{len(history.commands):,} given meanwhile")] if history.commands else []),
    ]


def clock_of(site: SlurmSite) -> Clock | None:
    """Return the clock with the moment of the history's time 0; None if unknown."""
    return Clock.of(history_of(site).workload.header)


def moment_of(site: SlurmSite) -> Callable[[float], str]:
    """Return a function that writes times of the history: as dates where it has them."""
    clock = clock_of(site)

    def told(time_s: float) -> str:
        date = None if clock is None else clock.at(round(time_s))
        return f"{time_s:,.1f} s" if date is None else f"{date:%Y-%m-%d %H:%M:%S}"

    return told
