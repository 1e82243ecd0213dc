"""The twin replays the history of its site, under the phases of a log or under drawn ones."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, fields
from itertools import chain
from threading import Event

import numpy as np
from numpy.typing import NDArray

from schedlab._core import NativeController, SlurmTables
from schedlab.errors import InputError
from schedlab.slurm.accounts import Association, Qos
from schedlab.slurm.clocks import Clocks, clocks_from_boot, drawn_clocks
from schedlab.slurm.native import SiteTables, native_controller
from schedlab.slurm.plain.controller import Controller
from schedlab.slurm.plain.nodes import Selector
from schedlab.slurm.replayed import not_heeded
from schedlab.slurm.site import SlurmHistory, SlurmSite

EVENTS_AT_A_TIME = 10_000
"""Small enough for Ctrl-C to take effect soon."""
Times = NDArray[np.float64]
LONG_AGO_S = 3600.0
"""A slurmctld that booted this long before the first submission may have any phases."""


@dataclass(frozen=True)
class TwinReplay:
    """What the twin did with each job; times in seconds on the history's clock, nan for never.

    Args:
        start_s: first start of each job.
        last_start_s: last start of each job.
        end_s: last end of each job.
        nodes: the numbers of the nodes of each job's first run.
        by: the scheduler that started the first run: main or backfill.
    """

    start_s: Times
    last_start_s: Times
    end_s: Times
    nodes: tuple[tuple[int, ...], ...]
    by: tuple[str, ...]


def history_of(site: SlurmSite) -> SlurmHistory:
    """Return the history of the site; raise InputError if it has none."""
    if site.history is None or not len(site.history.workload):
        raise InputError("the site has no history: no sacct file and no submitted.csv was imported")
    return site.history


def phases_of(site: SlurmSite, number: int, seed: int = 0) -> list[Clocks]:
    """Draw this number of phases of slurmctld's loops; they differ as those of real replicas do.

    If the site says that slurmctld booted shortly before the history begins, only what the boot
    leaves open is drawn.
    """
    history = history_of(site)
    first_s = history.begin_s
    boot_epoch_s, epoch_s = site.parameters.control.boot_epoch_s, history.epoch_s
    boot_s = -math.inf
    if boot_epoch_s is not None and epoch_s is not None:
        boot_s = boot_epoch_s - epoch_s
    seeds = [seed * 1_000_003 + place for place in range(number)]
    if first_s - LONG_AGO_S < boot_s <= first_s:
        drawn = [clocks_from_boot(boot_s, site.parameters, each) for each in seeds]
        came_s = history.details["submit_s"].to_numpy()
        is_idle = not history.details["ran_before"].any() and bool((came_s >= first_s).all())
        return [each.since(first_s, site.parameters, is_idle=is_idle) for each in drawn]
    return [drawn_clocks(first_s, site.parameters, each) for each in seeds]


def replay(site: SlurmSite, clocks: Clocks) -> TwinReplay:
    """Replay the history in the twin, from the state in which the history begins."""
    return replay_all(site, [clocks])[0]


def replay_all(
    site: SlurmSite,
    phases: list[Clocks],
    tell: Callable[[int], object] = lambda done: None,
    until_s: float = math.inf,
) -> list[TwinReplay]:
    """Replay the site under each of the phases, several at a time.

    ``tell`` is called with the number of finished replays. Events after ``until_s`` are not
    replayed.
    """
    return replay_sites([(site, phases)], tell, until_s)[0]


def replay_sites(
    asked: Sequence[tuple[SlurmSite, list[Clocks]]],
    tell: Callable[[int], object] = lambda done: None,
    until_s: float = math.inf,
) -> list[list[TwinReplay]]:
    """Replay several sites, each under its phases.

    The tables of the next site are made while the first sites are replayed.

    Args:
        asked: the sites and their phases.
        tell: called with the number of finished replays of all sites.
        until_s: events after this time are not replayed.
    """
    for site, _ in asked:
        history_of(site)
    stopped = Event()
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        try:
            made = []
            for site, phases in asked:
                tables = SiteTables(site).made()
                made.append(
                    [threads.submit(_replay, tables, each, stopped, until_s) for each in phases]
                )
            for done, _ in enumerate(as_completed(chain.from_iterable(made)), 1):
                tell(done)
        finally:
            stopped.set()
    return [[each.result() for each in replays] for replays in made]


def _replay(tables: SlurmTables, clocks: Clocks, stopped: Event, until_s: float) -> TwinReplay:
    return replay_native(native_controller(tables, clocks), stopped, until_s)


def replay_native(
    controller: NativeController,
    stopped: Event,
    until_s: float = math.inf,
    *,
    to_the_end: bool = True,
) -> TwinReplay:
    """Run the controller to its end, unless it is stopped.

    Args:
        controller: the controller to run.
        stopped: set by another thread to end the run.
        until_s: events after this time are not run.
        to_the_end: if False, the run may stop as soon as no job waits.
    """
    while controller.run(EVENTS_AT_A_TIME, until_s) and not stopped.is_set():
        if not to_the_end and not controller.waiting:
            break
    runs = controller.runs()
    return TwinReplay(
        np.array([each[0].start if each else math.nan for each in runs]),
        np.array([each[-1].start if each else math.nan for each in runs]),
        np.array([each[-1].end if each else math.nan for each in runs]),
        tuple(tuple(each[0].nodes) if each else () for each in runs),
        tuple(each[0].by.name if each else "" for each in runs),
    )


def not_replayed(site: SlurmSite) -> list[str]:
    """Return what this site uses and the twin does not replay yet, a sentence for each."""
    history = history_of(site)
    limited = [
        *(f"QOS {each.name}" for each in site.accounts.qos if limits_of(each)),
        *(each.title for each in site.accounts.associations if limits_of(each)),
    ]
    mode, gangs = site.parameters.preempt.mode, Selector(site).gangs
    sharing = [each for each in site.partitions if each.over_subscribe == "FORCE"]
    controller = Controller(site, drawn_clocks(0.0, site.parameters, 0))
    strange = [
        each for each in history.commands if not controller.orders.understands(each, controller)
    ]
    found = {
        "limits of " + ", ".join(limited[:3]): len(limited),
        "preemption by suspension (such jobs are requeued)": "SUSPEND" in mode and not gangs,
        "time slices of jobs that share cores": "GANG" in mode and bool(sharing),
        "commands given meanwhile, such as " + (strange[0].text if strange else ""): len(strange),
    }
    return [f"not replayed: {each}" for each in not_heeded(site.parameters)] + [
        f"not replayed: {what}" + (f" ({count:,})" if count is not True and count > 1 else "")
        for what, count in found.items()
        if count
    ]


def limits_of(bound: Association | Qos) -> list[str]:
    """Return the names of limits on running jobs that are set and that the twin does not keep."""
    return [
        each.name
        for each in fields(bound)
        if each.name in ("max_tres_per_node", "min_tres") and getattr(bound, each.name)
    ]
