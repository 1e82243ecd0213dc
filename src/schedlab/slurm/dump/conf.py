"""slurm.conf: its parameters, nodes and partitions, with the DEFAULT lines applied."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from schedlab.errors import InputError
from schedlab.slurm.dump.conf_lines import ConfLine, conf_lines
from schedlab.workload.readers.source import Source, decode, plain_name

_PASSWORD = re.compile(r"(\b\w*pass\w*\s*=\s*)\S+", re.IGNORECASE)
_CUMULATIVE = frozenset({"slurmctldhost", "controlmachine"})


@dataclass(frozen=True)
class Entry:
    """A parameter: its name as it was written, its value, and where it stands."""

    key: str
    value: str
    where: str
    line: ConfLine | None = None

    def error(self, reason: str) -> InputError:
        """Return an error about the parameter: ``slurm.conf:12: PriorityMaxAge is ...``."""
        text = f"{self.key} {reason}"
        return self.line.error(text) if self.line else InputError(f"{self.where}: {text}")


@dataclass(frozen=True)
class Block:
    """A line of nodes, a partition or the like: its name, and its entries by lower-case key."""

    name: str
    where: str
    entries: dict[str, Entry]
    line: ConfLine | None = None

    def text(self, *keys: str) -> str | None:
        """Return the value of the first of the keys that is there."""
        for key in keys:
            if key.lower() in self.entries:
                return self.entries[key.lower()].value
        return None

    def error(self, reason: str) -> InputError:
        """Return an error with the place of the line."""
        return self.line.error(reason) if self.line else InputError(f"{self.where}: {reason}")


@dataclass
class SlurmConf:
    """The content of slurm.conf; later parameters replace earlier ones, as in Slurm."""

    path: Path
    parameters: dict[str, Entry] = field(default_factory=dict)
    replaced: list[Entry] = field(default_factory=list)
    nodes: list[Block] = field(default_factory=list)
    partitions: list[Block] = field(default_factory=list)
    down: list[Block] = field(default_factory=list)
    node_sets: list[Block] = field(default_factory=list)
    frontends: list[Block] = field(default_factory=list)

    @property
    def cluster_name(self) -> str:
        """The name of the cluster as Slurm writes it: in lower case."""
        entry = self.parameters.get("clustername")
        return entry.value.lower() if entry and entry.value else "cluster"


def read_conf(path: Path) -> SlurmConf:
    """Read slurm.conf and the files that it includes."""
    conf = SlurmConf(path)
    lists = {
        "nodename": conf.nodes,
        "partitionname": conf.partitions,
        "downnodes": conf.down,
        "nodeset": conf.node_sets,
        "frontendname": conf.frontends,
    }
    defaults: dict[str, dict[str, Entry]] = {kind: {} for kind in lists}
    for line in conf_lines(path):
        kind = line.pairs[0][0].lower()
        if kind in lists:
            _add(lists[kind], defaults[kind], line)
        else:
            _set(conf, line)
    if not conf.nodes and not conf.parameters:
        raise InputError(f"{path}: has neither nodes nor parameters")
    return conf


def conf_texts(path: Path) -> dict[str, str]:
    """Return the texts of the file and of those that it includes, by name, without passwords."""
    found = {}
    for each in dict.fromkeys((path, *(line.path for line in conf_lines(path)))):
        inside = each.resolve().is_relative_to(path.parent.resolve())
        place = each.resolve().relative_to(path.parent.resolve()) if inside else Path(each.name)
        lines = decode(Source.load(each).data).splitlines()
        kept = (_PASSWORD.sub(r"\1REMOVED", line) for line in lines)
        found[str(place.with_name(plain_name(place).name))] = "".join(f"{line}\n" for line in kept)
    return found


def read_blocks(path: Path, *names: str) -> list[Block]:
    """Return the lines of gres.conf, topology.conf and the like.

    A line that begins with one of the keys ``names`` has its value as name; others have none.
    """
    found = []
    for line in conf_lines(path):
        entries = _entries(line.pairs, line)
        key, value = line.pairs[0]
        named = value if key.lower() in names else ""
        found.append(Block(named, line.where, entries, line))
    return found


def _add(blocks: list[Block], defaults: dict[str, Entry], line: ConfLine) -> None:
    (key, name), *rest = line.pairs
    entries = _entries(rest, line)
    if not name:
        raise line.error(f"{key} has no name")
    if name.upper() == "DEFAULT":
        defaults.update(entries)
        return
    if key.lower() == "partitionname" and name in {each.name for each in blocks}:
        raise line.error(f'a second line describes partition "{name}"; write one')
    blocks.append(Block(name, line.where, defaults | entries, line))


def _entries(pairs: Iterable[tuple[str, str]], line: ConfLine) -> dict[str, Entry]:
    return {key.lower(): Entry(key, value, line.where, line) for key, value in pairs}


def _set(conf: SlurmConf, line: ConfLine) -> None:
    for key, value in line.pairs:
        name = key.lower()
        if name in conf.parameters and name not in _CUMULATIVE:
            conf.replaced.append(conf.parameters[name])
        conf.parameters[name] = Entry(key, value, line.where, line)
