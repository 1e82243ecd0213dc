"""What a Grid Engine decides by: its queues, parallel environments and scheduler settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from xml.etree import ElementTree

from schedlab.errors import PeerError
from schedlab.live.grid_engine.commands import GridEngineCommands
from schedlab.workload.readers.grid_engine_row import seconds_in

STEPS = 2048
"""Grid Engine takes a priority p of -1023 to 1024 as the share (p + 1024) / 2048."""


@dataclass(frozen=True)
class ClusterQueue:
    """A cluster queue.

    Args:
        name: such as all.q.
        slots: the slots of its instance on each host.
        limit_s: the longest ``h_rt``; None for any.
        environments: the parallel environments that it serves.
        batch: whether it takes jobs without a parallel environment.
    """

    name: str
    slots: Mapping[str, int] = field(hash=False)
    limit_s: int | None = None
    environments: tuple[str, ...] = ()
    batch: bool = True

    def takes(self, wanted: Iterable[str], environment: str, limit_s: int | None) -> bool:
        """Return whether a job may run here.

        Args:
            wanted: the queues that the job asks for, with or without wildcards and hosts; empty
                for any.
            environment: its parallel environment, with or without wildcards; empty for none.
            limit_s: its time limit.
        """
        names = [each.partition("@")[0] or "*" for each in wanted]
        if names and not any(fnmatchcase(self.name, each) for each in names):
            return False
        if self.limit_s is not None and (limit_s or 0) > self.limit_s:
            return False
        if not environment:
            return self.batch
        return any(fnmatchcase(each, environment) for each in self.environments)


@dataclass(frozen=True)
class Weights:
    """The weights of the parts of a priority; ``qstat`` shows the weighted sum."""

    priority: float
    urgency: float
    ticket: float

    def steps(self, urgency: float, tickets: float) -> int:
        """Return what urgency and tickets are worth, in steps of ``qalter -p``."""
        if not self.priority:
            return round(STEPS * (self.urgency * urgency + self.ticket * tickets))
        return round(STEPS * (self.urgency * urgency + self.ticket * tickets) / self.priority)


@dataclass(frozen=True)
class GridEngineCell:
    """A cell, as ``qhost`` and ``qconf`` show it.

    Args:
        queues: the queues that have hosts.
        rules: the allocation rule of each parallel environment.
        weights: the weights of priorities.
        interval_s: how often the scheduler runs.
        flush_s: how long after a submission or an end it runs, too; None if it does not.
        limit_s: the limit of a job that asks for none; None for no limit.
        reservations: how many jobs may reserve slots.
        host_slots: the slots of the hosts that bound the slots of all their queues together.
    """

    queues: tuple[ClusterQueue, ...]
    rules: Mapping[str, str]
    weights: Weights
    interval_s: int
    flush_s: int | None
    limit_s: int | None
    reservations: int
    host_slots: Mapping[str, int]

    def node(self, queue: str, host: str) -> str:
        """Return the twin's node of a queue instance: itself, or its host if that bounds slots."""
        return host if host in self.host_slots else f"{queue}@{host}"

    def rule(self, environment: str) -> str:
        """Return the allocation rule of a parallel environment; its name may have wildcards."""
        found = (rule for name, rule in self.rules.items() if fnmatchcase(name, environment))
        return next(found, "$pe_slots")


def read_cell(engine: GridEngineCommands) -> GridEngineCell:
    """Read the settings of a cell, which seldom change; PeerError if it does not answer."""
    hosts = engine.xml("qhost", "-q", "-F", "slots")
    slots: dict[str, dict[str, int]] = {}
    for host, queue, values in queue_instances(hosts):
        slots.setdefault(queue, {})[host] = int(values.get("slots") or 0)
    if not slots:
        raise PeerError("qhost -q: no queue has a host")
    settings = _pairs(engine.run("qconf", "-ssconf"))
    bounding = [
        host.get("name", "")
        for host in hosts.iter("host")
        if any(each.get("dominance") == "hc" for each in host.iter("resourcevalue"))
    ]
    flushes = [int(settings.get(name) or 0) for name in ("flush_submit_sec", "flush_finish_sec")]
    return GridEngineCell(
        tuple(_queues(engine, slots)),
        {name: _rule(engine, name) for name in engine.ask("qconf", "-spl").split()},
        Weights(*(float(settings[f"weight_{x}"]) for x in ("priority", "urgency", "ticket"))),
        seconds_in(settings.get("schedule_interval")) or 15,
        max(flushes) if all(flushes) else None,
        seconds_in(settings.get("default_duration")),
        int(settings.get("max_reservation") or 0),
        {name: count for name in bounding if (count := _bound(engine, name))},
    )


def queue_instances(
    hosts: ElementTree.Element,
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the host, the queue and the values of each queue instance that ``qhost -q`` lists."""
    for host in hosts.iter("host"):
        for queue in host.iter("queue"):
            values = {
                each.get("name", ""): (each.text or "").strip() for each in queue.iter("queuevalue")
            }
            yield host.get("name", ""), queue.get("name", ""), values


def _queues(
    engine: GridEngineCommands, slots: Mapping[str, Mapping[str, int]]
) -> Iterator[ClusterQueue]:
    for name, counts in slots.items():
        told = _pairs(engine.run("qconf", "-sq", name))
        environments = _plain(told.get("pe_list", "")).replace(",", " ").split()
        yield ClusterQueue(
            name,
            {host: count for host, count in counts.items() if count},
            seconds_in(_plain(told.get("h_rt", ""))),
            tuple(each for each in environments if each != "NONE"),
            "BATCH" in _plain(told.get("qtype", "BATCH")),
        )


def _rule(engine: GridEngineCommands, name: str) -> str:
    return _pairs(engine.run("qconf", "-sp", name)).get("allocation_rule", "$pe_slots")


def _bound(engine: GridEngineCommands, host: str) -> int:
    values = _pairs(engine.run("qconf", "-se", host)).get("complex_values", "")
    pairs = (each.strip().partition("=") for each in values.split(","))
    return next((int(float(value)) for name, _, value in pairs if name == "slots"), 0)


def _plain(value: str) -> str:
    """Return a setting without its exceptions for some hosts."""
    return value.partition(",[")[0].strip()


def _pairs(text: str) -> dict[str, str]:
    """Return names and values, as ``qconf`` prints them."""
    rows = (line.split(None, 1) for line in text.splitlines())
    return {row[0]: row[1].strip() if row[1:] else "" for row in rows if row}
