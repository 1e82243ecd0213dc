"""The nodes of slurm.conf or ``scontrol show node``, in the order of Slurm's own table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schedlab.errors import ParameterError, SchedlabError
from schedlab.platform.hostlist import expand_hosts
from schedlab.slurm.dump.conf import Block
from schedlab.slurm.dump.findings import HARMLESS, MODELLED, NOT_MODELLED, ImportReport, shown
from schedlab.slurm.dump.values import count, is_unset, megabytes, whole, words

_HARMLESS = frozenset(
    {
        *("nodehostname", "nodeaddr", "port", "bcastaddr", "reason", "cpubind", "version", "os"),
        *("arch", "cpualloc", "cpuload", "cpuefctv", "availablefeatures", "gresdrain", "gresused"),
        *("allocmem", "freemem", "owner", "mcs_label", "partitions", "boottime", "lastbusytime"),
        *("slurmdstarttime", "cfgtres", "alloctres", "capwatts", "currentwatts", "avewatts"),
        *("extsensorsjoules", "extsensorswatts", "extsensorstemp", "resumeaftertime", "comment"),
        *("extra", "instanceid", "instancetype", "topology", "powermanagementpolicy"),
    }
)
_READ = frozenset(
    {
        *("cpus", "procs", "cputot", "boards", "sockets", "socketsperboard", "corespersocket"),
        *("threadspercore", "realmemory", "features", "feature", "activefeatures", "gres"),
        *("weight", "state", "corespeccount", "memspeclimit", "tmpdisk"),
    }
)
_NUMBERS = re.compile(r"(\d+)")
_BRACKET = re.compile(r"\([^)]*\)")


@dataclass(frozen=True)
class Node:
    """One node as Slurm describes it."""

    name: str
    where: str
    cpus: int = 1
    boards: int = 1
    sockets: int = 1
    cores_per_socket: int = 1
    threads_per_core: int = 1
    memory_mb: int | None = None
    gpus: dict[str, int] = field(default_factory=dict)
    resources: dict[str, int] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    weight: int = 1
    state: str = "UNKNOWN"
    core_spec_count: int = 0
    mem_spec_limit_mb: int = 0
    tmp_disk_mb: int = 0
    switch: str = ""

    @property
    def cores(self) -> int:
        """CPUs that jobs can have."""
        return max(self.cpus - self.core_spec_count * self.threads_per_core, 1)


def nodes_of(blocks: Sequence[Block], report: ImportReport, key: str = "NodeName") -> list[Node]:
    """Return the nodes in natural order of their names, as Slurm keeps them."""
    found: dict[str, Node] = {}
    for block in blocks:
        for name in _names(block):
            if name in found:
                raise block.error(f'node "{name}" is described twice, first at {found[name].where}')
            found[name] = _node(name, block)
    _tell(blocks, report, key)
    return sorted(found.values(), key=lambda node: natural_order(node.name))


def natural_order(name: str) -> tuple[Any, ...]:
    """Return the key by which ``n2`` comes before ``n10``."""
    parts = _NUMBERS.split(name)
    return tuple((1, int(p), p) if p.isdecimal() else (0, 0, p) for p in parts if p)


def with_gres_types(
    nodes: Iterable[Node], gres: Sequence[Block], report: ImportReport
) -> list[Node]:
    """Return the nodes with the types of GPUs that only gres.conf has."""
    types: dict[str, dict[str, int]] = {}
    for block in gres:
        kind = block.text("Name")
        if kind is None:
            autodetect = block.text("AutoDetect")
            if autodetect and autodetect.lower() != "off" and not types:
                report.note(
                    f"{block.where}: AutoDetect={autodetect}: GPUs are those of slurm.conf."
                )
            continue
        if kind.lower() == "gpu" and (model := block.text("Type")):
            hosts = block.text("NodeName")
            for name in expand_hosts(hosts) if hosts else ("",):
                types.setdefault(name, {})[model] = types.get(name, {}).get(model, 0) + _files(
                    block
                )
    _tell(gres, report, "gres.conf")
    return [_typed(node, types.get(node.name) or types.get("")) for node in nodes]


def _typed(node: Node, types: Mapping[str, int] | None) -> Node:
    if types and set(node.gpus) == {"gpu"} and sum(types.values()) == node.gpus["gpu"]:
        return replace(node, gpus=dict(types))
    return node


def _files(block: Block) -> int:
    said, files = block.text("Count"), block.text("File")
    if said is not None:
        return count(said)
    return len(expand_hosts(files)) if files else 1


def _names(block: Block) -> tuple[str, ...]:
    try:
        return expand_hosts(block.name)
    except SchedlabError as error:
        raise block.error(f"NodeName: {error}") from None


def _node(name: str, block: Block) -> Node:
    boards = _count(block, "Boards", default=1)
    per_board = _count(block, "SocketsPerBoard", default=0)
    cores = _count(block, "CoresPerSocket", default=1)
    threads = _count(block, "ThreadsPerCore", default=1)
    cpus = _count(block, "CPUs", "Procs", "CPUTot", default=0)
    sockets = per_board * boards or _count(block, "Sockets", default=0)
    sockets = sockets or max(cpus // (cores * threads), 1)
    gpus, others = _gres(block)
    memory = block.text("RealMemory")
    return Node(
        name,
        block.where,
        cpus or sockets * cores * threads,
        boards,
        sockets,
        cores,
        threads,
        None if memory is None else _read(block, "RealMemory", memory, megabytes),
        gpus,
        others,
        words(block.text("ActiveFeatures", "Features", "Feature") or ""),
        _count(block, "Weight", default=1),
        (block.text("State") or "UNKNOWN").upper(),
        _count(block, "CoreSpecCount", default=0),
        _count(block, "MemSpecLimit", default=0),
        _count(block, "TmpDisk", default=0),
    )


def _gres(block: Block) -> tuple[dict[str, int], dict[str, int]]:
    """Return GPUs by type, and other resources, of ``gpu:a100:4(S:0-1),shard:8``."""
    gpus: dict[str, int] = {}
    others: dict[str, int] = {}
    for word in words(_BRACKET.sub("", block.text("Gres") or "")):
        kind, *rest = [part for part in word.split(":") if part != "no_consume"]
        amount = 1
        if rest and rest[-1][:1].isdigit() and re.fullmatch(r"\d+[kKmMgGtT]?", rest[-1]):
            amount = _read(block, "Gres", rest.pop(), count)
        model = ":".join(rest)
        if kind.lower() == "gpu":
            gpus[model or "gpu"] = gpus.get(model or "gpu", 0) + amount
        else:
            others[kind] = others.get(kind, 0) + amount
    return gpus, others


def _count(block: Block, *keys: str, default: int) -> int:
    text = block.text(*keys)
    return default if text is None or is_unset(text) else int(_read(block, keys[0], text, whole))


def _read(block: Block, key: str, text: str, reader: Any) -> Any:
    try:
        return reader(text)
    except ParameterError as error:
        raise block.error(f"{key} {error}") from None


def _tell(blocks: Sequence[Block], report: ImportReport, kind: str) -> None:
    """Add one finding to the report for each key of these lines."""
    by_key: dict[str, list[tuple[str, str, str]]] = {}
    for block in blocks:
        for key, entry in block.entries.items():
            by_key.setdefault(key, []).append((entry.key, entry.value, entry.where))
    for key, found in by_key.items():
        name, values, where = f"{kind}.{found[0][0]}", (each[1] for each in found), found[0][2]
        report.add(name, shown(values), where, *_verdict(key, kind))


def _verdict(key: str, kind: str) -> tuple[str, str]:
    if kind == "gres.conf":
        if key in ("nodename", "name", "type", "count", "file"):
            return MODELLED, "Types and numbers of GPUs of the machine."
        return HARMLESS, "It says how devices are found and bound on a node."
    if key in _READ:
        return MODELLED, "Part of the description of the nodes."
    if key in _HARMLESS:
        return HARMLESS, "It is about the node's daemon or its state when it was asked."
    return NOT_MODELLED, "The twin's nodes do not have it."
